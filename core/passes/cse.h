#pragma once
// Common sub-expression elimination (canonicalize.md 5.7): a call becomes an earlier call of the same operator on the same operands, if no write
// stands between them. Literals count with their types: 1, 1.0 and True differ.
//
// Never merged: inputs, constants, random and impure calls, uninitialised tensors, unbacked scalars, and what shares storage with an output. Graphs
// with writes other than write-backs are left alone. Extended mode also takes bodies of `invoke_subgraph` that are equal for one. Near-linear.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeCse();

}  // namespace aliascope
