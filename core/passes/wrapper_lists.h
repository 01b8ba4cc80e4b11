#pragma once
// Lists that a wrapped operator writes, element by element (reinplace.md 9, L9). The first form of a wrapper knows a list only as a whole: one
// element that must be cloned makes all of them be. The second form has a base for each.

#include "core/pipeline/pass.h"

namespace aliascope {

/// Calls in v1 form that write a list become calls in v2 form whose bases are the written tensors themselves. Left alone: calls without a schema,
/// that are given one tensor twice, whose new list is used as a whole. Linear.
void listsByElement(Graph& g, PassContext& ctx);

}  // namespace aliascope
