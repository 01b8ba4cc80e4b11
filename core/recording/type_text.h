#pragma once
// Types as the rows of the table `type` hold them. Internal to core/recording.
//
// `type.text` is the annotation with strides and device; a tuple is `(a, b)` with `?` for an unknown part. Because texts are unique in the table,
// what else tells two rows apart stands behind it: ` @98304` for a storage offset in elements, ` {s77=8}` for the hints behind the row's numbers when
// another graph of the session gives the symbols other hints.

#include <string>
#include <string_view>

#include "core/ir/type.h"

namespace aliascope::recording {

std::string typeText(const TypePtr& type);
std::string offsetMark(const SymInt& offset);
/// The hints of `symbols` that `type` depends on, as the mark; empty for a constant type.
std::string hintMark(const TypePtr& type, const SymbolTable& symbols);
/// Without the marks.
std::string_view bareTypeText(std::string_view text);
/// Reads `bareTypeText`; never fails.
TypePtr typeFromText(std::string_view text);

/// Exact form for what typeText does not give back (JSON), and its reader; null for broken text.
std::string typeTree(const TypePtr& type);
TypePtr typeFromTree(std::string_view json);

/// `[8,"s77"]`: sizes and strides as a JSON array.
std::string symIntList(const std::vector<SymInt>& list);

}  // namespace aliascope::recording
