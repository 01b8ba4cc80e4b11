#pragma once
// What auto-chunk decided, as rows of its own: how each node of the region is cut, and the predicted peaks (session.md, chunk_row and
// chunk_estimate). Internal to core/recording.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/pipeline/pass.h"
#include "core/recording/database.h"
#include "core/recording/recording.h"

namespace aliascope::recording {

/// From the CHUNKED decisions of one stage: their parameters `dim`, `sum`, `scale`, and `peaks` (`1=900 2=500 ...`) with `chunks`.
void writeChunkRows(Database& db, std::int64_t stageId, const std::vector<Decision>& decisions,
                    const std::function<std::optional<Uid>(const NodeRef&)>& uidOf, const std::function<std::optional<Uid>(Name)>& uidOfName);

}  // namespace aliascope::recording
