#pragma once
// Where a graph of a program returns that is not its last one (core/pipeline/program.h).

#include "core/ir/graph.h"

namespace aliascope::exec {

/// The call lists what a graph of a program returns. It computes nothing; its operands are results of the program, and live until there.
inline bool endsGraph(const Node& n) { return n.op == "aliascope::graph_output"_n; }

}  // namespace aliascope::exec
