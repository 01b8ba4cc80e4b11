#pragma once
// What a call wrote, as tensors after the call, in one numbering for all forms that a program goes through: the mutating call itself, and the
// functional wrappers whose results are the new values (v1) or the new bases (v2). Operand k of one form is operand k of the others. Internal to
// core/exec.

#include <functional>
#include <vector>

#include "core/exec/tensor.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::exec {

/// The wrapped operator of `auto_functionalized(_v2)`; null for other nodes.
const OpDef* wrappedOperator(const OpRegistry& ops, const Node& n);

/// Nodes whose values must be known after a mutating call, by k. Empty for calls that write nothing, and for wrappers.
std::vector<NodeId> writtenNodes(const OpRegistry& ops, const Graph& g, NodeId id);

/// New values that a functional wrapper's result holds, by k. `integer` gives the value of a node that is an integer, for views with symbolic sizes;
/// an element without storage is one that cannot be told.
std::vector<Tensor> writtenByWrapper(const OpRegistry& ops, const Node& n, const RuntimeValue& result,
                                     const std::function<std::optional<std::int64_t>(const Value&)>& integer);

}  // namespace aliascope::exec
