#pragma once
// Nodes of the stage as a table with a filter.

#include <QWidget>

#include "views/models/node_table_model.h"
#include "views/session/session.h"

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace aliascope {

class NodesPanel : public QWidget {
    Q_OBJECT

public:
    explicit NodesPanel(Session& session, QWidget* parent = nullptr);
    void focusFilter();

private:
    void follow(const Selection& selection, Origin origin);
    void showStage();
    void updateCount();

    Session& session_;
    NodeTableModel* model_;
    QSortFilterProxyModel* proxy_;
    QTableView* table_;
    QLineEdit* filter_;
    QLabel* count_;
    bool following_ = false;
};

}  // namespace aliascope
