#pragma once
// Checks a graph between passes.

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/result.h"

namespace aliascope {

struct VerifyOptions {
    bool requireNoFunctionalWrappers = false;  ///< after decompose-functionalized
};
/// Definitions stand before uses, users are exact, there is one output and it is last, names are unique, every sub-graph has its body and is sound
/// itself, view results have the sizes that their operator gives (where both are numbers), written arguments are no numbers. Strides are not compared:
/// PyTorch's own annotations keep those of before a layout change. An operator without schema passes.
/// Returns the first violation as V001 with parameters rule, node, why; `after {pass}` is filled by the pipeline. Linear in graph size. Thread-safe for
/// graphs that nobody changes.
Status verify(const Graph& g, const OpRegistry& ops, const VerifyOptions& options = {});

}  // namespace aliascope
