#pragma once
// Rows of what was read: `source`, `graph`, `symbol`, `diagnostic`. Internal to core/recording.

#include <cstdint>
#include <string>
#include <vector>

#include "core/recording/database.h"
#include "core/recording/recorder.h"

namespace aliascope::recording {

/// Inside a transaction of the caller. Throws SqlError, LimitReached, Cancelled. Returns the ids of `graph` rows, one per unit.
std::vector<std::int64_t> insertDocument(Database& db, const Document& doc, const std::string& sessionPath, const RecorderLimits& limits,
                                         const CancelToken& cancel);

/// `order_key` of a unit: its id with the leading number padded, so that keys sort in file order; and back.
std::string orderKey(const std::string& unitId);
std::string unitIdFrom(const std::string& orderKey);

}  // namespace aliascope::recording
