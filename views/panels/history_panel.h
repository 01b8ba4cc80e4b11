#pragma once
// The selected node through the stages, as a table (ui.md 2.7).

#include <QWidget>

#include "views/models/history_model.h"
#include "views/session/session.h"

class QLabel;
class QTableView;

namespace aliascope {

class HistoryPanel : public QWidget {
    Q_OBJECT

public:
    explicit HistoryPanel(Session& session, QWidget* parent = nullptr);
    /// First or last stage that touched the selection; false when none did.
    bool goToTouch(bool first);
    QString command() const;

private:
    void follow(const Selection& selection);

    Session& session_;
    HistoryModel* model_;
    QLabel* head_;
    QTableView* table_;
};

}  // namespace aliascope
