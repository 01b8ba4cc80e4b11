#pragma once
// What a graph does to memory, without running it (executor.md 4.5): the node loop of the executor over types only, so that a run on the same shapes
// gives the same events. Also which outputs could take the storage of an operand that dies (executor.md 4.2).
// Thread-safety: none needed; each call stands alone.

#include <map>

#include "core/exec/executor.h"
#include "core/memory/planner.h"

namespace aliascope::exec {

struct PredictOptions {
    memory::CachingOptions caching;
    std::map<Name, std::int64_t> symbols;  ///< values that replace the hints; symbols with neither are assumed (symbol_values.h)
    const OpBodies* bodies = nullptr;
    std::function<bool(const Graph&, NodeId, Name)> reinplaced;  ///< as ExecOptions
    CancelToken cancel;
    bool findReuse = false;  ///< fill Prediction::reuse
};

struct Prediction {
    memory::EventLog log;  ///< up to the error, if there is one
    bool complete = false;
    std::optional<Diagnostic> error;  ///< names the node
    std::vector<Diagnostic> warnings;
    std::vector<memory::Reuse> reuse;
    std::vector<std::pair<Name, std::int64_t>> assumed;  ///< symbols without a value and what was taken for them
    std::int64_t wallNs = 0;
};

/// O(nodes · log nodes). Never throws.
Prediction predict(const Graph& g, const OpRegistry& ops, const PredictOptions& options = {});

/// PLAN_MISMATCH with the first event that differs; nothing when the run went as planned.
std::optional<Diagnostic> planMismatch(const Graph& g, const memory::EventLog& planned, const memory::EventLog& happened);

}  // namespace aliascope::exec
