#pragma once
// Offline placement of the storages of a run in one arena (executor.md 4.3): addresses that are constant, in as few bytes as possible.
// Thread-safety: none needed.

#include "core/memory/memory_report.h"
#include "core/support/cancel.h"

namespace aliascope::memory {

/// `output` takes over the storage of `operand`, which dies at the node that makes it.
struct Reuse {
    StorageId operand = kNoStorage, output = kNoStorage;
};

/// Memory that must stay for the events [birth, death). `tenants` are the storages that follow each other in it.
struct Interval {
    std::int64_t birth = 0, death = kNever;
    std::int64_t exact = 0;  ///< bytes asked for
    std::int64_t bytes = 0;  ///< rounded to kPlacementUnit
    std::vector<StorageId> tenants;
    std::int64_t offset = -1;  ///< in the arena
};
inline constexpr std::int64_t kPlacementUnit = 512;

struct PlanOptions {
    std::vector<Reuse> reuse;
    std::size_t improveUpTo = 400;  ///< intervals up to which swaps are tried
    CancelToken cancel;
};

struct MemoryPlan {
    std::vector<Interval> intervals;  ///< by birth
    std::int64_t arena = 0;           ///< bytes
    std::int64_t lowerBound = 0;      ///< most bytes live at once, rounded
    std::int64_t exactPeak = 0;       ///< the same without rounding
    std::int64_t peakSeq = -1;        ///< first event at which exactPeak is reached
    std::string key;                  ///< order that won: `size`, `duration*size`, `birth`, then `+swaps`
    std::vector<std::size_t> top;     ///< intervals that reach the end of the arena
    double ratio() const { return lowerBound > 0 ? static_cast<double>(arena) / static_cast<double>(lowerBound) : 1.0; }
};

/// Storages that the run owns (no inputs, no constants); what is never freed stays to the end.
std::vector<Interval> intervalsOf(const EventLog& log, const std::vector<Reuse>& reuse);

/// Near-linear in the number of intervals.
MemoryPlan planMemory(const EventLog& log, const PlanOptions& options = {});

}  // namespace aliascope::memory
