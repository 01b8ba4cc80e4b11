#pragma once
// Find in all stages: hits grouped by stage; Enter goes to the stage with the node selected (ui.md 2.3, Ctrl+Shift+F).

#include <QWidget>

#include "views/session/find_all.h"
#include "views/session/session.h"

class QLabel;
class QLineEdit;
class QTreeView;

namespace aliascope {

class FindModel;

class FindAllPanel : public QWidget {
    Q_OBJECT

public:
    explicit FindAllPanel(Session& session, QWidget* parent = nullptr);
    /// The field gets the focus, and `text` where it is empty.
    void open(const QString& text);
    FindModel* model() const { return model_; }
    /// How much was found, or what is wrong with the text.
    QString said() const;
    /// The command line that lists the hits of the chosen stage.
    QString command() const;

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void seek();
    void adopt(const std::shared_ptr<const std::vector<StageHits>>& hits);
    void goTo(const QModelIndex& index);

    Session& session_;
    FindModel* model_;
    QLineEdit* field_ = nullptr;
    QLabel* count_ = nullptr;
    QTreeView* tree_ = nullptr;
    LaneStagesPtr stages_;  ///< of the lane that was searched last
    QString mistake_;
    bool dirty_ = false;
};

}  // namespace aliascope
