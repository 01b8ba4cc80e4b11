#include "core/recording/stage_execution.h"

namespace aliascope {

Result<StageExecution> executeStages(StageRuns& runs, const std::vector<int>& stages, bool compare,
                                     const std::function<void(const ExecutedStage&)>& each) {
    StageExecution out;
    for (const int idx : stages) {
        auto ran = runs.run(idx);
        if (!ran) return fail(std::move(ran.error()));
        const ExecutedStage& stage = ran->get();
        out.stages.push_back(&stage);
        if (each) each(stage);
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
    return out;
}

Status recordExecution(Recorder& recorder, StageRuns& runs, const StageExecution& execution) {
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
