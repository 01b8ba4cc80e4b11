#pragma once
// Why there is a copy, or why there is none: verdict, sentence, what is in the way, checks, bytes, what would change it (ui.md 2.6). The order
// of its parts never changes.

#include <QScrollArea>
#include <optional>

#include "views/session/evidence.h"
#include "views/session/session.h"

class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace aliascope {

class EvidencePicture;
class FactGrid;
class ForceLine;
class VerdictLabel;

class WhyCard : public QScrollArea {
    Q_OBJECT

public:
    explicit WhyCard(Session& session, QWidget* parent = nullptr);
    const std::optional<DecisionRow>& decision() const { return card_; }
    /// Selects the node in the way; false when there is none.
    bool showBlocker();
    /// Says what a line of PyTorch's log means and shows the decisions that it speaks of, the first one at once.
    void explain(const QString& line);
    /// The sentence about the pasted line; empty while none is shown.
    QString explanation() const;
    QString markdown() const;
    QString command() const;
    const EvidencePicture* picture() const { return picture_; }

signals:
    void byteMapWanted();
    void historyWanted();

private:
    void build();
    void follow(const Selection& selection);
    void showAt(std::size_t number);
    void fill();
    void fillChecks();
    void fillNothing(const QString& sentence);
    void fillCosts(const Evidence& evidence);
    QString nothingConsidered(Uid uid) const;

    Session& session_;
    std::vector<std::int64_t> ids_;  ///< decisions about the selection
    std::size_t number_ = 0;
    std::optional<DecisionRow> card_;

    QString line_;  ///< pasted, as long as its decisions are shown
    bool explaining_ = false;
    QLabel* explanation_ = nullptr;
    VerdictLabel* verdict_ = nullptr;
    QLabel* headline_ = nullptr;
    QLabel* sentence_ = nullptr;
    QLabel* counter_ = nullptr;
    QToolButton *previous_ = nullptr, *next_ = nullptr;
    EvidencePicture* picture_ = nullptr;
    FactGrid* facts_ = nullptr;
    QLabel* costs_ = nullptr;
    QWidget* details_ = nullptr;
    QLabel* checksHeading_ = nullptr;
    QVBoxLayout* checks_ = nullptr;
    QLabel *adviceHeading_ = nullptr, *advice_ = nullptr;
    ForceLine* force_ = nullptr;
    QPushButton *blocker_ = nullptr, *byteMap_ = nullptr, *history_ = nullptr, *copyCommand_ = nullptr, *copyMarkdown_ = nullptr;
};

}  // namespace aliascope
