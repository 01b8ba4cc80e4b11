#include "core/recording/value_matrix.h"

#include <algorithm>
#include <map>

namespace aliascope {
namespace {

/// A value: that of the earlier stage where there is one.
struct ValueKey {
    std::optional<Uid> earlier, later;
    int out = 0;
    auto operator<=>(const ValueKey&) const = default;
};

/// The difference of this stage begins at `value`.
bool begins(const ComparisonRow& stage, const ComparedRow& value) {
    if (stage.verdict != "differs") return false;
    if (stage.firstUid) return value.uidB == stage.firstUid && value.out == stage.firstOut;
    return value.verdict == "differs" && !value.inherited;
}

}  // namespace

bool ValueMatrix::Row::differs() const {
    return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell && cell->verdict == "differs"; });
}

bool ValueMatrix::differs() const {
    return std::any_of(columns.begin(), columns.end(), [](const ComparisonRow& c) { return c.verdict == "differs"; });
}

ValueMatrix valueMatrix(const Recording& recording, std::int64_t lane) {
    std::map<int, ComparisonRow> newest;
    for (ComparisonRow& c : recording.comparisons(lane)) newest[c.stageB] = std::move(c);
    ValueMatrix out;
    for (auto& [stage, c] : newest) out.columns.push_back(std::move(c));
    std::map<ValueKey, std::size_t> rowOf;
    for (std::size_t column = 0; column < out.columns.size(); ++column)
        for (ComparedRow& value : recording.comparisonRows(out.columns[column].id)) {
            const ValueKey key{value.uidA, value.uidA ? std::nullopt : value.uidB, value.out};
            const auto [it, fresh] = rowOf.try_emplace(key, out.rows.size());
            if (fresh) out.rows.push_back({value.label, std::vector<std::optional<ComparedRow>>(out.columns.size())});
            if (!out.first && begins(out.columns[column], value)) out.first = std::pair(column, it->second);
            out.rows[it->second].cells[column] = std::move(value);
        }
    return out;
}

}  // namespace aliascope
