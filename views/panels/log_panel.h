#pragma once
// What readers and passes said (ui.md 2.12, tab Log).

#include <QWidget>

#include "views/models/diagnostic_model.h"
#include "views/session/session.h"

class QLabel;
class QTableView;

namespace aliascope {

class LogPanel : public QWidget {
    Q_OBJECT

public:
    explicit LogPanel(Session& session, QWidget* parent = nullptr);
    int count() const { return model_->rowCount(); }

private:
    void show();

    Session& session_;
    DiagnosticModel* model_;
    QTableView* table_;
    QLabel* empty_;
};

}  // namespace aliascope
