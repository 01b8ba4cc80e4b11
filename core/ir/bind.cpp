// Calls and schemas: which value goes to which parameter, and which overload is meant (schemas.md 2).

#include "core/ir/bind.h"

#include <algorithm>

namespace aliascope {
namespace {

/// How well a value fits a type: the number of coercions; nothing = not at all.
using Fit = std::optional<int>;
constexpr int coerced = 1, exact = 0;

Fit fitNode(const Graph& g, NodeId id, const SchemaType& type);
Fit fitValue(const Graph& g, const Value& v, const SchemaType& type);

bool oneOf(Name base, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [base](std::string_view n) { return base == n; });
}

/// One lower-case letter, perhaps with a number or `Val`: a type variable of TorchScript.
bool isTypeVariable(Name base) { return base.view().size() <= 4 && base.view().starts_with('t'); }

Fit fitNode(const Graph& g, NodeId id, const SchemaType& type) {
    const TypePtr& t = g.contains(id) ? g[id].type : nullptr;
    const bool isSym = t && t->asSym(), isTensor = t && t->asTensor(), isTuple = t && t->asTuple();
    if (type.kind == SchemaType::Kind::List) {
        if (isTensor) return std::nullopt;
        if (isSym) return type.fixedSize && oneOf(type.parts[0].innermost(), {"int", "SymInt"}) ? Fit(coerced) : std::nullopt;
        return isTuple ? exact : coerced;
    }
    if (isTuple) return std::nullopt;
    const Name base = type.innermost();
    if (base == "Tensor") return isSym ? coerced : exact;
    if (isTypeVariable(base)) return coerced;
    if (oneOf(base, {"int", "SymInt", "float", "SymFloat", "bool", "SymBool", "Scalar"}))
        return isTensor ? std::nullopt : isSym ? Fit(exact) : Fit(coerced);
    return isTensor || isSym ? std::nullopt : Fit(coerced);
}

Fit fitList(const Graph& g, const Value& v, const SchemaType& type) {
    if (type.kind != SchemaType::Kind::List) return isTypeVariable(type.innermost()) ? Fit(coerced) : std::nullopt;
    int total = exact;
    for (const Value& item : v.items()) {
        const Fit f = fitValue(g, item, type.parts[0]);
        if (!f) return std::nullopt;
        total = std::max(total, *f);
    }
    return total;
}

Fit fitValue(const Graph& g, const Value& v, const SchemaType& type) {
    if (type.kind == SchemaType::Kind::Optional) return v.isNone() ? Fit(exact) : fitValue(g, v, type.parts[0]);
    using Kind = Value::Kind;
    const Name base = type.innermost();
    const auto among = [&](std::initializer_list<std::string_view> same, std::initializer_list<std::string_view> near) -> Fit {
        if (type.kind == SchemaType::Kind::List) {  // a single int stands for a list of it
            const bool number = v.kind() == Kind::Int || v.kind() == Kind::Sym;
            return number && type.fixedSize && oneOf(base, {"int", "SymInt"}) ? Fit(coerced) : std::nullopt;
        }
        if (oneOf(base, same)) return exact;
        return oneOf(base, near) || isTypeVariable(base) ? Fit(coerced) : std::nullopt;
    };
    switch (v.kind()) {
        case Kind::None:
            return base == "NoneType" ? Fit(exact) : std::nullopt;
        case Kind::Node:
            return fitNode(g, v.asNode(), type);
        case Kind::List:
        case Kind::Tuple:
            return fitList(g, v, type);
        case Kind::Bool:
            return among({"bool", "SymBool"}, {"Scalar", "int", "SymInt", "Tensor"});
        case Kind::Int: {
            const bool small = *v.asInt() == 0 || *v.asInt() == 1;
            if (base == "bool" && !small) return std::nullopt;
            return among({"int", "SymInt", "Scalar"}, {"float", "SymFloat", "Tensor", "bool", "complex", "ScalarType", "MemoryFormat", "Layout"});
        }
        case Kind::BigInt:
            return among({"int", "SymInt", "Scalar"}, {"float", "Tensor"});
        case Kind::Float:
            return among({"float", "SymFloat", "Scalar"}, {"Tensor", "complex"});
        case Kind::Complex:
            return among({"complex", "Scalar"}, {"Tensor"});
        case Kind::Sym:
            return among({"int", "SymInt", "SymFloat", "SymBool", "Scalar"}, {"float", "bool", "Tensor"});
        case Kind::String:
            return among({"str"}, {"Device", "Dimname", "ScalarType", "Layout", "MemoryFormat"});
        case Kind::Device:
            return among({"Device"}, {"str"});
        case Kind::Const:
            return among({"ScalarType", "Layout", "MemoryFormat"}, {"int", "float", "str"});
        default:
            return type.kind == SchemaType::Kind::List && v.kind() != Kind::Opaque && v.kind() != Kind::Range ? std::nullopt : Fit(coerced);
    }
}

/// Coercions and parameters left to their defaults, if the call binds and every given value fits.
std::optional<std::pair<int, int>> fitCall(const Graph& g, const OpDef& op, const Node& node) {
    const auto bound = bindCall(op, node.args, node.kwargs);
    if (!bound) return std::nullopt;
    int coercions = 0, defaulted = 0;
    for (std::size_t i = 0; i < bound->values.size(); ++i) {
        if (!bound->given[i]) {
            ++defaulted;
            continue;
        }
        const Fit f = fitValue(g, bound->values[i], op.schema.params[i].type);
        if (!f) return std::nullopt;
        coercions += *f;
    }
    return std::pair(coercions, defaulted);
}

}  // namespace

