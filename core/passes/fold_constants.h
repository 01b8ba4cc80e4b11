#pragma once
// Uniform-value constant folding, arithmetic identities, reuse of dtype views (canonicalize.md 5.2 to 5.4), in PyTorch's order.
//
// Folding: a tensor whose elements are known to be one number becomes `full(shape, number, dtype, layout, device, pin_memory)`, if it is contiguous,
// not unsigned, and no other such tensor may be the same buffer (FOLD_SHARED). Identities: x + 0, x - 0, x * 1, x / 1 become x, or a conversion of x.
// dtype views: one view per source and dtype. Values of constants that the text does not state stay unknown.
//
// `fp=strict` (the default of extended mode) leaves what may change a float: x * 0, which hides NaN, and x + 0, which turns -0.0 into 0.0
// (FP_STRICT). Extended mode also erases what lost its last user. Nodes are not moved. Near-linear.

#include <memory>
#include <unordered_set>

#include "core/ir/graph.h"
#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeFoldConstants();

/// Nodes that are `full` of 0 and of 1, as folding left them.
struct UniformNodes {
    std::unordered_set<NodeId> zeros, ones, negativeZeros;  ///< a negative zero is in `zeros` too
};
/// canonicalize.md 5.2. `g` is functional.
UniformNodes foldUniformValues(Graph& g, PassContext& ctx);
/// canonicalize.md 5.3, with the rule for outputs on the meta device.
void removeArithmeticIdentities(Graph& g, PassContext& ctx, const UniformNodes& uniform);
/// canonicalize.md 5.4.
void reuseDtypeViews(Graph& g, PassContext& ctx);

}  // namespace aliascope
