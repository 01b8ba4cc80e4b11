#include "views/models/chunk_model.h"

#include <algorithm>

#include "views/models/format.h"

namespace aliascope {

void ChunkModel::setContents(std::vector<ChunkRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

int ChunkModel::rowOf(Uid uid) const {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const ChunkRow& r) { return r.uid == uid; });
    return at == rows_.end() ? -1 : int(at - rows_.begin());
}

int ChunkModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int ChunkModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant ChunkModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ChunkRow& row = rows_[std::size_t(index.row())];
    if (role == UidRole) return qulonglong(row.uid);
    if (role == Qt::TextAlignmentRole) return int((index.column() == Dim ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    switch (index.column()) {
        case Node:
            return percentName(row.node);
        case Operator:
            return qstr(row.op);
        case Class:
            return qstr(row.role);
        case Dim:
            return row.dim ? QString::number(*row.dim) : tr("whole");
        case Sum:
            return row.sum ? tr("yes") : tr("no");
        case Scale:
            return row.scale.empty() ? QStringLiteral("-") : percentName(row.scale);
        default:
            return {};
    }
}

QVariant ChunkModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Dim ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Node:
            return tr("Node");
        case Operator:
            return tr("Operator");
        case Class:
            return tr("Class");
        case Dim:
            return tr("Chunk dim");
        case Sum:
            return tr("Need sum");
        case Scale:
            return tr("Scale by");
        default:
            return {};
    }
}

}  // namespace aliascope
