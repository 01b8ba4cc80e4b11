#include "views/models/history_model.h"

#include "views/models/format.h"

namespace aliascope {
namespace {

QString names(const std::vector<std::string>& others) {
    QStringList out;
    for (const std::string& name : others) out << percentName(name);
    return out.join(QStringLiteral(", "));
}

}  // namespace

void HistoryModel::setContents(std::vector<HistoryRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

const HistoryRow* HistoryModel::at(int row) const { return row >= 0 && row < int(rows_.size()) ? &rows_[std::size_t(row)] : nullptr; }

int HistoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int HistoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const HistoryRow& row = rows_[std::size_t(index.row())];
    if (role == StageRole) return row.stage;
    if (role == Qt::ToolTipRole && index.column() == Others) return names(row.others);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Stage:
            return QStringLiteral("%1 %2").arg(row.stage).arg(qstr(row.stageName));
        case State:
            return qstr(row.state);
        case Rule:
            return qstr(row.rule);
        case Others:
            return names(row.others);
        default:
            return {};
    }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Stage:
            return tr("Stage");
        case State:
            return tr("State");
        case Rule:
            return tr("Rule");
        case Others:
            return tr("With");
        default:
            return {};
    }
}

}  // namespace aliascope
