#pragma once
// The current stage in the middle of the window: graph, text, or both side by side (ui.md 2.1, 2.3, 2.4).

#include <QWidget>

#include "views/canvas/graph_canvas.h"
#include "views/panels/text_pane.h"
#include "views/session/session.h"

class QButtonGroup;
class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;

namespace aliascope {

class ColourLegend;
class CounterpartStrip;
class DiffPane;
class FilterBar;
class FindBar;
class PinBar;

class StagePanel : public QWidget {
    Q_OBJECT

public:
    enum class Mode : std::uint8_t { Graph, Text, Both };

    explicit StagePanel(Session& session, QWidget* parent = nullptr);

    GraphCanvas* canvas() const { return canvas_; }
    TextPane* textPane() const { return text_; }
    Mode mode() const { return mode_; }
    void setMode(Mode mode);
    void setTextForm(TextForm form);
    TextForm textForm() const;
    /// Lines of the stage before, where it removed or rewrote them.
    void setRemovedLines(bool on);
    bool removedLines() const;
    /// The text of the stage before at the left, line against line.
    void setSideBySide(bool on);
    bool sideBySide() const;
    DiffPane* diffPane() const { return diff_; }
    void setFoldViews(bool on);
    /// Graphviz places small neighbourhoods; the built-in placement is shown until it has.
    void setGraphviz(bool on);
    bool graphviz() const { return graphviz_; }
    void cycleColour(int direction);
    FindBar* findBar() const { return find_; }
    FilterBar* filterBar() const { return filters_; }
    /// Around the selected node only; again: everything. False without a selection.
    bool toggleNeighbourhood();
    /// Wider or narrower neighbourhood, or surroundings of changes. False when neither is shown.
    bool widen(int by);
    bool hideSelected();
    void showHidden();
    /// Leaves the neighbourhood, else the search; false when there was neither.
    bool leave();
    void toggleAliasHighlight();
    void toggleMutationEdges();
    /// To the definition of the selected node, in whatever is shown.
    void goToDefinition();
    /// The first user or operand of the selection; asked again, the next one of the same node, round the end. Empty when there is none, else which
    /// of how many.
    QString goToUse(int direction);
    /// Next or previous changed line of the text; with the graph in focus the next or previous node in program order.
    bool goAlong(int direction);
    /// Next or previous copy of the stage (clone, copy), in program order.
    bool goToCopy(int direction);
    QString command() const;

signals:
    void modeChanged();
    void notice(const QString& sentence);
    void whyWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    QWidget* header();
    /// Words beside the icons of the header as far as there is room for them.
    void fitHeader();
    /// Those of the lane, and for each clone that a pass put in the one that left it.
    std::shared_ptr<const std::vector<DecisionRow>> decisionsOnCards() const;
    void follow(const Selection& selection, Origin origin);
    void extend(const std::vector<Uid>& uids);
    void showStage();
    void showZoom(double zoom);
    void askGraphviz();
    void setColour(ColourMode mode);
    void readHeat();
    void endFind();
    void showText();
    void nameStorage();
    void colourStorages();
    bool textShown() const { return mode_ != Mode::Graph; }
    /// Two texts are: the one that was opened has none before it.
    bool twoShown() const { return textShown() && sideBySide() && textForm() != TextForm::Original; }

    Session& session_;
    Mode mode_ = Mode::Graph;
    bool aliasHighlight_ = false, mutationEdges_ = false, graphviz_ = true;
    int graphvizJob_ = 0;
    QString graphvizSaid_;  ///< why it could not, once
    QToolButton *graphButton_ = nullptr, *textButton_ = nullptr, *bothButton_ = nullptr;
    QComboBox *form_ = nullptr, *colour_ = nullptr;
    QToolButton *removed_ = nullptr, *sides_ = nullptr;
    DiffPane* diff_ = nullptr;
    Uid usesOf_ = kNoUid, useShown_ = kNoUid;  ///< whose users are walked, and the one that is selected
    QToolButton *fold_ = nullptr, *zoomOut_ = nullptr, *zoomIn_ = nullptr;
    QLabel* zoom_ = nullptr;
    QWidget *head_ = nullptr, *graphTools_ = nullptr, *textTools_ = nullptr;
    QToolButton* filter_ = nullptr;
    CounterpartStrip* counterpart_ = nullptr;
    FilterBar* filters_ = nullptr;
    FindBar* find_ = nullptr;
    ColourLegend* legend_ = nullptr;
    std::optional<GraphCanvas::Place> placeBefore_;  ///< where the view was before a neighbourhood
    bool restorePlace_ = false;
    QSplitter* splitter_ = nullptr;
    QWidget* graphBox_ = nullptr;
    GraphCanvas* canvas_ = nullptr;
    TextPane* text_ = nullptr;
};

}  // namespace aliascope
