#pragma once
// Why there is a copy, or why there is none: verdict, sentence, what is in the way, checks, bytes, what would change it (ui.md 2.6). The order
// of its parts never changes.

#include <QScrollArea>
#include <optional>

#include "views/session/session.h"

class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace aliascope {

class FactGrid;
class VerdictLabel;

class WhyCard : public QScrollArea {
    Q_OBJECT

public:
    explicit WhyCard(Session& session, QWidget* parent = nullptr);
    const std::optional<DecisionRow>& decision() const { return card_; }
    /// Selects the node in the way; false when there is none.
    bool showBlocker();
    QString markdown() const;
    QString command() const;

private:
    void build();
    void follow(const Selection& selection);
    void showAt(std::size_t number);
    void fill();
    void fillChecks();
    void fillNothing(const QString& sentence);

    Session& session_;
    std::vector<std::int64_t> ids_;  ///< decisions about the selection
    std::size_t number_ = 0;
    std::optional<DecisionRow> card_;

    VerdictLabel* verdict_ = nullptr;
    QLabel* headline_ = nullptr;
    QLabel* sentence_ = nullptr;
    QLabel* counter_ = nullptr;
    QToolButton *previous_ = nullptr, *next_ = nullptr;
    FactGrid* facts_ = nullptr;
    QWidget* details_ = nullptr;
    QLabel* checksHeading_ = nullptr;
    QVBoxLayout* checks_ = nullptr;
    QLabel *adviceHeading_ = nullptr, *advice_ = nullptr;
    QPushButton *blocker_ = nullptr, *copyCommand_ = nullptr, *copyMarkdown_ = nullptr;
};

}  // namespace aliascope
