#pragma once
// Which of a file's graphs to open: a page in the window, not a dialog (ui.md 2.13).

#include <QWidget>

#include "views/models/unit_model.h"
#include "views/session/session.h"

class QLabel;
class QTableView;

namespace aliascope {

class ImportSheet : public QWidget {
    Q_OBJECT

public:
    explicit ImportSheet(Session& session, QWidget* parent = nullptr);
    /// Shows the document that the session holds; the largest graph is chosen.
    void showChoice();

signals:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void accept();

    Session& session_;
    UnitModel* model_;
    QLabel *title_, *note_;
    QTableView* table_;
};

}  // namespace aliascope
