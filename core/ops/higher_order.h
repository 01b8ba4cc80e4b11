#pragma once
// Calls of higher-order operators with bodies in the graph (formats.md 7.1).

#include <optional>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope {

/// A body that a call names, and the values that its placeholders stand for, in order.
struct BodyCall {
    const Graph* body = nullptr;
    std::vector<Value> operands;
};

/// The first body that a call names; nothing when it names none, or none that is in the file. Operands that cannot be matched with the
/// placeholders one by one give an empty list.
std::optional<BodyCall> bodyOf(const Graph& g, const Node& call);
/// Operators whose results are exactly the results of their body: `cond`, `invoke_subgraph`, `wrap`, `strict_mode`, …
bool returnsBodyResults(Name op);

}  // namespace aliascope
