#pragma once
// Decomposing functional wrappers: `auto_functionalized`, `auto_functionalized_v2` and `triton_kernel_wrapper_functional` become the operator that
// writes, after a clone of every tensor that re-inplacing left to be cloned (functionalize.md 8). Last call first, launches before operators.
//
// A wrapper keeps its node id and becomes the call; its getitems disappear. Missing clone metadata means: clone all (NO_CLONE_SET).
// `mode=reference` clones the storage from its start and leaves `copy_(x, x)`; `extended` clones only the elements' extent and deletes every `copy_`
// of a value onto its own memory. Nothing else is touched.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeDecomposeFunctionalized();

}  // namespace aliascope
