#pragma once
// lower-torch (formats.md 6.1): Dynamo-level calls (torch functions, tensor methods, Python operators, indexing, attributes, modules whose
// constructor is known) become the ATen calls that PyTorch traces for them, wherever types and schemas say which one is meant. What they do not say
// stays as it is and is listed (LEFT_OPAQUE), one entry per spelling. Graphs that are ATen already are left alone.
//
// A lowered node keeps its name, its type and its place; calls that it needs before it are new nodes. Values do not change, and neither does what is
// shared: an operator that gives back its operand is replaced by it.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeLowerTorch();

}  // namespace aliascope
