#pragma once
// Symbols of sizes replaced by expressions over others: graphs of different compilations use the same names for different sizes.

#include <map>

#include "core/ir/graph.h"

namespace aliascope {

/// Symbol -> what stands for it.
using SymbolSubstitution = std::map<Name, SymInt>;

/// Values that name none of the symbols come back as they are. What cannot be parsed again becomes an opaque term.
SymInt substituted(const SymInt& s, const SymbolSubstitution& by);
TypePtr substituted(const TypePtr& type, const SymbolSubstitution& by);
Value substituted(const Value& v, const SymbolSubstitution& by);

}  // namespace aliascope
