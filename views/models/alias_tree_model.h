#pragma once
// Storages of a stage; below each the values that share it and the writes to it, in program order (ui.md 2.5).

#include <QAbstractItemModel>
#include <vector>

#include "views/session/alias_rows.h"

namespace aliascope {

class AliasTreeModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Columns { Name, Bytes, Place, Operator, ColumnCount };
    enum Roles { UidRole = Qt::UserRole, StorageRole, KindRole };

    using QAbstractItemModel::QAbstractItemModel;
    /// All storages of the stage, largest first; members come with setMembers.
    void setContents(StageViewPtr view);
    void setMembers(const AliasRowsPtr& rows);
    QModelIndex indexOfStorage(int storage) const;
    QModelIndex indexOfMember(int storage, Uid uid) const;
    const AliasRowsPtr& rowsOf(int storage) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void membersWanted(int storage);

private:
    struct Entry {
        StorageRow row;
        std::size_t members = 0;
        AliasRowsPtr rows;
        bool asked = false;
    };
    QVariant storageData(const Entry& entry, int column, int role) const;
    QVariant memberData(const AliasMember& member, int storage, int column, int role) const;

    std::vector<Entry> entries_;
};

/// `393,216 – 409,600`, or what is known of it.
QString placeText(const AliasMember& member);

}  // namespace aliascope
