#pragma once
// No-op removal (canonicalize.md 5.1, reinplace.md 7): a call that gives back its operand is replaced by it: clones, aliases, conversions to the same
// type, slices of everything, single-element cats, and the like, if sizes, strides, dtype and device agree.
//
// Outputs never come to share memory with inputs or other outputs that they did not share before. `mode=extended` looks at the flattened outputs, and
// keeps a copy that separates a write from its readers (CLONE_GUARD), and erases what only a removed call read. Graphs with writes other than
// write-backs into inputs are left alone (NEEDS_FUNCTIONAL). Nothing is moved or made.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeRemoveNoops();

}  // namespace aliascope
