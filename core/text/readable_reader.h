#pragma once
// Reader of readable Python (formats.md 5): a class with a `forward`, nested modules inside, or a `def forward` alone.

#include <optional>

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Reads the module whose class or def line starts at `begin`; gives the start of the first line behind it. A class without `forward` leaves
/// `unit` empty.
std::size_t readReadable(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit);

/// Reads statements without frame from `begin` to `end` (formats.md 2, step 16).
void readStatements(const SourceText& source, std::size_t begin, std::size_t end, const OpRegistry& ops, const ReadOptions& options,
                    std::optional<Unit>& unit);

}  // namespace aliascope
