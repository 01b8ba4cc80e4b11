#pragma once
// Copies the open session to another place (Ctrl+S). Job threads only.

#include <QString>

#include "views/session/job_queue.h"
#include "views/session/opening.h"

namespace aliascope {

/// The copy, opened. It stands at `path` when it is whole; one of that name is replaced then, not before. Cancelled: nothing is left of it.
RecordOutcome saveSession(const QString& from, const QString& path, std::int64_t lane, const JobContext& job);

}  // namespace aliascope
