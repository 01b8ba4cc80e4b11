#include "core/recording/stage_execution.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace aliascope {
namespace {

/// Writes runs and comparisons on a thread of its own, in the order in which they end.
class WritingInBackground {
public:
    using Job = std::function<Status()>;

    WritingInBackground() : thread_([this] { work(); }) {}
    ~WritingInBackground() { finish(); }
    WritingInBackground(const WritingInBackground&) = delete;
    WritingInBackground& operator=(const WritingInBackground&) = delete;

    void add(Job job) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
        changed_.notify_one();
    }
    /// Waits for the last; the error of the first that could not be written. Those after it are left out.
    std::optional<Diagnostic> finish() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
            changed_.notify_one();
        }
        if (thread_.joinable()) thread_.join();
        return error_;
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            const Job job = std::move(waiting_.front());
            waiting_.pop_front();
            if (error_) continue;
            lock.unlock();
            auto written = job();
            lock.lock();
            if (!written) error_ = std::move(written.error());
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> waiting_;
    bool ended_ = false;
    std::optional<Diagnostic> error_;
    std::thread thread_;
};

/// Between stages that ran themselves and have their runs written.
Status writeComparison(Recorder& recorder, const ExecutedStage& first, const ExecutedStage& stage, StageComparison& later) {
    if (later.row != 0 || stage.sameAs != later.stage || first.run == stage.run) return {};
    auto row = recorder.addComparison(first.run, stage.run, later.comparison);
    if (!row) return fail(std::move(row.error()));
    later.row = *row;
    return {};
}

}  // namespace

Result<StageExecution> executeStages(StageRuns& runs, const std::vector<int>& stages, bool compare,
                                     const std::function<void(const ExecutedStage&)>& each, Recorder* recorder) {
    StageExecution out;
    out.comparisons.reserve(stages.size());  // one that is being written stays where it is
    std::optional<WritingInBackground> background;
    if (recorder) background.emplace();
    for (const int idx : stages) {
        auto ran = runs.run(idx);
        if (!ran) return fail(std::move(ran.error()));
        ExecutedStage& stage = ran->get();
        out.stages.push_back(&stage);
        if (each) each(stage);
        if (background && stage.sameAs == idx)
            background->add([&runs, &stage, recorder]() -> Status {
                auto run = runs.write(*recorder, stage);
                return run ? Status() : fail(std::move(run.error()));
            });
        if (!stage.complete) {
            out.failed = true;
            // What does not run once does not run after further passes either, and the first stage is what others are compared with.
            const bool ended = stage.error && (stage.error->code == "CANCELLED" || stage.error->code == "TIMEOUT");
            if (idx == stages.front() || ended) break;
            continue;
        }
        out.last = &stage;
        if (idx == stages.front() || !compare) continue;
        auto comparison = runs.compare(stages.front(), idx);
        if (!comparison) return fail(std::move(comparison.error()));
        StageComparison& later = out.comparisons.emplace_back(StageComparison{idx, std::move(*comparison)});
        const ExecutedStage& first = *out.stages.front();
        if (background) background->add([&, recorder] { return writeComparison(*recorder, first, stage, later); });
    }
    if (background) out.unwritten = background->finish();
    return out;
}

Status recordExecution(Recorder& recorder, StageRuns& runs, StageExecution& execution) {
    if (execution.unwritten) return fail(*execution.unwritten);
    for (const ExecutedStage* stage : execution.stages)
        if (auto id = runs.record(recorder, stage->stage.idx); !id) return fail(std::move(id.error()));
    for (StageComparison& later : execution.comparisons) {
        auto ran = runs.run(later.stage);
        if (!ran) return fail(std::move(ran.error()));
        if (auto ok = writeComparison(recorder, *execution.stages.front(), ran->get(), later); !ok) return ok;
    }
    return {};
}

}  // namespace aliascope
