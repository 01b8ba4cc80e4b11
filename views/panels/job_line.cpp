#include "views/panels/job_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr qint64 kQuietMs = 300;
constexpr int kPollMs = 100;

}  // namespace

JobLine::JobLine(JobQueue& jobs, QWidget* parent) : QWidget(parent), jobs_(jobs) {
    setObjectName(QStringLiteral("status.job"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Metrics::gap());
    text_ = new QLabel(this);
    text_->setObjectName(QStringLiteral("status.job.text"));
    bar_ = new QProgressBar(this);
    bar_->setObjectName(QStringLiteral("status.job.bar"));
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    bar_->setFixedWidth(Metrics::em(9));
    cancel_ = textButton(tr("Cancel"), QStringLiteral("status.job.cancel"), this);
    row->addWidget(text_);
    row->addWidget(bar_);
    row->addWidget(cancel_);
    connect(cancel_, &QPushButton::clicked, this, [this] { jobs_.cancel(shown_); });
    connect(&jobs_, &JobQueue::changed, this, &JobLine::update);
    connect(&jobs_, &JobQueue::idle, this, &JobLine::update);
    connect(&poll_, &QTimer::timeout, this, &JobLine::update);
    hide();
}

void JobLine::update() {
    const std::vector<JobInfo> running = jobs_.visible();
    if (running.empty()) {
        poll_.stop();
        hide();
        return;
    }
    if (!poll_.isActive()) poll_.start(kPollMs);
    const JobInfo& job = running.front();
    if (job.elapsedMs < kQuietMs) return;
    shown_ = job.id;
    QString text = job.title;
    if (!job.detail.isEmpty()) text += QStringLiteral(": ") + job.detail;
    text += QStringLiteral("   %1 s").arg(double(job.elapsedMs) / 1000, 0, 'f', 1);
    if (running.size() > 1) text += tr("   and %1 more").arg(running.size() - 1);
    text_->setText(text);
    bar_->setRange(0, job.fraction < 0 ? 0 : 1000);
    if (job.fraction >= 0) bar_->setValue(int(job.fraction * 1000));
    show();
}

}  // namespace aliascope
