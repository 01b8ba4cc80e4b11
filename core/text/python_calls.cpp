#include "core/text/python_calls.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_set>

#include "core/text/literals.h"
#include "core/text/python_expr.h"

namespace aliascope {
namespace {

const Value* keyword(const std::vector<Keyword>& kwargs, std::string_view key) {
    for (const auto& [k, v] : kwargs)
        if (k == key) return &v;
    return nullptr;
}

std::optional<Value> deviceValue(const std::vector<Value>& args, const std::vector<Keyword>& kwargs) {
    const Value* type = keyword(kwargs, "type");
    const Value* index = keyword(kwargs, "index");
    if (!type && !args.empty()) type = &args[0];
    if (!index && args.size() > 1) index = &args[1];
    if (!type || type->kind() != Value::Kind::String) return std::nullopt;
    std::string text = type->name().str();
    if (index && index->isInt()) text += ":" + std::to_string(*index->asInt());
    if (!isDeviceSpelling(text)) return std::nullopt;
    return Value::device(Name(text));
}

std::optional<Value> wrappedValue(std::string_view path, const std::vector<Value>& args, std::string_view text) {
    if (args.size() != 1 || args[0].kind() != Value::Kind::String) {
        if (path != "Sym") return std::nullopt;
        const std::string_view inside = text.substr(text.find('(') + 1, text.size() - text.find('(') - 2);
        const auto sym = SymInt::parse(inside);
        return Value::sym(sym ? *sym : SymInt::opaque(inside));
    }
    const Name inside = args[0].name();
    if (path == "Sym") {
        const auto sym = SymInt::parse(inside.view());
        return Value::sym(sym ? *sym : SymInt::opaque(inside.view()));
    }
    if (path == "Const") return Value::constant(inside);
    if (path == "Device") return Value::device(inside);
    if (path == "Op") return Value::op(inside);
    if (path == "BigInt") return Value::named(Value::Kind::BigInt, inside);
    if (path == "Complex") return Value::named(Value::Kind::Complex, inside);
    return Value::named(Value::Kind::Opaque, inside);
}

bool isWrapper(std::string_view path) {
    static constexpr std::array<std::string_view, 7> kWrappers = {"Sym", "Const", "Device", "Op", "BigInt", "Complex", "Opaque"};
    return std::find(kWrappers.begin(), kWrappers.end(), path) != kWrappers.end();
}

bool isSymbolicFunction(std::string_view path) {
    static const std::unordered_set<std::string_view> kFunctions = {
        "Max",        "Min",          "Mod",       "PythonMod",    "FloorDiv",     "CleanDiv",   "CeilDiv",      "ModularIndexing",
        "Where",      "FloorToInt",   "CeilToInt", "TruncToInt",   "TruncToFloat", "RoundToInt", "RoundDecimal", "ToFloat",
        "IntTrueDiv", "FloatTrueDiv", "FloatPow",  "PowByNatural", "LShift",       "RShift",     "Identity",     "Piecewise",
        "Eq",         "Ne",           "Lt",        "Le",           "Gt",           "Ge",         "And",          "Or",
        "Not",        "Abs",          "Symbol",    "Integer",      "Rational"};
    return kFunctions.contains(path);
}

}  // namespace

std::optional<Value> specialValue(std::string_view path, const std::vector<Value>& args, const std::vector<Keyword>& kwargs, std::string_view text) {
    if (path.substr(0, 10) == "torch.ops.") return std::nullopt;
    if (path == "device" || path == "torch.device") return deviceValue(args, kwargs);
    if (path == "torch.Size" && args.size() == 1 && args[0].isSequence()) return Value::tuple(args[0].items());
    if (path == "torch.Tensor" && keyword(kwargs, "size")) return Value::named(Value::Kind::Opaque, Name(text));
    if (path.find('.') != path.npos) return std::nullopt;
    if (path == "slice" && kwargs.empty() && !args.empty() && args.size() <= 3) {
        if (args.size() == 1) return Value::slice(Value::none(), args[0], Value::none());
        return Value::slice(args[0], args[1], args.size() > 2 ? args[2] : Value::none());
    }
    if (path == "range" && kwargs.empty() && !args.empty() && args.size() <= 3) return Value::range(args);
    if (path == "float" && args.size() == 1 && args[0].kind() == Value::Kind::String) {
        const std::string_view word = args[0].name().view();
        const double sign = word.substr(0, 1) == "-" ? -1.0 : 1.0;
        if (word == "inf" || word == "-inf") return Value::real(sign * std::numeric_limits<double>::infinity());
        if (word == "nan") return Value::real(std::numeric_limits<double>::quiet_NaN());
        return std::nullopt;
    }
    if (isWrapper(path) && kwargs.empty()) return wrappedValue(path, args, text);
    if (isSymbolicFunction(path) && std::none_of(args.begin(), args.end(), usesNodes))
        if (const auto sym = SymInt::parse(text)) return Value::sym(*sym);
    return std::nullopt;
}

std::optional<Value> builtinValue(std::string_view name) {
    static const std::unordered_set<std::string_view> kTypes = {"int", "float",  "bool", "str",      "complex",        "tuple",  "list", "dict",
                                                                "set", "object", "type", "NoneType", "NotImplemented", "device", "torch"};
    if (name == "inf") return Value::real(std::numeric_limits<double>::infinity());
    if (name == "nan") return Value::real(std::numeric_limits<double>::quiet_NaN());
    if (name == "Ellipsis") return Value::ellipsis();
    if (kTypes.contains(name)) return Value::named(Value::Kind::Opaque, Name(name));
    return std::nullopt;
}

}  // namespace aliascope
