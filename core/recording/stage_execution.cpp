#include "core/recording/stage_execution.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace aliascope {
namespace {

/// Writes runs on a thread of its own, in the order in which they end.
class RunsInBackground {
public:
    RunsInBackground(Recorder& recorder, const StageRuns& runs) : recorder_(recorder), runs_(runs), thread_([this] { work(); }) {}
    ~RunsInBackground() { finish(); }
    RunsInBackground(const RunsInBackground&) = delete;
    RunsInBackground& operator=(const RunsInBackground&) = delete;

    void add(ExecutedStage& stage) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(&stage);
        changed_.notify_one();
    }
    /// Waits for the last; the first that could not be written.
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
            ExecutedStage& stage = *waiting_.front();
            waiting_.pop_front();
            if (error_) continue;
            lock.unlock();
            auto written = runs_.write(recorder_, stage);
            lock.lock();
            if (!written) error_ = std::move(written.error());
        }
    }

    Recorder& recorder_;
    const StageRuns& runs_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<ExecutedStage*> waiting_;
    bool ended_ = false;
    std::optional<Diagnostic> error_;
    std::thread thread_;
};

}  // namespace

Result<StageExecution> executeStages(StageRuns& runs, const std::vector<int>& stages, bool compare,
                                     const std::function<void(const ExecutedStage&)>& each, Recorder* recorder) {
    StageExecution out;
    std::optional<RunsInBackground> background;
    if (recorder) background.emplace(*recorder, runs);
    for (const int idx : stages) {
        auto ran = runs.run(idx);
        if (!ran) return fail(std::move(ran.error()));
        ExecutedStage& stage = ran->get();
        out.stages.push_back(&stage);
        if (each) each(stage);
        if (background && stage.sameAs == idx) background->add(stage);
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
        out.comparisons.push_back({idx, std::move(*comparison)});
    }
    if (background) out.unwritten = background->finish();
    return out;
}

Status recordExecution(Recorder& recorder, StageRuns& runs, const StageExecution& execution) {
    if (execution.unwritten) return fail(*execution.unwritten);
    for (const ExecutedStage* stage : execution.stages)
        if (auto id = runs.record(recorder, stage->stage.idx); !id) return fail(std::move(id.error()));
    for (const StageComparison& later : execution.comparisons) {
        auto a = runs.record(recorder, execution.stages.front()->stage.idx), b = runs.record(recorder, later.stage);
        if (!a) return fail(std::move(a.error()));
        if (!b) return fail(std::move(b.error()));
        auto ran = runs.run(later.stage);
        if (!ran) return fail(std::move(ran.error()));
        if (*a == *b || ran->get().sameAs != later.stage) continue;
        if (auto id = recorder.addComparison(*a, *b, later.comparison); !id) return fail(std::move(id.error()));
    }
    return {};
}

}  // namespace aliascope
