#pragma once
// The storages that have a colour of their own: one button each, which selects the storage; gone while there are none (ui.md 2.3).

#include <QWidget>
#include <vector>

#include "views/session/session.h"

class QHBoxLayout;
class QToolButton;

namespace aliascope {

class PinBar : public QWidget {
    Q_OBJECT

public:
    explicit PinBar(Session& session, QWidget* parent = nullptr);
    /// What the buttons say, for tests.
    QStringList said() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void show(int slot);

    Session& session_;
    QHBoxLayout* row_ = nullptr;
    std::vector<QToolButton*> buttons_;
    QToolButton* clear_ = nullptr;
};

}  // namespace aliascope
