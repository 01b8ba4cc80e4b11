#pragma once
// Execution over the offline plan (executor.md 4.2, 4.3): what a run will do to memory, and an address in one arena for each of its storages.
// Thread-safety: immutable once made.

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/exec/executor.h"
#include "core/memory/planner.h"

namespace aliascope::exec {

struct ArenaPlan {
    memory::EventLog expected;               ///< events of the run; storages are placed for as long as it gives these
    std::vector<std::int64_t> offsets;       ///< in the arena, in bytes, by storage; -1 = none
    std::int64_t arena = 0, lowerBound = 0;  ///< bytes, as MemoryPlan
    std::int64_t reused = 0;                 ///< outputs that took the storage of an operand
    bool complete = false;                   ///< false: sizes depend on data from some node on, what comes later is not placed
};

/// Plans a run on these inputs and constants: the node loop on their geometry, without data, then the planner. `options` as the run will have them;
/// `reuse` is turned on. Never throws; what cannot be foreseen is left out of the plan.
std::shared_ptr<const ArenaPlan> planArena(const Graph& g, const OpRegistry& ops, const std::vector<RuntimeValue>& inputs,
                                           const std::unordered_map<Name, RuntimeValue>& constants, const ExecOptions& options);

/// The same from the events of a run that took place, whose sizes depended on data.
std::shared_ptr<const ArenaPlan> planArena(memory::EventLog happened, const CancelToken& cancel);

}  // namespace aliascope::exec
