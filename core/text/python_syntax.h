#pragma once
// Operators that Python code writes as symbols (formats.md 5.4): canonical operator to symbol and back. What torch.fx prints as a call stays a call.

#include <string_view>

namespace aliascope {

/// `operator::add` -> `+`; empty when torch.fx prints a call.
std::string_view binarySymbol(std::string_view canonicalOp);
/// `operator::neg` -> `-`.
std::string_view unarySymbol(std::string_view canonicalOp);
/// `operator::iadd` -> `+=`.
std::string_view inPlaceSymbol(std::string_view canonicalOp);
/// `+=` -> `operator.iadd`; empty when it is no such symbol.
std::string_view inPlaceFunction(std::string_view symbol);

}  // namespace aliascope
