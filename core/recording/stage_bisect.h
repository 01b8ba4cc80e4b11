#pragma once
// The search for the pass after which a program gives something else, and for the rewrite of that pass (ui.md 2.9): halves the range between a
// stage that agrees with the first and one that does not, then the range of rewrites, running the pass with a budget of so many (PassContext).
// Thread-safety: as StageRuns.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/stage_runs.h"

namespace aliascope {

/// One question: stage `stage` against the first; with `rewrites`, what the pass of that stage makes when it may apply so many.
struct BisectProbe {
    int stage = 0;
    std::optional<std::int64_t> rewrites;
    std::string verdict;  ///< as comparisons say; `reference`, `failed`
    std::string first;    ///< name of the node where the difference begins, or why it did not run
    bool good = false;
};

/// As `seq`-th row of the search of `command`, to be recorded.
ProbeRow rowOf(const BisectProbe& probe, int seq, const std::string& command);

struct BisectOptions {
    bool rewrites = false;
    /// Hears of every probe; `comparison` is null where there was nothing to compare.
    std::function<void(BisectProbe&, const ExecutedStage&, const exec::Comparison* comparison)> each;
};

struct Bisection {
    std::vector<BisectProbe> probes;
    std::optional<int> stage;            ///< the first found to differ whose predecessor agrees; nothing when the last one agrees
    std::optional<Rewrite> rewrite;      ///< of it
    std::optional<std::int64_t> number;  ///< of the rewrite among those that the pass counts, from 1; nothing = the pass does not stop early, and
                                         ///< `rewrite` is the one that made the node where the difference begins
    std::int64_t rewrites = 0;           ///< that the pass counts
};

/// Errors: those of the session and inputs; what the first stage or a cancelled one failed with (CANCELLED, TIMEOUT).
Result<Bisection> bisectStages(StageRuns& runs, const Recording& recording, std::int64_t lane, const OpRegistry& ops,
                               const BisectOptions& options = {});

}  // namespace aliascope
