#pragma once
// Re-inplacing: back from the functional graph to writes in place (reinplace.md).
//
// Decides for every functional wrapper, index_put, view-scatter and foreach operator which of its written arguments may be written where they stand.
// A wrapper stays a wrapper: what is left to clone goes into its meta `clone_only` (argument names for v1, base indices for v2) or, for a Triton
// launch, its shortened `tensors_to_clone`; decompose-functionalized reads it. An operator that writes in place gets its in-place overload;
// write-backs that became superfluous are erased. Nothing else is touched, and nodes do not move, except a view-scatter merged into its inner one.
//
// `analysis=reference` is PyTorch 2.11's pass, defects included, with one warning per defect; `extent` decides on the elements that are written.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeReinplace();

}  // namespace aliascope
