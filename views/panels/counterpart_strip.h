#pragma once
// Says why a view does not show the selection, and offers the way to it: never silently blank (ui.md 3.1).

#include <QWidget>

#include "views/session/session.h"

class QLabel;
class QPushButton;

namespace aliascope {

class CounterpartStrip : public QWidget {
    Q_OBJECT

public:
    explicit CounterpartStrip(Session& session, QWidget* parent = nullptr);
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void update();

    Session& session_;
    QLabel* label_;
    QPushButton* go_;
    int target_ = 0;
};

}  // namespace aliascope
