#pragma once
// Did a pass change the numbers, and where first: the values of the stages side by side, the place where the difference begins, and what is known of
// one value (ui.md 2.9).

#include <QWidget>

#include "views/models/numerics_model.h"
#include "views/session/session.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace aliascope {

class FactGrid;

class NumericsPanel : public QWidget {
    Q_OBJECT

public:
    explicit NumericsPanel(Session& session, QWidget* parent = nullptr);

    NumericsModel* model() const { return model_; }
    /// Goes to the stage and node where the difference begins; false when no stage differs.
    bool goToFirstDivergence();
    /// The table gets the focus, or the button that would fill it.
    void focusFirst();
    QString command() const;

signals:
    void runAllWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    QWidget* buildHead();
    QWidget* buildStrip();
    QWidget* buildDetail();
    void refresh();
    void adopt(std::shared_ptr<const ValueMatrix> matrix);
    QWidget* buildProbes();
    void startBisect(bool rewrites);
    void showBisecting(bool running);
    void bisected(const BisectReport& report);
    void showStrip();
    void showDetail();
    void askDigests(const ComparisonRow& column, const ComparedRow& value);
    void showCount();
    void nothing();
    void follow(const Selection& selection, Origin origin);
    void jumpTo(const QModelIndex& cell);

    Session& session_;
    NumericsModel* model_;
    NumericsFilterProxy* proxy_;
    QStackedWidget* pages_ = nullptr;
    QLabel *reference_ = nullptr, *verdict_ = nullptr, *empty_ = nullptr, *count_ = nullptr, *detailHead_ = nullptr;
    QPushButton *goToFirst_ = nullptr, *goToCell_ = nullptr, *bisectPasses_ = nullptr, *bisectRewrites_ = nullptr, *cancelBisect_ = nullptr;
    QListWidget* probes_ = nullptr;
    QLabel* found_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QCheckBox* differences_ = nullptr;
    QTableView* table_ = nullptr;
    FactGrid* facts_ = nullptr;
    QWidget *strip_ = nullptr, *probeBox_ = nullptr;
    bool dirty_ = true, following_ = false;
    Uid pendingNode_ = kNoUid;  ///< to be selected once its stage is shown
};

}  // namespace aliascope
