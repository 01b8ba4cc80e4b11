#pragma once
// What a repro script says of its inputs (formats.md 12): the loader's storages, shapes and strides, and the hints of symbols in its first lines.

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Gives the inputs of `unit` the types of `load_args`, or of the `args = […]` of old scripts, by position; a `# NAME` behind the loader's line wins
/// over the position. Inputs on one storage become a note, and so does the first line that cannot be read. A type that the text states already stays,
/// and gets strides and device when it lacks them.
void readReproInputs(const SourceText& source, Unit& unit, const ReadLimits& limits);

/// `s48 = 512` in lines without indent before `end`: the hint of a symbol.
SymbolTable readSymbolHints(const SourceText& source, std::size_t end);

/// Gives an input `type` when it has none. One that is stated keeps what it states, and gets strides, device and offset that it lacks when sizes and
/// dtype are the same.
void completeInput(Graph& g, NodeId input, const TypePtr& type);

}  // namespace aliascope
