#pragma once
// Nodes of the current stage as a table; also the twin of the graph for those who do not see it (ui.md 7.3).

#include <QAbstractTableModel>

#include "views/session/stage_view.h"

namespace aliascope {

class NodeTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Mark, Name, Op, Type, Bytes, Storage, Users, Source, ColumnCount };
    enum Roles { UidRole = Qt::UserRole, SortRole, FilterRole };

    explicit NodeTableModel(QObject* parent = nullptr);
    void setContents(StageViewPtr view);
    const StageViewPtr& view() const { return view_; }
    QModelIndex indexOf(Uid uid) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    StageViewPtr view_;
};

}  // namespace aliascope
