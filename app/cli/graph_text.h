#pragma once
// One graph in the forms of --as.

#include <string>

#include "app/cli/report.h"
#include "core/ir/graph.h"

namespace aliascope::cli {

enum class GraphOutput { Graph, Readable, Dot, Json };
/// Mistakes end the command with exit 2.
GraphOutput graphOutput(const std::string& name);

/// Graph text (the graph, then each sub-graph, with an empty line between), readable Python, or DOT. Ends with a line end.
std::string graphText(const Graph& g, GraphOutput form);
/// `{name, phase, nodes: [{name, kind, op, target, args, type, users, body}]}`; nodes of sub-graphs follow with their path in `body`.
Json graphJson(const Graph& g);

}  // namespace aliascope::cli
