#include "core/text/python_syntax.h"

#include <array>
#include <utility>

namespace aliascope {
namespace {

using Row = std::pair<std::string_view, std::string_view>;  // name in the operator module, symbol

constexpr std::array<Row, 20> kBinary = {{{"add", "+"},  {"sub", "-"}, {"mul", "*"},  {"floordiv", "//"}, {"truediv", "/"},
                                          {"div", "/"},  {"mod", "%"}, {"pow", "**"}, {"lshift", "<<"},   {"rshift", ">>"},
                                          {"and_", "&"}, {"or_", "|"}, {"xor", "^"},  {"matmul", "@"},    {"eq", "=="},
                                          {"ne", "!="},  {"lt", "<"},  {"gt", ">"},   {"le", "<="},       {"ge", ">="}}};
constexpr std::array<Row, 3> kUnary = {{{"pos", "+"}, {"neg", "-"}, {"invert", "~"}}};
constexpr std::array<Row, 13> kInPlace = {{{"iadd", "+="},
                                           {"isub", "-="},
                                           {"imul", "*="},
                                           {"imatmul", "@="},
                                           {"itruediv", "/="},
                                           {"ifloordiv", "//="},
                                           {"imod", "%="},
                                           {"ipow", "**="},
                                           {"iand", "&="},
                                           {"ior", "|="},
                                           {"ixor", "^="},
                                           {"ilshift", "<<="},
                                           {"irshift", ">>="}}};

template <std::size_t N>
std::string_view symbolOf(const std::array<Row, N>& rows, std::string_view op) {
    constexpr std::string_view prefix = "operator::";
    if (op.substr(0, prefix.size()) != prefix) return {};
    for (const Row& row : rows)
        if (row.first == op.substr(prefix.size())) return row.second;
    return {};
}

}  // namespace

std::string_view binarySymbol(std::string_view op) { return symbolOf(kBinary, op); }
std::string_view unarySymbol(std::string_view op) { return symbolOf(kUnary, op); }
std::string_view inPlaceSymbol(std::string_view op) { return symbolOf(kInPlace, op); }

std::string_view inPlaceFunction(std::string_view symbol) {
    static constexpr std::array<std::string_view, 13> kFunctions = {
        "operator.iadd", "operator.isub", "operator.imul", "operator.imatmul", "operator.itruediv", "operator.ifloordiv", "operator.imod",
        "operator.ipow", "operator.iand", "operator.ior",  "operator.ixor",    "operator.ilshift",  "operator.irshift"};
    for (std::size_t i = 0; i < kInPlace.size(); ++i)
        if (kInPlace[i].second == symbol) return kFunctions[i];
    return {};
}

}  // namespace aliascope
