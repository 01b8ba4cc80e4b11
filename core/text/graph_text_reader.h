#pragma once
// Reader of `graph():` text and of runs of its node lines (formats.md 4).

#include <optional>

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Reads the graph whose header or first node line starts at `begin`; gives the start of the first line behind it. Nothing is put into `unit`
/// when the lines are no tensor graph (loop bodies that Inductor prints in the same syntax): `unit` stays empty then.
std::size_t readGraphText(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit);

}  // namespace aliascope
