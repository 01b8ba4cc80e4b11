#include "views/models/compare_model.h"

#include "views/models/format.h"

namespace aliascope {

void CompareModel::setContents(std::vector<LaneFigures> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int CompareModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const LaneFigures& row = rows_[std::size_t(index.row())];
    const StageRow& last = row.totals.last;
    if (role == LaneRole) return qlonglong(row.totals.lane.id);
    if (role == Qt::TextAlignmentRole) return int((index.column() == Lane ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        if (index.column() == Cloned && last.clonedBytes) return exactBytes(*last.clonedBytes);
        if (index.column() == CopiedBack && last.copiedBackBytes) return exactBytes(*last.copiedBackBytes);
        if (index.column() == Peak && row.peak) return tr("%1, predicted from shapes and program order").arg(exactBytes(*row.peak));
        return {};
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    switch (index.column()) {
        case Lane:
            return (index.row() == 0 ? tr("A  ") : index.row() == 1 ? tr("B  ") : QString()) + qstr(row.totals.lane.name);
        case Stages:
            return row.totals.lane.stages;
        case Nodes:
            return grouped(last.nodes);
        case Clones:
            return grouped(last.clones);
        case Cloned:
            return bytesText(last.clonedBytes);
        case CopiedBack:
            return bytesText(last.copiedBackBytes);
        case SelfCopies:
            return grouped(last.selfCopies);
        case Findings:
            return grouped(row.totals.findings);
        case Peak:
            return bytesText(row.peak);
        default:
            return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Lane ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Lane:
            return tr("Pipeline");
        case Stages:
            return tr("Stages");
        case Nodes:
            return tr("Nodes");
        case Clones:
            return tr("Clones");
        case Cloned:
            return tr("Cloned");
        case CopiedBack:
            return tr("Copied back");
        case SelfCopies:
            return tr("Self-copies");
        case Findings:
            return tr("Findings");
        case Peak:
            return tr("Peak (predicted)");
        default:
            return {};
    }
}

}  // namespace aliascope
