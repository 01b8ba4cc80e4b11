#pragma once
// What is known of the elements of a mask without running the graph: constants, comparisons of row and column numbers, and their conjunctions.

#include <optional>

#include "core/ir/graph.h"

namespace aliascope::patterns {

/// Every element has this value (`full`, `zeros`, `ones`, and views of them).
std::optional<double> uniformValue(const Graph& g, NodeId id);

/// A boolean mask over the last two dims that keeps column j of row i when j <= i + `shift`; nothing when it is not of this kind.
struct LowerTriangle {
    std::int64_t shift = 0;
};
std::optional<LowerTriangle> lowerTriangle(const Graph& g, NodeId id);

}  // namespace aliascope::patterns
