#pragma once
// Putting the replacement of a pattern into a graph.

#include "core/patterns/rewrite.h"

namespace aliascope {

struct InsertedNodes {
    std::vector<std::pair<NodeId, NodeId>> outputs;  ///< old, new; a result for which the replacement has no value is left out
    std::vector<NodeId> made;
};
/// Adds the nodes of the replacement to `g`: before the earliest output, or behind the last operand that comes later. Nothing is rewired.
/// Refuses (UNDECIDED) when a symbolic size has no node in `g`; `g` is then unchanged.
std::optional<patterns::Refusal> insertReplacement(const patterns::Replacement& r, Graph& g, InsertedNodes& out);

}  // namespace aliascope
