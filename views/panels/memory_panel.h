#pragma once
// Memory of the current stage over its program: predicted as soon as a graph is open, measured after a run; curves of other stages over it; what is
// live at the cursor and who holds the peak (ui.md 2.8).

#include <QWidget>
#include <map>
#include <set>
#include <vector>

#include "views/canvas/memory_chart.h"
#include "views/session/lane_pair.h"
#include "views/session/session.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QMenu;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace aliascope {

class BlockModel;
class HolderModel;

class MemoryPanel : public QWidget {
    Q_OBJECT

public:
    explicit MemoryPanel(Session& session, QWidget* parent = nullptr);

    MemoryChart* chart() const { return chart_; }
    /// M: the cursor goes to the peak, at once or as soon as the curve is there.
    void goToPeak();
    /// Moves the cursor; false when there is nothing further that way.
    bool step(int direction, bool bigOnly) { return chart_->step(direction, bigOnly); }
    /// Shows a recorded run of a stage, to which the session steps.
    void showRun(int stage, std::int64_t run);
    /// While two pipelines are compared the curve of the other one's stage lies over this one's; null = nothing beside it.
    void setBeside(SecondStagePtr second, const QString& laneName);
    /// The command line that prints this.
    QString command() const;
    static constexpr std::size_t kMostOverlaid = 6;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Key {
        std::int64_t lane = 0;
        int stage = 0;
        std::int64_t run = 0;  ///< 0 = predicted
        auto operator<=>(const Key&) const = default;
    };
    struct Loaded {
        std::vector<MemoryRunRow> runs;  ///< of the current stage
        std::map<Key, MemoryProfilePtr> profiles;
        std::vector<std::pair<Key, std::shared_ptr<const std::vector<double>>>> curves;  ///< the reference first
        std::optional<ErrorReport> error;
        bool cancelled = false;
    };
    struct Question;

    void build();
    QWidget* buildHead();
    QWidget* buildTables();
    void reset();
    void refresh();
    void adopt(Loaded loaded);
    void showRuns(const std::vector<MemoryRunRow>& runs, std::int64_t shown);
    void showStageMenu();
    void showCurves(const Loaded& loaded);
    void showCaption();
    QString besideText() const;
    void showTables();
    void showCursor();
    void nothing(const QString& sentence);
    void follow(const Selection& selection, Origin origin);
    void selectNode(Uid uid);
    void selectBlock(std::size_t block);
    void arrangeForShape();
    MemoryProfilePtr profile() const { return chart_->curves().empty() ? nullptr : chart_->curves().front().profile; }
    memory::Accounting accounting() const;
    HolderKey holderKey() const;

    Session& session_;
    BlockModel* blocks_;
    HolderModel* holders_;
    QSortFilterProxyModel* blockProxy_;
    MemoryChart* chart_ = nullptr;
    QComboBox *source_ = nullptr, *accounting_ = nullptr, *by_ = nullptr;
    QToolButton* overlay_ = nullptr;
    QMenu* overlayMenu_ = nullptr;
    QBoxLayout* head_ = nullptr;
    QLabel *caption_ = nullptr, *cursor_ = nullptr, *empty_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QTableView *blockTable_ = nullptr, *holderTable_ = nullptr;

    std::shared_ptr<Recording> recording_;  ///< that the profiles below are of
    std::int64_t lane_ = 0;
    std::map<Key, MemoryProfilePtr> profiles_;
    std::set<int> overlaid_;
    SecondStagePtr beside_;
    StageViewPtr besideOf_;  ///< the stage of this lane that beside_ is matched with
    QString besideName_;
    std::int64_t run_ = 0;  ///< wanted source; 0 = predicted. A stage without that run shows its newest one, else the prediction
    bool dirty_ = true, following_ = false, pendingPeak_ = false;
};

}  // namespace aliascope
