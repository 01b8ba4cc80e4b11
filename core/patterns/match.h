#pragma once
// Matching one pattern at one root.

#include <optional>
#include <vector>

#include "core/ir/op_registry.h"
#include "core/patterns/pattern.h"
#include "core/support/diagnostic.h"

namespace aliascope::patterns {

/// A matcher and what it stands for in the graph.
struct Bound {
    std::uint32_t matcher = 0;
    NodeId node;
};

struct Match {
    std::vector<Value> captures;  ///< by Pattern::captures; None where nothing was bound
    std::vector<NodeId> outputs;  ///< by Pattern::outputs; invalid where the pattern has none
    std::vector<Bound> nodes;     ///< matched calls, root first
};

/// Why a pattern does not fit: a code of reason-codes.md 5 and the parameters of its sentence.
struct Refusal {
    std::string code;
    Params params;
    NodeId node;               ///< where
    NodeId blocker;            ///< the node in the way; may be invalid
    std::vector<Bound> nodes;  ///< calls that fitted before, in the order in which they were looked at
};

/// Nothing when it does not fit; `why`, if given, then says where the longest partial match ended. Alternatives (`?`, `!commute`, anchors of further
/// outputs) are tried one after the other, within a budget of steps that grows with the pattern.
std::optional<Match> match(const Pattern& p, const Graph& g, const OpRegistry& ops, NodeId root, Refusal* why = nullptr);

}  // namespace aliascope::patterns
