#pragma once
// Runs chosen stages of a lane and compares each with the first of them; writes runs and comparisons into a session. What `exec`, `numerics` and the
// run panel do.
// Thread-safety: as StageRuns.

#include <functional>
#include <optional>
#include <vector>

#include "core/recording/stage_runs.h"

namespace aliascope {

/// A later stage against the first.
struct StageComparison {
    int stage = 0;
    exec::Comparison comparison;
    std::int64_t row = 0;  ///< of `comparison`, once recorded
};

struct StageExecution {
    std::vector<const ExecutedStage*> stages;  ///< those asked for, as far as they ran; they belong to the StageRuns
    std::vector<StageComparison> comparisons;
    const ExecutedStage* last = nullptr;  ///< the last that ran to its end
    bool failed = false;                  ///< a stage did not; its error says why
    std::optional<Diagnostic> unwritten;  ///< why runs are missing in the session
};

/// Runs `stages` (indices, rising). `each` hears of every stage when it has run, before it is compared. A stage that fails stops nothing but what
/// needs it: the first, a cancelled and a timed-out one end the execution. With a recorder, runs and comparisons are written while the next stage
/// runs: nobody else may use it meanwhile. Errors: those of StageRuns::run and compare.
Result<StageExecution> executeStages(StageRuns& runs, const std::vector<int>& stages, bool compare = true,
                                     const std::function<void(const ExecutedStage&)>& each = {}, Recorder* recorder = nullptr);

/// Writes the runs and comparisons that are not yet written. A stage whose graph is that of an earlier one has that one's run, and nothing new to
/// compare. The recorder stays open.
Status recordExecution(Recorder& recorder, StageRuns& runs, StageExecution& execution);

}  // namespace aliascope
