#include "views/models/row_filter.h"

namespace aliascope {
namespace {

/// More rows than this come or go: the mapping is built anew.
constexpr int kFewRows = 256;

}  // namespace

void RowFilterProxy::refilter() {
    if (!sourceModel()) return;
    const int rows = sourceModel()->rowCount();
    std::vector<char> kept(static_cast<std::size_t>(rows));
    int changed = 0;
    for (int row = 0; row < rows; ++row) {
        kept[std::size_t(row)] = keeps(row) ? 1 : 0;
        changed += mapFromSource(sourceModel()->index(row, 0)).isValid() != (kept[std::size_t(row)] != 0) ? 1 : 0;
    }
    if (changed == 0) return;
    kept_ = std::move(kept);
    if (changed > kFewRows)
        invalidate();
    else
        invalidateFilter();
    rowCount();  // the mapping is made when somebody asks: now, while the answers are at hand
    kept_.clear();
}

bool RowFilterProxy::filterAcceptsRow(int row, const QModelIndex&) const {
    return std::size_t(row) < kept_.size() ? kept_[std::size_t(row)] != 0 : keeps(row);
}

}  // namespace aliascope
