#pragma once
// Which value of an earlier stage is which value of a later one (executor.md 5.2): by the rewrites in between, else by name, else by provenance.
// Internal to core/exec.

#include "core/exec/compare.h"

namespace aliascope::exec {

/// The graphs of a stage by body number, in the order of memory::Site.
std::vector<const Graph*> bodiesOf(const Graph& g);

class StagePairs {
public:
    StagePairs(const ComparedStage& earlier, const ComparedStage& later, const RewriteSteps& rewrites, const OpRegistry& ops);

    /// Row of the earlier run that belongs to row `later` of the later one; nothing when it has no counterpart. A counterpart has the same component,
    /// call path and shape.
    std::optional<std::size_t> counterpart(std::size_t later) const { return pairs_[later]; }

private:
    std::vector<std::optional<std::size_t>> pairs_;
};

}  // namespace aliascope::exec
