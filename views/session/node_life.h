#pragma once
// From when to when a node stands in a lane, and what came of it (ui.md 2.3, 3.1). Job threads.

#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/selection.h"

namespace aliascope {

struct NodeLife {
    std::string name;                  ///< in the version nearest to the stage asked for
    int first = 0, last = 0;           ///< stages
    std::vector<std::string> earlier;  ///< names that it had in stages before, latest first
    bool gone = false;                 ///< it ended before the stage
    std::vector<std::string> replacedBy;
};

/// The last of its versions at or before `stage`, else its first. Nothing when the lane has no such node.
std::optional<NodeLife> lifeOf(const Recording& recording, std::int64_t lane, int stage, Uid uid);

/// What came of a node, as seen from `stage`: its life, then that of what replaced it, and so on until one stands in the stage, is not made yet, or
/// was removed without a successor. Of several successors the first is followed. At most `most` lives.
std::vector<NodeLife> trailOf(const Recording& recording, std::int64_t lane, int stage, Uid uid, std::size_t most = 6);

}  // namespace aliascope
