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
class QTreeView;

namespace aliascope {

class PassesPanel : public QWidget {
    Q_OBJECT

public:
    explicit PassesPanel(Session& session, QWidget* parent = nullptr);
    void focusFilter();
    /// Runs the pipeline that is chosen below the list.
    void run();
    QSize sizeHint() const override;

private:
    void build();
    void fillLanes();
    void showRecording();
    void showStage(int idx);
    void showTouched(const Selection& selection);
    void chosen(const QModelIndex& index);

    Session& session_;
    PassListModel* model_;
    PassFilterProxy* proxy_;
    QComboBox* lanes_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QCheckBox* changedOnly_ = nullptr;
    QTreeView* list_ = nullptr;
    QComboBox* pipelines_ = nullptr;
    QPushButton* run_ = nullptr;
    bool following_ = false;  ///< the list follows the session; what it says then is no choice of the user
};

}  // namespace aliascope
