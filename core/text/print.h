#pragma once
// Printers: byte for byte what PyTorch's printers write.

#include <string>

#include "core/ir/graph.h"

namespace aliascope {

/// `graph():` text of one graph, without its sub-graphs.
std::string printGraphText(const Graph& g);
/// Readable Python, nested graph modules inside, in the layout of `g.style`.
std::string printReadable(const Graph& g);
/// One node as it stands in graph text, without indent and line end: `%add : [num_users=1] = call_function[…](…)`.
std::string printNode(const Graph& g, NodeId id);
/// One value as graph text (`GraphText`) or Python (`Readable`) prints it. Appends to `out`.
enum class Dialect : std::uint8_t { GraphText, Python };
void printValue(std::string& out, const Graph& g, const Value& v, Dialect dialect);

}  // namespace aliascope
