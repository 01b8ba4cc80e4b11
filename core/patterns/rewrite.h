#pragma once
// Trying the patterns of a set at a root and building the replacement (patterns.md 3, 5).

#include "core/patterns/pattern_set.h"

namespace aliascope::patterns {

/// A match whose guards hold, with its replacement traced on the real tensors.
struct Replacement {
    const Action* action = nullptr;
    Match match;
    std::vector<NodeId> matched;       ///< root first
    std::unique_ptr<Program> program;  ///< the replacement
    std::vector<Value> results;        ///< of the program, by output; None where the pattern has none
    std::map<NodeId, Value> inputs;    ///< placeholder of the program -> what it stands for
    std::optional<Refusal> unsound;    ///< reference mode: what PyTorch does not check and does not hold
};

/// What was found at one root.
struct Attempted {
    std::unique_ptr<Replacement> replacement;                 ///< null = nothing applies
    std::vector<std::pair<const Action*, Refusal>> refusals;  ///< matches that a guard refused, then the nearest miss
};

/// A write between two nodes; invalid = none.
using WriteBetween = std::function<NodeId(NodeId, NodeId)>;

/// A match with a write between its nodes does not count. With `explain` a root where nothing matched gets its nearest miss, when a good part of a
/// pattern was there.
Attempted attempt(const PatternSet& set, const Graph& g, NodeId root, const GuardFlags& flags, const WriteBetween& writeBetween, bool explain);

}  // namespace aliascope::patterns
