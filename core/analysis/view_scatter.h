#pragma once
// Operators that give their first operand with a view of it replaced (PyTorch's view-scatters), and the views that they belong to.

#include "core/ir/graph.h"

namespace aliascope {

/// `aten::select_scatter` -> `aten::select.int`; so for slice, diagonal and as_strided. Empty for other operators.
Name viewOfScatter(Name scatter);
/// The other way round; empty for views without a scatter.
Name scatterOfView(Name view);
/// `aten::select_scatter`, `aten::slice_scatter`, `aten::diagonal_scatter`, `aten::as_strided_scatter`.
inline bool isViewScatter(Name op) { return !viewOfScatter(op).empty(); }

/// Its source has as many elements as its input: nothing of the input's old value is left.
bool coversInput(const Graph& g, const Node& scatter);

}  // namespace aliascope
