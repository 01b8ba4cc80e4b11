#pragma once
// The running job in the status line: what, how far, how long, and Cancel; appears after 300 ms (ui.md 3.4).

#include <QTimer>
#include <QWidget>

#include "views/session/job_queue.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace aliascope {

class JobLine : public QWidget {
    Q_OBJECT

public:
    explicit JobLine(JobQueue& jobs, QWidget* parent = nullptr);

private:
    void update();

    JobQueue& jobs_;
    QTimer poll_;
    int shown_ = 0;
    QLabel* text_;
    QProgressBar* bar_;
    QPushButton* cancel_;
};

}  // namespace aliascope
