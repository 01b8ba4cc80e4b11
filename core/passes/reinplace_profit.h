#pragma once
// When writing a view-scatter in place pays (reinplace.md 3.2): the functional form may be fused with its neighbours, so in place is only taken where
// input and result must exist in memory anyway.

#include "core/ir/graph.h"
#include "core/passes/reinplace_index.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {

/// PyTorch's `should_reinplace_scatter` for the generalised scatter `id`. Extent analysis knows besides that a scatter that overwrites everything
/// copies nothing of its input where it is not in place.
bool scatterPaysInPlace(const Graph& g, const ScatterForms& forms, AnalysisMode mode, NodeId id);

}  // namespace aliascope
