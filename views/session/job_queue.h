#pragma once
// Work off the UI thread: jobs with a title, progress and Cancel. Results come back on the UI thread; of several jobs with one key only the
// newest delivers (ui.md 3.4).
// Thread-safety: JobQueue belongs to the UI thread; a JobContext may be used from the job's own thread.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/support/cancel.h"

namespace aliascope {

class JobQueue;

/// What a running job knows.
class JobContext {
public:
    const CancelToken& cancelToken() const { return cancel_; }
    bool cancelled() const { return cancel_.cancelled(); }
    /// Any thread. Fraction below 0: unknown.
    void progress(double fraction, std::string_view text) const { progress_(fraction, text); }
    const Progress& progressFunction() const { return progress_; }

private:
    friend class JobQueue;
    CancelToken cancel_;
    Progress progress_;
};

/// As the status line shows it.
struct JobInfo {
    int id = 0;
    QString title, detail;
    double fraction = -1;
    qint64 elapsedMs = 0;
};

class JobQueue : public QObject {
    Q_OBJECT

public:
    explicit JobQueue(QObject* parent = nullptr);
    ~JobQueue() override;  ///< cancels and waits

    enum class Kind : std::uint8_t {
        Visible,  ///< asked for by the user: shown in the status line from 300 ms on
        Quiet,    ///< prefetching and queries of views
    };

    /// Runs `work` on a pool thread, then `done` with its result on the UI thread, unless the job was cancelled or a newer one has the same key.
    /// An empty key never supersedes.
    template <class Work, class Done>
    int start(const QString& title, const QString& key, Kind kind, Work work, Done done) {
        using Value = std::invoke_result_t<Work, const JobContext&>;
        auto slot = std::make_shared<std::unique_ptr<Value>>();
        return launch(
            title, key, kind, [slot, work = std::move(work)](const JobContext& context) mutable { *slot = std::make_unique<Value>(work(context)); },
            [slot, done = std::move(done)]() mutable {
                if (*slot) done(std::move(**slot));
            });
    }

    void cancel(int id);
    /// Cancels the visible job that was started last; false when there is none.
    bool cancelNewest();
    void cancelAll();
    bool busy() const { return !jobs_.empty(); }
    /// Visible jobs, oldest first.
    std::vector<JobInfo> visible() const;

Q_SIGNALS:
    void changed();  ///< a visible job began, moved on or ended
    void idle();     ///< the last job ended and its result has been delivered

private:
    struct Job;
    int launch(const QString& title, const QString& key, Kind kind, std::function<void(const JobContext&)> work, std::function<void()> done);
    void finish(int id);

    QThreadPool pool_;
    std::map<int, std::shared_ptr<Job>> jobs_;
    int nextId_ = 1;
};

}  // namespace aliascope
