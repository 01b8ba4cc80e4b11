#pragma once
// Stable topological sort (canonicalize.md 5.12).

#include "core/ir/graph.h"

namespace aliascope {

/// Brings definitions before their uses and keeps the order otherwise: nodes are processed in their present order; one with a missing operand waits
/// on the last missing one and is looked at again right after it. A sorted graph comes out unchanged. Nodes of a cycle keep their order at the end.
/// O(nodes + uses). Gives whether anything moved.
bool stableTopologicalSort(Graph& g);

}  // namespace aliascope
