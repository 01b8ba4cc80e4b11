#pragma once
// Graphs of a file that holds several, for the import sheet: compile id, under it forward, backward, joint …, under those the stages in the
// compiler's order (formats.md 15). The compilation that was written last stands first. Files that say nothing of compilations give a flat list in
// file order.

#include <QAbstractItemModel>
#include <memory>
#include <optional>
#include <vector>

#include "core/text/document.h"

namespace aliascope {

class UnitModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Columns { Label, Number, Nodes, Form, Line, Notes, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;
    void setContents(std::shared_ptr<const Document> document);
    /// Index into document.units; nothing for a heading.
    std::optional<std::size_t> unitAt(const QModelIndex& index) const;
    /// The graph with most nodes, which is the likeliest wish, of the compilation that stands first; invalid when there is none.
    QModelIndex largest() const;
    int graphs() const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Item {
        int parent = -1, row = 0;
        QString heading;                  ///< of a group
        std::optional<std::size_t> unit;  ///< of a graph
        std::vector<int> children;
    };
    int add(int parent, QString heading, std::optional<std::size_t> unit);
    int childNamed(int parent, const QString& heading);
    const Item& itemOf(const QModelIndex& index) const;
    const std::vector<int>& childrenOf(const QModelIndex& parent) const;
    QVariant unitData(const Unit& unit, int column) const;
    QModelIndex indexOf(int item) const;
    qint64 graphsBelow(const Item& item) const;

    std::shared_ptr<const Document> document_;
    std::vector<Item> items_;
    std::vector<int> roots_;
};

}  // namespace aliascope
