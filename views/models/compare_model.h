#pragma once
// Lanes of one graph, a row each: what is left at their ends (ui.md 2.14).

#include <QAbstractTableModel>

#include "views/session/lane_pair.h"

namespace aliascope {

class CompareModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Lane, Stages, Nodes, Clones, Cloned, CopiedBack, SelfCopies, Findings, Peak, ColumnCount };
    enum Roles { LaneRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setContents(std::vector<LaneFigures> rows);
    const std::vector<LaneFigures>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<LaneFigures> rows_;
};

}  // namespace aliascope
