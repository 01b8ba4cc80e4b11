#pragma once
// Finds the graphs in a text, whatever their form, and what the lines around them say of their stage (formats.md 2, 8.3).

#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Reads every graph of source.text() that starts at `begin` or later, in text order. Units get ids `1`, `2`, …, a label and a phase as far as the
/// text tells. Loop bodies and helper classes are left out.
std::vector<Unit> findGraphs(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options);

/// A text without any frame: shortened nodes, or bare statements (formats.md 2, step 16).
std::optional<Unit> readFragment(const SourceText& source, const OpRegistry& ops, const ReadOptions& options);

/// By the title of a log message or the name of an artifact, else Unknown.
Phase phaseOfStage(std::string_view stage);

/// Ids in order of the vector.
void numberUnits(std::vector<Unit>& units);

}  // namespace aliascope