LooseBinding bindLoosely(const Schema& schema, const std::vector<Value>& args, const std::vector<Keyword>& kwargs) {
    LooseBinding b;
    b.values.resize(schema.params.size());
    b.given.assign(schema.params.size(), false);
    const auto complain = [&b](std::string why) {
        if (b.why.empty()) b.why = std::move(why);
    };
    std::size_t positional = 0;
    while (positional < schema.params.size() && !schema.params[positional].keywordOnly) ++positional;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i < positional) {
            b.values[i] = args[i];
            b.given[i] = true;
        } else if (!schema.variadic) {
            b.surplus.push_back(args[i]);
            complain(std::to_string(args.size()) + " positional values for " + std::to_string(positional) + " parameters");
        }
    }
    for (const auto& [key, value] : kwargs) {
        const int at = schema.paramIndex(key);
        if (at < 0) {
            if (schema.variadic) continue;
            b.surplus.push_back(value);
            complain("there is no parameter " + key.str());
        } else if (b.given[std::size_t(at)]) {
            b.surplus.push_back(value);
            complain(key.str() + " is given twice");
        } else {
            b.values[std::size_t(at)] = value;
            b.given[std::size_t(at)] = true;
        }
    }
    for (std::size_t i = 0; i < schema.params.size(); ++i) {
        if (b.given[i]) continue;
        if (schema.params[i].defaultValue)
            b.values[i] = *schema.params[i].defaultValue;
        else
            complain(schema.params[i].name.str() + " is missing");
    }
    return b;
}

const Value* BoundCall::find(Name param) const {
    const int at = op ? op->schema.paramIndex(param) : -1;
    return at < 0 ? nullptr : &values[std::size_t(at)];
}

Result<BoundCall> bindCall(const OpDef& op, const std::vector<Value>& args, const std::vector<Keyword>& kwargs) {
    LooseBinding b = bindLoosely(op.schema, args, kwargs);
    if (!b.why.empty()) return fail(warning("R023", {{"op", op.canonical.str()}, {"why", b.why}}));
    return BoundCall{&op, std::move(b.values), std::move(b.given)};
}

Result<BoundCall> bindCall(const OpRegistry& ops, const Node& node) {
    const OpDef* op = ops.find(node.op);
    if (!op) {
        Diagnostic d = info("R022", {{"op", node.op ? node.op.str() : node.target.str()}});
        d.node = node.name;
        return fail(std::move(d));
    }
    auto bound = bindCall(*op, node.args, node.kwargs);
    if (!bound) bound.error().node = node.name;
    return bound;
}

const OpDef* resolveOverload(const OpRegistry& ops, const Graph& g, const Node& node) {
    if (!node.op) return nullptr;
    const OpDef* named = ops.find(node.op);
    const bool stated = node.op.view().find('.') != std::string_view::npos || node.target.view().ends_with(".default");
    if (stated) return named;
    const OpDef* best = nullptr;
    std::pair<int, int> bestFit{};
    bool several = false;
    for (const OpDef* candidate : ops.overloads(node.op)) {
        const auto fit = fitCall(g, *candidate, node);
        if (!fit) continue;
        if (!best || *fit < bestFit) {
            best = candidate;
            bestFit = *fit;
            several = false;
        } else if (*fit == bestFit) {
            several = best != named;
            if (candidate == named) best = named, several = false;
        }
    }
    if (!best) return named;
    return several ? nullptr : best;
}

}  // namespace aliascope
