#pragma once
// How each node of a chunked region is cut, added up and scaled (ui.md 2.11).

#include <QAbstractTableModel>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

class ChunkModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Node, Operator, Class, Dim, Sum, Scale, ColumnCount };
    enum Roles { UidRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setContents(std::vector<ChunkRow> rows);
    /// Row of a node; -1 when it is not in the region.
    int rowOf(Uid uid) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<ChunkRow> rows_;
};

}  // namespace aliascope
