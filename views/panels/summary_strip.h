#pragma once
// One line under the tool bar: what this lane came to (ui.md 2.1).

#include <QWidget>

#include "views/session/session.h"

class QLabel;

namespace aliascope {

class SummaryStrip : public QWidget {
    Q_OBJECT

public:
    explicit SummaryStrip(Session& session, QWidget* parent = nullptr);
    QString text() const;

signals:
    void decisionsWanted(const QString& query);

private:
    void show();

    Session& session_;
    QLabel* label_;
};

}  // namespace aliascope
