#pragma once
// The pattern sets after partitioning (canonicalize.md 5.8), with the small removals before them and the move of constructors to the GPU after them
// (5.10): profiler markers, metadata asserts; cumsum of a constant, online softmax; split of cat, cat of split, addmm and un-addmm, partial
// reductions.
//
// Views are reshapes by now. Needs a graph whose only writes are write-backs: mutation starts behind this pass. Online softmax and un-addmm are for
// GPUs.

#include <memory>

#include "core/passes/rule_set.h"
#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makePostGradPatterns();

/// The rule of set 1 that computes maximum and sum of a softmax in one sweep.
void addOnlineSoftmax(RuleSet& set);
/// The rules of set 2, in PyTorch's order of registration.
void addProductRules(RuleSet& set);
/// CPU constructors whose values only feed the one GPU of the graph are made there.
void moveConstructorsToGpu(Graph& g, PassContext& ctx);

}  // namespace aliascope
