#pragma once
// When writing a view-scatter in place pays (reinplace.md 3.2): the functional form may be fused with its neighbours, so in place is only taken where
// input and result must exist in memory anyway.

#include "core/ir/graph.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {

/// PyTorch's `should_reinplace_scatter` for the generalised scatter `id`.
bool scatterPaysInPlace(const Graph& g, const ScatterForms& forms, NodeId id);

}  // namespace aliascope
