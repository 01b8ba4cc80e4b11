#pragma once
// Sizes that logs and traces state beside a graph (formats.md 8.3, 9).

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope {

/// `(2, s0, 2*s0)` or `[2, 3]`; nothing when it is no list of sizes.
std::optional<std::vector<SymInt>> parseSizes(std::string_view text);

/// Gives a node of `g` that has no type a tensor of these sizes and unknown dtype. What is stated already stays.
void giveSizes(Graph& g, NodeId node, const std::vector<SymInt>& sizes);

/// Hints of the symbols that are sizes of `node`, from what its sizes were.
void giveHints(Graph& g, NodeId node, const std::vector<SymInt>& concrete);

}  // namespace aliascope
