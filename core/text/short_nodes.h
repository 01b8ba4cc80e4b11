#pragma once
// Fragments: nodes shortened by hand, `%n = OP(ARGS)` (formats.md 4.5), and where bare statements stand in a text.

#include <optional>
#include <utility>

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// From the first to behind the last of at least two shortened nodes.
std::optional<std::pair<std::size_t, std::size_t>> shortNodeSpan(const SourceText& source);
/// From the first to behind the last of at least two statements `NAME = call(…)`.
std::optional<std::pair<std::size_t, std::size_t>> statementSpan(const SourceText& source);
/// Reads shortened nodes; an operator without namespace is looked up in `aten`.
void readShortNodes(const SourceText& source, std::size_t begin, std::size_t end, const OpRegistry& ops, const ReadOptions& options,
                    std::optional<Unit>& unit);

}  // namespace aliascope
