#pragma once
// Printers: byte for byte what PyTorch's printers write.

#include <string>

#include "core/ir/graph.h"

namespace aliascope {

/// `graph():` text of one graph, without its sub-graphs.
std::string printGraphText(const Graph& g);
/// The same, then after an empty line each the sub-graphs, from the outermost in. Ends with a line end.
std::string printGraphTexts(const Graph& g);
/// Readable Python, nested graph modules inside, in the layout of `g.style`.
std::string printReadable(const Graph& g);
/// One node as it stands in graph text, without indent and line end: `%add : [num_users=1] = call_function[…](…)`.
std::string printNode(const Graph& g, NodeId id);
/// How a value is written: as in graph text, as in Python code, or as Python from which the very same value can be read back (a symbolic
/// expression as `Sym('s77')`, an opaque text as `Opaque('…')`; see arguments.h).
enum class Dialect : std::uint8_t { GraphText, Python, Exact };
/// One value. Appends to `out`.
void printValue(std::string& out, const Graph& g, const Value& v, Dialect dialect);

}  // namespace aliascope
