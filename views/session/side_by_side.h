#pragma once
// Two texts beside each other, line against line: by node where both know one, else by the shortest edit script (ui.md 2.4). Built on a job thread.

#include <memory>
#include <set>
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

/// Whether a line that differs only in how the same nodes are called is a difference.
enum class Renames : std::uint8_t { Shown, Ignored };

/// Nodes of both texts that keep their order stand beside each other; what moved is marked, not removed and added. O(lines log lines), plus the edit
/// script of lines that belong to no node.
SideBySidePtr alignTexts(StageTextPtr left, StageTextPtr right, Renames renames = Renames::Shown);

/// Which rows are shown: all, or those that differ with some around them; one line stands for each run that is left out.
struct ShownRows {
    struct Line {
        int row = 0;   ///< of SideBySide; the first one that is left out
        int left = 0;  ///< rows that are left out here; 0 = the row itself
    };
    std::vector<Line> lines;
    std::vector<int> lineOf;  ///< by row: the line that shows it or stands for it
};
using ShownRowsPtr = std::shared_ptr<const ShownRows>;

ShownRowsPtr showAllRows(const SideBySide& both);
/// Leaves out rows that are alike on both sides and further than `context` rows from one that differs. Runs in `opened` (first rows) stay, and so
/// does a run of one row: its line would take as much room.
ShownRowsPtr hideUnchanged(const SideBySide& both, int context, const std::set<int>& opened);

}  // namespace aliascope
