#pragma once
// What a graph copies: clones, and write-backs into inputs that move something.

#include <cstdint>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

/// Bytes with symbols at their hints; what has no size counts 0.
struct CopyTotals {
    std::int64_t clones = 0, clonedBytes = 0;          ///< bodies of higher-order operators included
    std::int64_t copiesBack = 0, copiedBackBytes = 0;  ///< `copy_` into inputs of the main graph, without those of a value onto itself
};
CopyTotals copyTotals(const Graph& g, const OpRegistry& ops);

}  // namespace aliascope
