#pragma once
// The program's own clones, looked at once more when it is settled who writes where (reinplace.md 9, L3 and L5 seen from the other end): a clone
// between which and its source no write comes is its source, and one of which a single view is used need not copy the rest.

#include <vector>

#include "core/pipeline/pass.h"

namespace aliascope {

/// The `clone` calls of a graph.
std::vector<NodeId> cloneCalls(const Graph& g);
/// Takes those of `clones` away that separate nothing, and narrows the others to what is used of them. `g` may write; linear in the graph and in the
/// uses of the memory that is cloned.
void spareClones(Graph& g, PassContext& ctx, const std::vector<NodeId>& clones);

}  // namespace aliascope
