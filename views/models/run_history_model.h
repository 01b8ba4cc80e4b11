#pragma once
// Runs of a lane and what was said about them: errors and findings are rows below their run (ui.md 2.12).

#include <QAbstractTableModel>
#include <vector>

#include "views/session/run_job.h"

namespace aliascope {

class RunHistoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Run, Stage, Device, Inputs, State, Verdict, Peak, Time, Message, ColumnCount };
    enum Roles { RunRole = Qt::UserRole, StageRole, UidRole, MessageRole };  ///< MessageRole: the row is a message, not a run

    explicit RunHistoryModel(QObject* parent = nullptr);
    void setContents(std::vector<RunHistoryRow> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const RunHistoryRow& row, int column) const;
    std::vector<RunHistoryRow> rows_;
};

}  // namespace aliascope
