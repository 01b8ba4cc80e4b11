#pragma once
// What if? (ui.md 6, `why --force`): a write that re-inplacing refused is made in place on a copy of the stage; both run on the same inputs, and so
// does the graph as opened. Either a value goes wrong, and the sanitizer (executor.md 3.2) says which read saw what had been overwritten: the copy is
// needed; or nothing does, on these inputs. Thread-safety: as StageRuns.

#include <optional>
#include <string>
#include <vector>

#include "core/recording/stage_runs.h"

namespace aliascope {

struct ForcedWrite {
    int stage = 0;  ///< of the decision: the graph that was copied
    std::string stageName;
    std::shared_ptr<const Graph> graph;                    ///< with the write in place
    std::optional<Diagnostic> error;                       ///< it did not run to its end
    exec::Verdict verdict = exec::Verdict::NotComparable;  ///< of results and inputs after the run, against the stage with its copy
    std::optional<exec::ComparedValue> first;              ///< where the difference begins
    std::string firstValue;                                ///< what that is: `cos`, `returned value 0`, `x_1 after the run`
    std::vector<exec::Finding> reads;                      ///< STALE_READ, in order: reads of what the write had overwritten

    /// A value changed, or a read saw an overwritten one whose number happened to be the same.
    bool shownNeeded() const { return error.has_value() || verdict == exec::Verdict::Differs || !reads.empty(); }
    /// `Without the copy returned value 0 changes: 1.5 becomes 4.5 at [3, 0].`
    std::string sentence() const;
};

/// `g` with argument `argument` of `node` (as a decision names them: a parameter, or the index of a base) written in place.
/// Errors: FORCE_IMPOSSIBLE when nothing is copied there or the operator has no form that writes.
Result<Graph> writtenInPlace(const Graph& g, const OpRegistry& ops, NodeId node, const std::string& argument);

/// `runs` must have been created with ExecOptions::sanitize = Reads, else no read is named. Errors: those of writtenInPlace, of the session and of
/// the inputs; what the first stage failed with.
Result<ForcedWrite> forceWrite(StageRuns& runs, const Recording& recording, std::int64_t lane, const DecisionRow& decision, const OpRegistry& ops);

}  // namespace aliascope
