#pragma once
// Two texts beside each other, line against line: by node where both know one, else by the shortest edit script (ui.md 2.4). Built on a job thread.

#include <memory>
#include <vector>

#include "views/session/stage_text.h"

namespace aliascope {

struct SideBySide {
    struct Row {
        int left = -1, right = -1;  ///< line of each text; -1 = nothing stands there
        char mark = ' ';            ///< `+`, `-`, `~`, blank, `>`: moved to here or away from here
    };
    StageTextPtr left, right;
    std::vector<Row> rows;
    std::vector<int> hunks;  ///< first row of each run of rows that differ
};
using SideBySidePtr = std::shared_ptr<const SideBySide>;

/// Nodes of both texts that keep their order stand beside each other; what moved is marked, not removed and added. O(lines log lines), plus the edit
/// script of lines that belong to no node.
SideBySidePtr alignTexts(StageTextPtr left, StageTextPtr right);

}  // namespace aliascope
