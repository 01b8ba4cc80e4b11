#pragma once
// Which graphs of a document make a program (executor.md 1.3), and the program as one more graph of the document.

#include <string>
#include <vector>

#include "core/pipeline/program.h"
#include "core/text/document.h"

namespace aliascope {

/// Places of the graphs in `doc.units`, in the order in which they run. `which`: `auto` = forward and backward of the one compilation that has both;
/// numbers or names of graphs between commas; one name = `auto` among the graphs whose name starts so. Of a compilation the first graph of each phase
/// is taken; graphs that name no compilation belong together when their names differ in parts that are numbers only (`dump.0`, `dump.1`) and one
/// takes what the other returns. Error NO_PROGRAM: none, or several.
Result<std::vector<std::size_t>> programGraphs(const Document& doc, const std::string& which);

/// Errors of Program::make; `units` as programGraphs gives them.
Result<Program> programOf(const Document& doc, const std::vector<std::size_t>& units, const std::vector<StatedBinding>& stated);

/// The linked graph as a unit of `doc`: `program`, with the numbers of its graphs as id.
Unit programUnit(const Document& doc, const std::vector<std::size_t>& units, const Program& program);

}  // namespace aliascope
