#pragma once
// Nodes of the stage as a table with a filter.

#include <QWidget>
#include <vector>

#include "views/models/node_table_model.h"
#include "views/models/row_filter.h"
#include "views/session/session.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace aliascope {

/// Rows that a find text keeps; all of them while there is none.
class NodeFilterProxy : public RowFilterProxy {
    Q_OBJECT

public:
    using RowFilterProxy::RowFilterProxy;
    /// By row of the stage; empty = everything.
    void setKept(std::vector<bool> kept);

protected:
    bool keeps(int row) const override;

private:
    std::vector<bool> kept_;
};

class NodesPanel : public QWidget {
    Q_OBJECT

public:
    explicit NodesPanel(Session& session, QWidget* parent = nullptr);
    void focusFilter();
    /// The command line that prints these rows.
    QString command() const;

private:
    void follow(const Selection& selection, Origin origin);
    void showStage();
    void updateCount();
    void search();

    Session& session_;
    NodeTableModel* model_;
    NodeFilterProxy* proxy_;
    QTableView* table_;
    QLineEdit* filter_;
    QLabel* count_;
    bool following_ = false;
};

}  // namespace aliascope
