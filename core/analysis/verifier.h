#pragma once
// Checks a graph between passes.

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/result.h"

namespace aliascope {

struct VerifyOptions {
    bool requireNoFunctionalWrappers = false;  ///< after decompose-functionalized
};
/// Def before use, users consistent, one output and it is last, names unique, sub-graphs resolved and verified, stated types of view results agree with
/// inference, written arguments legal. Returns the first violation as V001 with parameters rule, node, why; `after {pass}` is filled by the pipeline.
Status verify(const Graph& g, const OpRegistry& ops, const VerifyOptions& options = {});

}  // namespace aliascope
