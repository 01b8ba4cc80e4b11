#pragma once
// Who writes, and who will: nodes that write already, and functional forms whose operand is going to be written by re-inplacing.

#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

/// Node and argument of the first write that is no `copy_` into a graph input or constant; an invalid node when the graph is functional but for its
/// write-backs.
WrittenOperand firstPlainWrite(const OpRegistry& ops, const Graph& g, NodeId* writer);
/// Operands that a functional form (wrapper, index_put, view-scatter, foreach) would write in place; the destination of a `copy_`. Empty for others.
std::vector<NodeId> operandsToBeWritten(const OpRegistry& ops, const Graph& g, NodeId id);
/// PyTorch's `is_mutation_op`: written arguments by schema, else by name (`foo_`, `set_…`, `…_seed`) or a given `out=`.
bool isMutationOp(const OpRegistry& ops, const Node& node);

}  // namespace aliascope
