#pragma once
// Who holds the peak: its storages grouped by module, operator, source line, storage, node or dtype, largest groups first (ui.md 2.8).

#include <QAbstractTableModel>
#include <vector>

#include "views/session/memory_profile.h"

namespace aliascope {

class HolderModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Group, Size, Share, Blocks, ColumnCount };
    enum Roles { UidRole = Qt::UserRole };  ///< of the node that made the largest block of the group

    explicit HolderModel(QObject* parent = nullptr);
    void setContents(MemoryProfilePtr profile, HolderKey key, memory::Accounting accounting);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString group;
        std::int64_t bytes = 0, largest = 0, blocks = 0;
        Uid uid = kNoUid;
    };
    std::vector<Row> rows_;
    std::int64_t total_ = 0;
};

}  // namespace aliascope
