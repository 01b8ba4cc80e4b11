#pragma once
// Removal of redundant views and permutes (canonicalize.md 3 and 4). Its place is before the chunker and before attention matching.
//
// Reference mode, one traversal from last to first: R1 a view to the shape of its operand, R2 a view of a view back to the first shape, R3 a permute
// that undoes a permute; of pairs the inner call must have no other user. Sizes that are symbols are decided by their hints, as PyTorch's guards do.
//
// Extended mode, from producers to consumers until nothing fires: R1 to R3 with any number of users and sizes that are known to be equal (E0), E1 one
// view for two, E2 one permute for two, E3 identity permutes, E4 one view for a view beside squeeze or unsqueeze, E6 the same for reshape; with
// `hoist-conversions=on`, in front of the chunker, E5 conversions before views. An output
// never becomes an input or another output (OUTPUT_ALIAS). What lost its last user goes. A second run finds nothing.
//
// Nodes are never moved; strides of results never change, but for dims of size 1. Near-linear.

#include <memory>
#include <optional>
#include <vector>

#include "core/ir/graph.h"
#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeCanonicalizeViews();

/// How the reference compares a shape with the size argument of a view: entries equal (symbols by hint), or at most one literal -1. `undecided`, if
/// given, says that a symbol without a hint kept the answer from being yes.
bool definitelyEqual(const Graph& g, const std::vector<SymInt>& shape, const Value& size, bool* undecided = nullptr);

/// The dims of a permute call of `rank`, negative ones wrapped; nothing when they are no permutation.
std::optional<std::vector<std::size_t>> permutation(const Value& dims, std::size_t rank);

}  // namespace aliascope
