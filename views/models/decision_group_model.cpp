#include "views/models/decision_group_model.h"

#include <algorithm>
#include <map>

namespace aliascope {
namespace {

QString keyOf(DecisionGrouping grouping, const DecisionRow& d) {
    switch (grouping) {
        case DecisionGrouping::Operator:
            return qstr(d.op).replace(QLatin1String("::"), QLatin1String("."));
        case DecisionGrouping::Reason:
            return reasonText(d.code);
        case DecisionGrouping::Verdict:
            return verdictWord(verdictKind(d));
        case DecisionGrouping::Argument:
            return d.argument.empty() ? QObject::tr("(no argument)") : qstr(d.argument);
        case DecisionGrouping::Stage:
            return QStringLiteral("%1 %2").arg(d.stage).arg(qstr(d.stageName));
        case DecisionGrouping::None:
            break;
    }
    return {};
}

}  // namespace

QString groupingText(DecisionGrouping grouping) {
    switch (grouping) {
        case DecisionGrouping::None:
            return QObject::tr("no groups");
        case DecisionGrouping::Operator:
            return QObject::tr("by operator");
        case DecisionGrouping::Reason:
            return QObject::tr("by reason");
        case DecisionGrouping::Verdict:
            return QObject::tr("by verdict");
        case DecisionGrouping::Argument:
            return QObject::tr("by argument");
        case DecisionGrouping::Stage:
            return QObject::tr("by stage");
    }
    return {};
}

DecisionGroupModel::DecisionGroupModel(const DecisionModel& rows, QObject* parent) : QAbstractItemModel(parent), rows_(rows) {}

void DecisionGroupModel::setContents(DecisionGrouping grouping, const std::vector<int>& shown) {
    beginResetModel();
    groups_.clear();
    std::map<QString, std::size_t> places;
    for (const int row : shown) {
        const DecisionRow* d = grouping == DecisionGrouping::None ? nullptr : rows_.at(row);
        if (!d) continue;
        const QString key = keyOf(grouping, *d);
        const auto [at, fresh] = places.try_emplace(key, groups_.size());
        if (fresh) groups_.push_back({key, {}, 0, 0, 0});
        Group& group = groups_[at->second];
        group.rows.push_back(row);
        if (d->verdict != "clone") continue;  // notes of other passes repeat the bytes of the verdict
        ++group.copies;
        group.reported += d->reportedBytes.value_or(0);
        group.cloned += d->clonedBytes.value_or(0);
    }
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.cloned > b.cloned; });
    endResetModel();
}

const DecisionRow* DecisionGroupModel::decisionAt(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return nullptr;
    return rows_.at(groups_[std::size_t(index.internalId() - 1)].rows[std::size_t(index.row())]);
}

QModelIndex DecisionGroupModel::indexOf(std::int64_t decision) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t i = 0; i < groups_[g].rows.size(); ++i)
            if (const DecisionRow* d = rows_.at(groups_[g].rows[i]); d && d->id == decision) return createIndex(int(i), 0, quintptr(g) + 1);
    return {};
}

QModelIndex DecisionGroupModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex DecisionGroupModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(int(child.internalId() - 1), 0, quintptr(0));
}

int DecisionGroupModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(groups_.size());
    return parent.internalId() == 0 && parent.column() == 0 ? int(groups_[std::size_t(parent.row())].rows.size()) : 0;
}

int DecisionGroupModel::columnCount(const QModelIndex&) const { return DecisionModel::ColumnCount; }

QVariant DecisionGroupModel::groupData(const Group& group, int column, int role) const {
    if (role == Qt::TextAlignmentRole)
        return int((column == DecisionModel::Reported || column == DecisionModel::Cloned ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        if (column == DecisionModel::Reported) return exactBytes(group.reported);
        if (column == DecisionModel::Cloned) return exactBytes(group.cloned);
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    switch (column) {
        case DecisionModel::Verdict:
            return QStringLiteral("%1  (%2)").arg(group.key).arg(group.rows.size());
        case DecisionModel::What:
            return group.copies > 0 ? counted(group.copies, tr("copy"), tr("copies")) : QString();
        case DecisionModel::Reported:
            return bytesText(group.reported);
        case DecisionModel::Cloned:
            return bytesText(group.cloned);
        default:
            return {};
    }
}

QVariant DecisionGroupModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (index.internalId() == 0) return groupData(groups_[std::size_t(index.row())], index.column(), role);
    const int row = groups_[std::size_t(index.internalId() - 1)].rows[std::size_t(index.row())];
    const QVariant value = rows_.data(rows_.index(row, index.column()), role);
    if (role == Qt::DisplayRole && index.column() == DecisionModel::Verdict)
        if (const DecisionRow* d = rows_.at(row)) return verdictGlyph(verdictKind(*d)) + QLatin1Char(' ') + value.toString();
    return value;
}

QVariant DecisionGroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return rows_.headerData(section, orientation, role);
}

}  // namespace aliascope
