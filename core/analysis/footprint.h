#pragma once
// Overlap of strided regions of one storage (reinplace.md 4.3).

#include "core/ir/type.h"

namespace aliascope {

enum class Overlap : std::uint8_t { Disjoint, Overlaps, May };

/// Exact for static geometry (elements of both, compared in bytes when the item sizes differ); symbolic geometry only by what is statically
/// known. Gives May after 10,000 search steps, or when something is unknown.
Overlap exactOverlap(const TensorType& a, const TensorType& b, const SymbolTable& symbols);
/// PyTorch 2.11's predicate "surely disjoint", row 7's defect included: true = it would call them disjoint. Symbolic comparisons are
/// decided by hints, as PyTorch's guards do.
bool referenceDisjoint(const TensorType& a, const TensorType& b, const SymbolTable& symbols);
/// Number of elements that both address, each counted once. Nothing when symbolic, when item sizes differ, or when it takes enumerating more than
/// 1,000,000 elements: neither region lies inside a gap-free other one, nor are both gap-free.
std::optional<std::int64_t> overlapElements(const TensorType& a, const TensorType& b);
/// Symbols at their hints, as PyTorch's guards decide comparisons; what has no hint stays symbolic.
TensorType atHints(const TensorType& t, const SymbolTable& symbols);
/// A size is 0: no element is addressed. False when that is only a symbol's value.
bool knownEmpty(const TensorType& t);
/// The same elements in the same order: strides of dimensions of one element lead nowhere. False when strides or offsets are unknown.
bool samePlace(const TensorType& a, const TensorType& b);
/// No gaps and nothing twice: strides are those of a contiguous tensor with its dimensions in some order, so that `clone` keeps them. False when
/// symbolic or unknown.
bool isDense(const TensorType& t);

}  // namespace aliascope
