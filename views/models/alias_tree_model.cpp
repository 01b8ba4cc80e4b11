#include "views/models/alias_tree_model.h"

#include <algorithm>

#include "views/models/format.h"

namespace aliascope {

QString placeText(const AliasMember& member) {
    if (!member.region) return member.bytes ? QObject::tr("place not known") : QObject::tr("symbolic");
    return QStringLiteral("%1 \u2013 %2").arg(grouped(member.region->begin()), grouped(member.region->end()));
}

void AliasTreeModel::setContents(StageViewPtr view) {
    beginResetModel();
    entries_.clear();
    if (view) {
        entries_.reserve(view->storages->size());
        for (const StorageRow& row : *view->storages) entries_.push_back({row, view->members(row.id).size(), nullptr, false});
        std::erase_if(entries_, [](const Entry& e) { return e.members == 0; });
        std::stable_sort(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.row.bytes.value_or(-1) > b.row.bytes.value_or(-1); });
    }
    endResetModel();
}

void AliasTreeModel::setMembers(const AliasRowsPtr& rows) {
    if (!rows) return;
    const QModelIndex parent = indexOfStorage(rows->storage);
    if (!parent.isValid()) return;
    Entry& entry = entries_[std::size_t(parent.row())];
    if (entry.rows || rows->members.empty()) return;
    beginInsertRows(parent, 0, int(rows->members.size()) - 1);
    entry.rows = rows;
    entry.asked = true;
    endInsertRows();
}

QModelIndex AliasTreeModel::indexOfStorage(int storage) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].row.id == storage) return index(int(i), Name);
    return {};
}

QModelIndex AliasTreeModel::indexOfMember(int storage, Uid uid) const {
    const QModelIndex parent = indexOfStorage(storage);
    if (!parent.isValid()) return {};
    const AliasRowsPtr& rows = entries_[std::size_t(parent.row())].rows;
    if (!rows) return {};
    for (std::size_t i = 0; i < rows->members.size(); ++i)
        if (rows->members[i].uid == uid) return index(int(i), Name, parent);
    return {};
}

const AliasRowsPtr& AliasTreeModel::rowsOf(int storage) const {
    static const AliasRowsPtr none;
    const QModelIndex at = indexOfStorage(storage);
    return at.isValid() ? entries_[std::size_t(at.row())].rows : none;
}

QModelIndex AliasTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex AliasTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(int(child.internalId() - 1), Name, quintptr(0));
}

int AliasTreeModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(entries_.size());
    if (parent.internalId() != 0 || parent.column() != Name) return 0;
    const AliasRowsPtr& rows = entries_[std::size_t(parent.row())].rows;
    return rows ? int(rows->members.size()) : 0;
}

int AliasTreeModel::columnCount(const QModelIndex& parent) const { return parent.isValid() && parent.internalId() != 0 ? 0 : int(ColumnCount); }

bool AliasTreeModel::hasChildren(const QModelIndex& parent) const {
    if (!parent.isValid()) return !entries_.empty();
    if (parent.internalId() != 0 || parent.column() != Name) return false;
    return entries_[std::size_t(parent.row())].members > 0;  // also while they are being read
}

bool AliasTreeModel::canFetchMore(const QModelIndex& parent) const {
    return parent.isValid() && parent.internalId() == 0 && parent.column() == Name && !entries_[std::size_t(parent.row())].asked;
}

void AliasTreeModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) return;
    entries_[std::size_t(parent.row())].asked = true;
    emit membersWanted(entries_[std::size_t(parent.row())].row.id);
}

QVariant AliasTreeModel::storageData(const Entry& entry, int column, int role) const {
    const StorageRow& row = entry.row;
    switch (role) {
        case UidRole:
            return qulonglong(row.base);
        case StorageRole:
            return row.id;
        case Qt::AccessibleTextRole:
            return tr("storage %1, base %2, %3, %4 values").arg(row.id).arg(qstr(row.baseName), bytesText(row.bytes)).arg(entry.members);
        case Qt::ToolTipRole:
            return row.bytes               ? QVariant(exactBytes(*row.bytes))
                   : row.bytesExpr.empty() ? QVariant()
                                           : QVariant(qstr(row.bytesExpr) + QStringLiteral(" B"));
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (column) {
        case Name:
            return QStringLiteral("S%1  %2").arg(row.id).arg(percentName(row.baseName));
        case Operator:
            return row.opaque ? tr("opaque: taken as overlapping") : qstr(row.role);
        case Place:
            return entry.members == 1 ? QString() : tr("%1 values").arg(entry.members);
        case Bytes:
            return row.bytes ? bytesText(*row.bytes) : row.bytesExpr.empty() ? QString() : qstr(row.bytesExpr) + QStringLiteral(" B");
        default:
            return {};
    }
}

QVariant AliasTreeModel::memberData(const AliasMember& member, int storage, int column, int role) const {
    const char* word = member.kind == AliasMember::Kind::Base ? "base" : member.kind == AliasMember::Kind::Write ? "write" : "view";
    switch (role) {
        case UidRole:
            return qulonglong(member.uid);
        case StorageRole:
            return storage;
        case KindRole:
            return int(member.kind);
        case Qt::AccessibleTextRole:
            return column == Name
                       ? QVariant(QStringLiteral("%1 %2, %3, %4").arg(QLatin1String(word), qstr(member.name), qstr(member.op), placeText(member)))
                       : QVariant();
        case Qt::ToolTipRole:
            if (member.kind == AliasMember::Kind::Write)
                return tr("%1 writes %2 (%3)").arg(percentName(member.name), percentName(member.target), qstr(member.argument));
            return QStringLiteral("%1  %2  %3").arg(percentName(member.name), qstr(member.op), qstr(member.type));
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (column) {
        case Name:
            return QStringLiteral("%1  %2").arg(QLatin1String(word), percentName(member.name));
        case Operator:
            return member.kind == AliasMember::Kind::Write ? tr("%1 \u2192 %2").arg(qstr(member.op), percentName(member.target)) : qstr(member.op);
        case Place:
            return placeText(member);
        case Bytes:
            return member.bytes ? bytesText(*member.bytes) : QString();
        default:
            return {};
    }
}

QVariant AliasTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Bytes || index.column() == Place ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (index.internalId() == 0) return storageData(entries_[std::size_t(index.row())], index.column(), role);
    const Entry& entry = entries_[std::size_t(index.internalId() - 1)];
    return memberData(entry.rows->members[std::size_t(index.row())], entry.row.id, index.column(), role);
}

QVariant AliasTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Bytes || section == Place ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Storage");
        case Operator:
            return tr("Operator");
        case Place:
            return tr("Bytes from \u2013 to");
        case Bytes:
            return tr("Size");
        default:
            return {};
    }
}

}  // namespace aliascope
