#pragma once
// What happened to a node, stage by stage (ui.md 2.7).

#include <QAbstractTableModel>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

class HistoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Stage, State, Rule, Others, ColumnCount };
    enum Roles { StageRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setContents(std::vector<HistoryRow> rows);
    const HistoryRow* at(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<HistoryRow> rows_;
};

}  // namespace aliascope
