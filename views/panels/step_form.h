#pragma once
// The form of one step of the pipeline, in the timeline itself: on or off, its place, and its options (ui.md 2.2: no window of its own).

#include <QWidget>

#include "views/session/pipeline_draft.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace aliascope {

class StepForm : public QWidget {
    Q_OBJECT

public:
    explicit StepForm(PipelineDraft& draft, QWidget* parent = nullptr);
    /// Shows the step; -1 = the stage of the graph as it was opened, which has no options.
    void setStep(int step);
    int step() const { return step_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void stepMoved(int to);
    void runWanted();

private:
    void fill();
    void clearOptions();
    void showOptions(const PipelineStep& step);
    void addOption(const PassOption& option, const std::string& value);

    PipelineDraft& draft_;
    int step_ = -1;
    QLabel *title_ = nullptr, *state_ = nullptr;
    QCheckBox* enabled_ = nullptr;
    QToolButton *up_ = nullptr, *down_ = nullptr, *copy_ = nullptr;
    QWidget* options_ = nullptr;
    QFormLayout* form_ = nullptr;
    QPushButton* run_ = nullptr;
    const Pass* shown_ = nullptr;  ///< whose options have fields
    int shownStep_ = -1;
    bool filling_ = false;
};

}  // namespace aliascope
