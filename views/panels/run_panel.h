#pragma once
// Runs stages on a device: what with, what is recorded, how far it is, and what came of it, errors included (ui.md 2.12).

#include <QTimer>
#include <QWidget>

#include "views/session/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableView;

namespace aliascope {

class RunHistoryModel;

class RunPanel : public QWidget {
    Q_OBJECT

public:
    explicit RunPanel(Session& session, QWidget* parent = nullptr);

    /// F5: the stages that the form names. Ctrl+F5: all of them, compared with the first.
    void run();
    void runCurrent();
    void runAll();
    void cancel();
    void focusFirst();
    /// What the form says; `all` instead of its stages.
    RunRequest request(bool all) const;
    QString command() const;

signals:
    void memoryWanted(int stage, qlonglong run);
    void numericsWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    QWidget* buildButtons();
    QWidget* buildForm();
    QWidget* buildDevice(QWidget* form);
    QWidget* buildInputs(QWidget* form);
    QWidget* buildRecord(QWidget* form);
    QWidget* buildLimits(QWidget* form);
    QWidget* buildTolerance(QWidget* form);
    void buildChecks(QWidget* form);
    void start(bool all);
    void finished(const RunReport& report);
    void showProgress();
    void showHistory();
    void enable();
    void chooseInputs();
    void openRow(const QModelIndex& index);
    std::optional<double> tolerance(const QLineEdit* field) const;

    Session& session_;
    RunHistoryModel* history_;
    QPushButton *run_ = nullptr, *runAll_ = nullptr, *cancel_ = nullptr, *choose_ = nullptr;
    QComboBox *device_ = nullptr, *stages_ = nullptr;
    QLineEdit *seed_ = nullptr, *inputs_ = nullptr, *rtol_ = nullptr, *atol_ = nullptr;
    QSpinBox *repeat_ = nullptr, *limit_ = nullptr;
    QCheckBox *memory_ = nullptr, *numerics_ = nullptr, *time_ = nullptr, *standIn_ = nullptr, *stale_ = nullptr, *doubles_ = nullptr;
    QLabel *said_ = nullptr, *empty_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QTableView* table_ = nullptr;
    QWidget* form_ = nullptr;
    QTimer poll_;
    bool dirty_ = true, all_ = false;
    Uid pendingNode_ = kNoUid;
};

}  // namespace aliascope
