#pragma once
// What a graph still copies, as it is executed: clones, `copy_`, and bases that functional scatters make anew. The figure by which two forms of one
// program are compared (reinplace.md 9, L5).

#include <cstdint>

#include "core/analysis/alias.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

/// Counts and bytes; symbols at their hints, unknown sizes as 0. Bodies of higher-order operators are not looked into.
struct CopiesLeft {
    std::int64_t clones = 0, clonedBytes = 0;       ///< `clone`, and `copy`, which makes a new value of its source
    std::int64_t copies = 0, copiedBytes = 0;       ///< `copy_`, into inputs and elsewhere, without those that move nothing
    std::int64_t scatters = 0, scatteredBytes = 0;  ///< functional ones: the base made anew, and what a scatter puts into it
    /// A clone may take the place of a `copy_`, or of a base made anew.
    std::int64_t count() const { return clones + copies + scatters; }
    std::int64_t bytes() const { return clonedBytes + copiedBytes + scatteredBytes; }
};

/// Of the value; symbols at their hints, unknown as 0.
std::int64_t bytesAtHints(const Graph& g, NodeId id);
/// `to.copy_(from)` moves nothing: both are the same elements in the same order.
bool isSelfCopy(const AliasInfo& alias, NodeId to, NodeId from);

/// Near-linear.
CopiesLeft copiesLeft(const Graph& g, const OpRegistry& ops);

}  // namespace aliascope
