#pragma once
// Where the pinned nodes are in this stage: `here: %x`, or what came of them (ui.md 2.3).

#include <QWidget>

#include "views/session/session.h"

class QLabel;

namespace aliascope {

class TrailBanner : public QWidget {
    Q_OBJECT

public:
    explicit TrailBanner(Session& session, QWidget* parent = nullptr);
    /// What it says, as rich text; empty while nothing is pinned.
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void update();

    Session& session_;
    QLabel* label_ = nullptr;
};

}  // namespace aliascope
