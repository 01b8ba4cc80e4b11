#pragma once
// Reader of tables (formats.md 14), as Graph.print_tabular and the `graph` log artifact of PyTorch 2.0 write them.

#include <optional>
#include <string_view>

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// `opcode  name  target  args  kwargs`, possibly behind other words; the rule of dashes below it; a row. Lines without their line feed.
bool isTableLine(std::string_view line);

/// Reads the table whose header, rule or first row starts at `begin`; gives the start of the first line behind it. A header without rows leaves
/// `unit` empty.
std::size_t readTable(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit);

}  // namespace aliascope
