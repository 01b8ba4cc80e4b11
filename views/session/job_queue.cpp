#include "views/session/job_queue.h"

#include <QMutex>
#include <QMutexLocker>
#include <QPointer>
#include <algorithm>

namespace aliascope {

struct JobQueue::Job {
    int id = 0;
    QString title, key;
    Kind kind = Kind::Quiet;
    bool superseded = false;
    JobContext context;
    std::function<void()> done;
    QElapsedTimer clock;

    QMutex mutex;  // guards what the job's thread writes and the UI thread reads
    QString detail;
    double fraction = -1;
    qint64 announcedMs = -1;
};

JobQueue::JobQueue(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(std::max(2, QThread::idealThreadCount())); }

JobQueue::~JobQueue() {
    for (auto& [id, job] : jobs_) job->context.cancel_.cancel();
    pool_.clear();
    pool_.waitForDone();
}

int JobQueue::launch(const QString& title, const QString& key, Kind kind, std::function<void(const JobContext&)> work, std::function<void()> done) {
    if (!key.isEmpty()) {
        for (auto& [id, other] : jobs_) {
            if (other->key != key) continue;
            other->superseded = true;
            other->context.cancel_.cancel();
        }
    }
    auto job = std::make_shared<Job>();
    job->id = nextId_++;
    job->title = title;
    job->key = key;
    job->kind = kind;
    job->done = std::move(done);
    job->clock.start();
    // The job outlives its context only through this queue, which waits for its threads; a weak pointer breaks the cycle.
    job->context.progress_ = [this, weak = std::weak_ptr<Job>(job)](double fraction, std::string_view text) {
        auto self = weak.lock();
        if (!self) return;
        constexpr qint64 kAnnounceEveryMs = 50;
        {
            QMutexLocker lock(&self->mutex);
            self->fraction = fraction;
            self->detail = QString::fromUtf8(text.data(), qsizetype(text.size()));
            const qint64 now = self->clock.elapsed();
            if (self->announcedMs >= 0 && now - self->announcedMs < kAnnounceEveryMs) return;
            self->announcedMs = now;
        }
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT changed(); }, Qt::QueuedConnection);
    };
    jobs_.emplace(job->id, job);
    const int id = job->id;
    const int priority = kind == Kind::Visible ? 1 : 0;
    pool_.start(
        [this, job, work = std::move(work)] {
            work(job->context);  // also when cancelled by now: work looks at the token and says how far it came
            QMetaObject::invokeMethod(
                this, [this, id = job->id] { finish(id); }, Qt::QueuedConnection);
        },
        priority);
    if (kind == Kind::Visible) Q_EMIT changed();
    return id;
}

void JobQueue::finish(int id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    const std::shared_ptr<Job> job = found->second;
    if (!job->superseded) job->done();  // may start further jobs; this one still counts as running
    jobs_.erase(id);
    if (job->kind == Kind::Visible) Q_EMIT changed();
    if (jobs_.empty()) Q_EMIT idle();
}

void JobQueue::cancel(int id) {
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) found->second->context.cancel_.cancel();
}

bool JobQueue::cancelNewest() {
    for (auto it = jobs_.rbegin(); it != jobs_.rend(); ++it) {
        if (it->second->kind != Kind::Visible || it->second->context.cancelled()) continue;
        it->second->context.cancel_.cancel();
        return true;
    }
    return false;
}

void JobQueue::cancelAll() {
    for (auto& [id, job] : jobs_) job->context.cancel_.cancel();
}

std::vector<JobInfo> JobQueue::visible() const {
    std::vector<JobInfo> out;
    for (const auto& [id, job] : jobs_) {
        if (job->kind != Kind::Visible) continue;
        QMutexLocker lock(&job->mutex);
        out.push_back({id, job->title, job->detail, job->fraction, job->clock.elapsed()});
    }
    return out;
}

}  // namespace aliascope
