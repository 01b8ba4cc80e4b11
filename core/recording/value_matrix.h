#pragma once
// The values of a lane's stages side by side: one row per value, one column per compared stage (ui.md 2.9). What `numerics` prints and the numerics
// view shows.
// Thread-safety: plain data.

#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

struct ValueMatrix {
    struct Row {
        std::string label;                              ///< of the first column that has the value
        std::vector<std::optional<ComparedRow>> cells;  ///< by column; nothing = the stage has no such value
        bool differs() const;
    };
    std::vector<ComparisonRow> columns;  ///< per later stage the newest comparison, by stage
    std::vector<Row> rows;               ///< results, then inputs after the run, then values in the order of the stages
    /// Where it begins: the earliest column with an origin. Column and row.
    std::optional<std::pair<std::size_t, std::size_t>> first;
    bool differs() const;
};

/// Values of two columns are one row when they are compared with the same value of the first stage; what only later stages have, by node.
ValueMatrix valueMatrix(const Recording& recording, std::int64_t lane);

}  // namespace aliascope
