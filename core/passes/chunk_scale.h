#pragma once
// Which values of the region wait to be multiplied by a tangent (chunker.md 6). The rules certify that each is linear in the tangent: products with
// at most one such factor, sums of terms that all wait for the same one.

#include "core/passes/chunk_meta.h"

namespace aliascope {

/// Sets ChunkMeta::scale of the annotated calls, in program order. Nothing when every node keeps to the rules. `dependent`, by node: the value
/// changes with the amplifier's result or with a tangent. Extended: what does not may have operands outside the region, because it can be computed
/// before it.
std::optional<ChunkRefusal> propagateScale(const Graph& g, bool extended, const std::vector<bool>& dependent, ChunkMetas& metas);

}  // namespace aliascope
