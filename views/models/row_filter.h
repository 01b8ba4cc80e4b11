#pragma once
// A filter of a flat table whose cost does not depend on how the rows that it takes and leaves lie among each other: QSortFilterProxyModel moves its
// whole mapping for every run of rows that comes or goes.

#include <QSortFilterProxyModel>
#include <vector>

namespace aliascope {

class RowFilterProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    /// Whether a row of the source is shown.
    virtual bool keeps(int row) const = 0;
    /// Asks keeps() of every row, once. Call it when what that depends on has changed.
    void refilter();
    bool filterAcceptsRow(int row, const QModelIndex& parent) const final;

private:
    std::vector<char> kept_;  ///< while refilter() runs
};

}  // namespace aliascope
