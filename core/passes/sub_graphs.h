#pragma once
// Running the work of a pass on the bodies of higher-order operators, then on the graph itself.

#include <functional>

#include "core/pipeline/pass.h"

namespace aliascope {

/// Calls `work` for every sub-graph, innermost first, then for `g`. What is decided and said about a sub-graph is reported with its path before the
/// node's name (`cond_true_0.add`); its ids mean nothing outside, so they and its rewrites are left out.
void inEveryGraph(Graph& g, PassContext& ctx, const std::function<void(Graph&, PassContext&)>& work);

}  // namespace aliascope
