#include "core/ops/structural.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/higher_order.h"

namespace aliascope {
namespace {

using TypeOf = std::function<TypePtr(NodeId)>;

Inferred known(TypePtr type) { return type ? Inferred{std::move(type), Trust::Inferred} : Inferred{}; }

// --- getitem ---------------------------------------------------------------------------------------------------------------------------------

Inferred inferGetItem(const Graph& g, const Node& n, const TypeOf& typeOf) {
    const NodeId source = n.arg(0).asNode();
    if (!source) return {};
    if (n.arg(1).kind() == Value::Kind::String) {
        const Value* tensors = g[source].kwarg("kwargs"_n);
        const Value* value = tensors ? tensors->find(n.arg(1).name()) : nullptr;
        return value ? known(valueType(*value, typeOf)) : Inferred{};
    }
    const TypePtr type = typeOf(source);
    const auto* parts = type ? type->asTuple() : nullptr;
    auto index = n.arg(1).asInt();
    if (!parts || !index) return {};
    const auto count = static_cast<std::int64_t>(parts->size());
    if (*index < 0) *index += count;
    return *index >= 0 && *index < count ? known((*parts)[static_cast<std::size_t>(*index)]) : Inferred{};
}

// --- arithmetic on symbols -------------------------------------------------------------------------------------------------------------------

struct SymOperand {
    SymInt value;
    bool integer = true;
};

std::optional<SymOperand> symOperand(const Value& v, const TypeOf& typeOf) {
    switch (v.kind()) {
        case Value::Kind::Int:
            return SymOperand{SymInt(*v.asInt()), true};
        case Value::Kind::Float:
            return SymOperand{SymInt::opaque(pythonFloat(*v.asNumber())), false};
        case Value::Kind::Sym:
            return SymOperand{v.asSym(), !v.asSym().isOpaque()};
        case Value::Kind::Node: {
            const TypePtr type = typeOf(v.asNode());
            const SymInt* s = type ? type->asSym() : nullptr;
            return s ? std::optional(SymOperand{*s, !s->isOpaque()}) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

enum class Arithmetic { Add, Sub, Mul, FloorDiv, Mod, Min, Max, Neg, Same, TrueDiv, Pow, Compare };

struct SymOperator {
    Arithmetic kind;
    const char* sign;  ///< as the symbol grammar spells it
};

const std::unordered_map<Name, SymOperator>& symOperators() {
    static const std::unordered_map<Name, SymOperator> table = {
        {"operator::add"_n, {Arithmetic::Add, " + "}},     {"operator::sub"_n, {Arithmetic::Sub, " - "}},
        {"operator::mul"_n, {Arithmetic::Mul, "*"}},       {"operator::floordiv"_n, {Arithmetic::FloorDiv, "//"}},
        {"operator::mod"_n, {Arithmetic::Mod, "%"}},       {"operator::truediv"_n, {Arithmetic::TrueDiv, "/"}},
        {"operator::pow"_n, {Arithmetic::Pow, "**"}},      {"operator::neg"_n, {Arithmetic::Neg, "-"}},
        {"operator::pos"_n, {Arithmetic::Same, ""}},       {"operator::index"_n, {Arithmetic::Same, ""}},
        {"torch::sym_int"_n, {Arithmetic::Same, ""}},      {"torch::sym_max"_n, {Arithmetic::Max, "Max"}},
        {"torch::sym_min"_n, {Arithmetic::Min, "Min"}},    {"operator::eq"_n, {Arithmetic::Compare, "Eq"}},
        {"operator::ne"_n, {Arithmetic::Compare, "Ne"}},   {"operator::lt"_n, {Arithmetic::Compare, " < "}},
        {"operator::le"_n, {Arithmetic::Compare, " <= "}}, {"operator::gt"_n, {Arithmetic::Compare, " > "}},
        {"operator::ge"_n, {Arithmetic::Compare, " >= "}},
    };
    return table;
}

/// The operation as text; nothing when it grows long, as it would by doubling at every line of `x1 = x0 / x0; x2 = x1 / x1`.
std::optional<SymInt> spelled(const SymOperand& a, const char* sign, const SymOperand& b) {
    constexpr std::size_t longest = 4096;
    const bool call = sign[0] >= 'A' && sign[0] <= 'Z';
    const std::string text =
        call ? std::string(sign) + "(" + a.value.str() + ", " + b.value.str() + ")" : "(" + a.value.str() + ")" + sign + "(" + b.value.str() + ")";
    if (text.size() > longest) return std::nullopt;
    auto parsed = SymInt::parse(text);
    return parsed ? *parsed : SymInt::opaque(text);
}

std::optional<SymInt> combine(const SymOperator& op, const SymOperand& a, const SymOperand& b) {
    if (a.integer && b.integer) {
        switch (op.kind) {
            case Arithmetic::Add:
                return a.value + b.value;
            case Arithmetic::Sub:
                return a.value - b.value;
            case Arithmetic::Mul:
                return a.value * b.value;
            case Arithmetic::FloorDiv:
                return b.value.constant() == 0 ? std::nullopt : std::optional(floorDiv(a.value, b.value));
            case Arithmetic::Mod:
                return b.value.constant() == 0 ? std::nullopt : std::optional(mod(a.value, b.value));
            case Arithmetic::Max:
                return max(a.value, b.value);
            case Arithmetic::Min:
                return min(a.value, b.value);
            default:
                break;
        }
    }
    return spelled(a, op.sign, b);
}

Inferred inferSymbolic(const Node& n, const TypeOf& typeOf) {
    if (n.op == "torch::sym_sum"_n) {
        SymInt sum = 0;
        for (const Value& v : n.arg(0).items()) {
            auto operand = symOperand(v, typeOf);
            if (!operand || !operand->integer) return {};
            sum = sum + operand->value;
        }
        return known(Type::sym(sum));
    }
    auto it = symOperators().find(n.op);
    if (it == symOperators().end()) return {};
    auto a = symOperand(n.arg(0), typeOf);
    if (!a) return {};
    if (it->second.kind == Arithmetic::Same) return known(Type::sym(a->value));
    if (it->second.kind == Arithmetic::Neg) return known(Type::sym(SymInt(0) - a->value));
    auto b = symOperand(n.arg(1), typeOf);
    auto value = b ? combine(it->second, *a, *b) : std::nullopt;
    return value ? known(Type::sym(*value)) : Inferred{};
}

// --- functional wrappers and bodies ------------------------------------------------------------------------------------------------------------

/// Returns of the wrapped operator, then what follows. Types of the returns are not known here, `None` is a null part too.
std::vector<TypePtr> returnSlots(const OpDef& op) { return std::vector<TypePtr>(std::max<std::size_t>(1, op.schema.returns.size())); }

/// Results from R on: the new value of each written argument, counting those that are None (functionalize.md 5).
Inferred inferAutoFunctionalized(const OpRegistry& ops, const Node& n, const TypeOf& typeOf) {
    const OpDef* op = n.arg(0).kind() == Value::Kind::Op ? ops.find(n.arg(0).name()) : nullptr;
    if (!op) return {};
    std::vector<TypePtr> parts = returnSlots(*op);
    for (std::size_t p : op->schema.writtenParams()) {
        const Value* v = n.kwarg(op->schema.params[p].name);
        parts.push_back(v ? valueType(*v, typeOf) : nullptr);
    }
    return known(Type::tuple(std::move(parts)));
}

/// Largest index with which a getitem reads the tuple, plus one.
std::size_t readParts(const Graph& g, const Node& n) {
    std::int64_t largest = -1;
    for (const Node::User& u : n.users) {
        const Node& user = g[u.id];
        if (user.op == "operator::getitem"_n) largest = std::max(largest, user.arg(1).asInt().value_or(-1));
    }
    return static_cast<std::size_t>(largest) + 1;
}

/// Results from R on: the new value of each base (functionalize.md 6.4). Without a schema R follows from the parts that are read.
Inferred inferAutoFunctionalizedV2(const OpRegistry& ops, const Graph& g, const Node& n, const TypeOf& typeOf) {
    const Value* bases = n.kwarg("_all_bases"_n);
    if (!bases) return {};
    const OpDef* op = n.arg(0).kind() == Value::Kind::Op ? ops.find(n.arg(0).name()) : nullptr;
    const std::size_t read = readParts(g, n), count = bases->items().size();
    std::vector<TypePtr> parts = op ? returnSlots(*op) : std::vector<TypePtr>(read > count ? std::min<std::size_t>(read - count, 64) : 1);
    for (const Value& base : bases->items()) parts.push_back(valueType(base, typeOf));
    return known(Type::tuple(std::move(parts)));
}

/// Result types of the first body that the call names: those of its output.
Inferred inferFromBody(const Graph& g, const Node& n) {
    auto call = bodyOf(g, n);
    if (!call || !call->body->output()) return {};
    const Graph* body = call->body;
    return known(valueType((*body)[body->output()].arg(0), [body](NodeId id) { return (*body)[id].type; }));
}

Inferred inferHigherOrder(const OpRegistry& ops, const Graph& g, const Node& n, const TypeOf& typeOf) {
    if (n.op == "hop::auto_functionalized"_n) return inferAutoFunctionalized(ops, n, typeOf);
    if (n.op == "hop::auto_functionalized_v2"_n) return inferAutoFunctionalizedV2(ops, g, n, typeOf);
    if (returnsBodyResults(n.op)) return inferFromBody(g, n);
    if (n.op == "hop::while_loop"_n) return known(valueType(n.arg(2), typeOf));  // the carried values keep their types
    return {};
}

}  // namespace

bool isStructural(Name op) {
    const std::string_view text = op.view();
    return text.starts_with("operator::") || text.starts_with("hop::") || text.starts_with("torch::sym_") || text.starts_with("math::");
}

TypePtr valueType(const Value& v, const TypeOf& typeOf) {
    if (v.isNode()) return typeOf(v.asNode());
    if (!v.isSequence()) return nullptr;
    std::vector<TypePtr> parts;
    parts.reserve(v.items().size());
    for (const Value& item : v.items()) parts.push_back(valueType(item, typeOf));
    return Type::tuple(std::move(parts));
}

Inferred inferStructural(const OpRegistry& ops, const Graph& g, const Node& n, const TypeOf& typeOf) {
    if (n.op == "operator::getitem"_n) return inferGetItem(g, n, typeOf);
    if (n.op.view().starts_with("hop::")) return inferHigherOrder(ops, g, n, typeOf);
    return inferSymbolic(n, typeOf);
}

}  // namespace aliascope
