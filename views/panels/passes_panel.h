#pragma once
// The timeline of stages: the steering wheel of the window (ui.md 2.2).

#include <QWidget>

#include "views/models/pass_list_model.h"
#include "views/session/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace aliascope {

class StageTree;
class StepForm;

class PassesPanel : public QWidget {
    Q_OBJECT

public:
    explicit PassesPanel(Session& session, QWidget* parent = nullptr);
    void focusFilter();
    /// Shows or hides the form of the current step; the first time it takes the focus.
    void toggleForm();
    /// Edits of the step whose row is current; false when it is none.
    bool switchStep();
    bool moveStep(int by);
    /// Runs the pipeline that is chosen below the list.
    void run();
    /// The stages that are shown, on the command line.
    QString command() const;
    QSize sizeHint() const override;

private:
    void build();
    void fillLanes();
    void showRecording();
    void showStage(int idx);
    void showTouched(const Selection& selection);
    void chosen(const QModelIndex& index);
    void showDraft();
    void readFacts();
    void sayFilter();
    /// Step of the pipeline that a row stands for; -1 = none.
    int stepOf(const QModelIndex& index) const;
    void selectStep(int step);
    void showStep();
    void openMenu(const QPoint& at);

    Session& session_;
    PassListModel* model_;
    PassFilterProxy* proxy_;
    QComboBox *graphs_ = nullptr, *lanes_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QCheckBox* changedOnly_ = nullptr;
    StageTree* list_ = nullptr;
    QComboBox* pipelines_ = nullptr;
    QPushButton* run_ = nullptr;
    StepForm* form_ = nullptr;
    QLabel* mistake_ = nullptr;
    std::int64_t factsOf_ = 0;  ///< lane whose facts were asked for
    bool following_ = false;    ///< the list follows the session; what it says then is no choice of the user
};

}  // namespace aliascope
