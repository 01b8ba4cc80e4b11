#pragma once
// The start of lowering (canonicalize.md 5.11): every `view` becomes `reshape`, in bodies of higher-order operators too, because later changes of
// layout may make a legal view illegal. After it no rule may rely on the aliasing of views.
//
// Only names of calls change. Graphs with writes other than write-backs are left alone: there a view that silently copies would lose writes.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeViewsToReshape();

}  // namespace aliascope
