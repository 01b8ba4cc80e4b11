#pragma once
// Nodes carried from one graph into another.

#include "core/ir/graph.h"

namespace aliascope {

/// What a node says by itself: everything but its arguments and what Graph keeps. `provenance` still counts in the table of the graph it came from.
Node withoutOperands(const Node& n);

}  // namespace aliascope
