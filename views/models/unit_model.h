#pragma once
// Graphs of a file that holds several, for the import sheet.

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/text/document.h"

namespace aliascope {

class UnitModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Number, Label, Nodes, Form, Line, Notes, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setData(std::shared_ptr<const Document> document);
    std::size_t unitAt(int row) const { return units_[std::size_t(row)]; }
    /// The row of the graph with most nodes, which is the likeliest wish; -1 when there is none.
    int largest() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Document> document_;
    std::vector<std::size_t> units_;
};

}  // namespace aliascope
