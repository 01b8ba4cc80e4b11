#pragma once
// Two lanes of one graph side by side: A is the current lane that every other panel shows, B the one beside it (ui.md 2.14). Selection, stage and
// view are linked; what has no counterpart is said and counted.

#include <QWidget>
#include <utility>

#include "views/models/compare_model.h"
#include "views/session/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace aliascope {

class GraphCanvas;
class TextPane;

class ComparePanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparePanel(Session& session, QWidget* parent = nullptr);

    /// Shows `lane` beside the current one.
    void compareWith(std::int64_t lane);
    /// Makes `a` the current lane and shows `b` beside it.
    void begin(std::int64_t a, std::int64_t b);
    /// Selects the next node of A that B lacks.
    void goToUnmatched();
    void stop();
    bool active() const { return laneB_ != 0; }
    /// B becomes the lane of all panels, A the one beside it.
    void swap();
    /// `Differences: …` or that there are none.
    QString differences() const;
    QString laneNameB() const;
    QString command() const;
    GraphCanvas* canvasA() const { return canvasA_; }
    GraphCanvas* canvasB() const { return canvasB_; }
    const LanePairPtr& pair() const { return pair_; }
    const SecondStagePtr& second() const { return second_; }
    void setText(bool text);
    bool textShown() const;
    /// A pipeline that is worth standing beside that of the current lane: the other form of custom operators.
    static QString counterpartOf(const QString& pipeline);

signals:
    void stopped();
    void secondChanged();  ///< second() is another one
    void notice(const QString& sentence);

private:
    void build();
    QWidget* buildHead();
    QWidget* buildSide(bool first);
    void readPair();
    void adoptPair(LanePairPtr pair);
    void fillLanes();
    void fillStages();
    void showFirst();
    void readSecond();
    void showDifferences();
    void colourStorages();
    void readText();
    void follow(const Selection& selection);
    void choseInB(Uid uid);
    std::pair<Uid, Uid> linkedNodes(const GraphCanvas& from, bool fromA) const;
    void lockView(bool fromA);
    QString nameOf(const StageViewPtr& view, Uid uid) const;

    Session& session_;
    CompareModel* model_;
    std::int64_t laneB_ = 0;
    int stageB_ = 0;
    LanePairPtr pair_;
    SecondStagePtr second_;
    bool scrolling_ = false;

    QComboBox *laneABox_ = nullptr, *laneBBox_ = nullptr, *stageBBox_ = nullptr;
    QLabel *stageA_ = nullptr, *differences_ = nullptr, *strip_ = nullptr;
    QCheckBox *lockStages_ = nullptr, *lockView_ = nullptr;
    QToolButton* text_ = nullptr;
    QStackedWidget *sideA_ = nullptr, *sideB_ = nullptr;
    GraphCanvas *canvasA_ = nullptr, *canvasB_ = nullptr;
    TextPane *textA_ = nullptr, *textB_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace aliascope
