#pragma once
// Types of calls that no operator schema describes: getitem, arithmetic on symbols, higher-order operators. Private to core/ops.

#include "core/ops/infer.h"

namespace aliascope {

/// `operator::…`, `torch::sym_…`, `math::…`, `hop::…`.
bool isStructural(Name op);
Inferred inferStructural(const OpRegistry& ops, const Graph& g, const Node& n, const std::function<TypePtr(NodeId)>& typeOf);
/// Type of an argument value: of its node, a tuple for a list; null for everything else.
TypePtr valueType(const Value& v, const std::function<TypePtr(NodeId)>& typeOf);

}  // namespace aliascope
