// Two pipelines side by side in the window: what stands beside what, and the room for it.

#include <QDockWidget>
#include <QStackedWidget>
#include <algorithm>

#include "app/gui/main_window.h"
#include "views/models/format.h"
#include "views/panels/compare_panel.h"
#include "views/panels/stage_panel.h"

namespace aliascope {

/// The other form of custom operators beside the current pipeline: recorded already, or run now.
void MainWindow::duplicateAndCompare() {
    const LaneRow* now = session_.lane();
    if (!now || compare_->active()) return;
    const QString wanted = ComparePanel::counterpartOf(qstr(now->name));
    for (auto lane = session_.data().lanes.rbegin(); lane != session_.data().lanes.rend(); ++lane) {
        if (lane->graph != now->graph || lane->id == now->id || !qstr(lane->name).startsWith(wanted)) continue;
        compare_->compareWith(lane->id);
        showCompare(true);
        return focusStage();
    }
    comparedFrom_ = now->id;
    session_.runPipeline(wanted);
}

/// The counterpart has run and is the current lane: the one it was made for comes back, and it stands beside.
void MainWindow::finishCompare() {
    if (comparedFrom_ == 0) return;
    const std::int64_t from = comparedFrom_, made = session_.data().lane;
    comparedFrom_ = 0;
    const auto& lanes = session_.data().lanes;
    const bool there = std::any_of(lanes.begin(), lanes.end(), [&](const LaneRow& lane) { return lane.id == from; });
    if (!there || made == from || !session_.isOpen()) return;
    compare_->begin(from, made);
    showCompare(true);
}

/// Two graphs need the width: in a window that is not wide the inspector makes room until comparing ends.
void MainWindow::showCompare(bool on) {
    constexpr int kWide = 1600;
    if (on == (middle_->currentWidget() == compare_)) return;
    middle_->setCurrentWidget(on ? static_cast<QWidget*>(compare_) : stage_);
    if (on) {
        inspectorMadeRoom_ = inspectorDock_->isVisible() && !narrow_ && width() < kWide;
        if (inspectorMadeRoom_) inspectorDock_->hide();
    } else if (inspectorMadeRoom_) {
        inspectorDock_->setVisible(session_.isOpen());
    }
}

}  // namespace aliascope
