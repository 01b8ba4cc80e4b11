#pragma once
// What if the copy were left out? The button of the Why card that writes in place by force, runs both graphs and says what goes wrong (`aliascope why
// --force`). Runs as a job; the answer is dropped when another decision is shown meanwhile.

#include <QWidget>
#include <optional>

#include "views/session/session.h"

class QLabel;
class QPushButton;

namespace aliascope {

class ForceLine : public QWidget {
    Q_OBJECT

public:
    explicit ForceLine(Session& session, QWidget* parent = nullptr);
    /// Shown for copies only.
    void setDecision(const std::optional<DecisionRow>& decision);
    /// Writes in place by force; does nothing while that runs.
    void force();
    QString answer() const;

private:
    void show(std::int64_t decision, const QString& text);

    Session& session_;
    std::optional<DecisionRow> decision_;
    bool running_ = false;
    QPushButton* button_ = nullptr;
    QLabel* answer_ = nullptr;
};

}  // namespace aliascope
