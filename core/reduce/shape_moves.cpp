#include <algorithm>
#include <functional>
#include <set>

#include "core/ops/infer.h"
#include "core/reduce/reduce_moves.h"

namespace aliascope::reduce {
namespace {

using SizeMap = std::function<SymInt(const SymInt&)>;

/// Dense strides of `sizes` in the order in which the dimensions of `t` lie in memory.
std::vector<SymInt> stridesInOrder(const TensorType& t, const std::vector<SymInt>& sizes) {
    const auto& old = *t.strides;
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto x = old[a].constant(), y = old[b].constant();
        return x && y && *x > *y;
    });
    std::vector<SymInt> inOrder;
    for (std::size_t d : order) inOrder.push_back(sizes[d]);
    const std::vector<SymInt> dense = TensorType::contiguousStrides(inOrder);
    std::vector<SymInt> out(sizes.size());
    for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = dense[k];
    return out;
}

/// Nothing when no size changes.
std::optional<TensorType> resized(const TensorType& t, const SizeMap& map) {
    TensorType out = t;
    for (SymInt& s : out.sizes) s = map(s);
    if (out.sizes == t.sizes) return std::nullopt;
    if (t.strides) {
        const bool constant = std::all_of(t.strides->begin(), t.strides->end(), [](const SymInt& s) { return s.isConst(); });
        out.strides = t.isContiguous() || !constant ? TensorType::contiguousStrides(out.sizes) : stridesInOrder(t, out.sizes);
    }
    out.offset.reset();
    return out;
}

/// Types of calls from those of their operands; where nothing is known of an operator, sizes as mapped. Bodies of higher-order operators follow.
void retype(Graph& g, const OpRegistry& ops, const SizeMap& map) {
    for (NodeId id : g.order()) {
        if (g[id].isCall())
            if (const Inferred inferred = inferNode(ops, g, id); inferred.type) {
                g.setType(id, inferred.type, inferred.trust);
                continue;
            }
        if (g[id].kind == NodeKind::Output || !g[id].tensor()) continue;
        if (auto type = resized(*g[id].tensor(), map)) g.setType(id, Type::tensor(std::move(*type)), Trust::Stated);
    }
    for (const Graph::SubGraph& body : g.subGraphs()) retype(*body.graph, ops, map);
}

Value withNumber(const Value& v, std::int64_t from, std::int64_t to) {
    if (v.kind() == Value::Kind::Int) return *v.asInt() == from ? Value::integer(to) : v;
    if (!v.isSequence()) return v;
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(withNumber(item, from, to));
    return Value::container(v.kind(), std::move(items));
}

void replaceNumbers(Graph& g, std::int64_t from, std::int64_t to) {
    for (NodeId id : g.order()) {
        if (!g[id].isCall()) continue;
        std::vector<Value> args;
        for (const Value& v : g[id].args) args.push_back(withNumber(v, from, to));
        if (!std::equal(args.begin(), args.end(), g[id].args.begin())) g.setArgs(id, std::move(args));
    }
    for (const Graph::SubGraph& body : g.subGraphs()) replaceNumbers(*body.graph, from, to);
}

SymInt hintOf(const SymInt& s, const SymbolTable& symbols) {
    if (s.isConst()) return s;
    SymbolTable known = symbols;
    for (Name symbol : s.symbols())
        if (!known[symbol].hint) known[symbol].hint = 8;
    const auto value = s.evaluate(known);
    return value ? SymInt(*value) : s;
}

/// Uses of nodes whose value is a known number become the number.
void replaceKnownNumbers(Graph& g) {
    for (NodeId id : g.order()) {
        const SymInt* s = g[id].type ? g[id].type->asSym() : nullptr;
        if (!s || !s->isConst()) continue;
        for (NodeId user : g.users(id)) g.replaceUsesIn(user, id, Value::integer(*s->constant()));
        if (g[id].isCall()) g.erase(id);
    }
}

}  // namespace

std::vector<std::int64_t> inputSizes(const Graph& g) {
    std::set<std::int64_t, std::greater<>> sizes;
    for (NodeId id : g.placeholders())
        if (const TensorType* t = g[id].tensor())
            for (const SymInt& s : t->sizes)
                if (s.isConst() && *s.constant() > 1) sizes.insert(*s.constant());
    return {sizes.begin(), sizes.end()};
}

bool resize(Graph& g, const OpRegistry& ops, std::int64_t from, std::int64_t to, bool numbers) {
    if (numbers) replaceNumbers(g, from, to);
    retype(g, ops, [&](const SymInt& s) { return s.isConst() && *s.constant() == from ? SymInt(to) : s; });
    return true;
}

bool resizeDimension(Graph& g, const OpRegistry& ops, NodeId input, std::size_t dimension, std::int64_t to) {
    const TensorType& t = *g[input].tensor();
    if (!t.strides || t.sizes[dimension] == SymInt(to)) return false;
    TensorType type = t;
    type.sizes[dimension] = SymInt(to);
    type.strides = stridesInOrder(t, type.sizes);
    type.offset.reset();
    g.setType(input, Type::tensor(std::move(type)), Trust::Stated);
    retype(g, ops, [](const SymInt& s) { return s; });
    return true;
}

bool makeContiguous(Graph& g, const OpRegistry& ops, NodeId input) {
    const TensorType* t = g[input].tensor();
    if (!t || !t->strides || *t->strides == TensorType::contiguousStrides(t->sizes)) return false;
    TensorType type = *t;
    type.strides = TensorType::contiguousStrides(type.sizes);
    type.offset.reset();
    g.setType(input, Type::tensor(std::move(type)), Trust::Stated);
    retype(g, ops, [](const SymInt& s) { return s; });
    return true;
}

bool makeStatic(Graph& g, const OpRegistry& ops) {
    const SymbolTable symbols = g.symbols;
    const SizeMap hints = [&](const SymInt& s) { return hintOf(s, symbols); };
    bool changed = false;
    for (NodeId id : g.placeholders()) {
        const SymInt* s = g[id].type ? g[id].type->asSym() : nullptr;
        if (!s || s->isConst()) continue;
        g.setType(id, Type::sym(hints(*s)), Trust::Stated);
        changed = true;
    }
    for (NodeId id : g.placeholders())
        if (const TensorType* t = g[id].tensor(); t && std::any_of(t->sizes.begin(), t->sizes.end(), [](const SymInt& s) { return !s.isConst(); })) {
            TensorType type = *t;
            for (SymInt& s : type.sizes) s = hints(s);
            if (type.strides)
                for (SymInt& s : *type.strides) s = hints(s);
            g.setType(id, Type::tensor(std::move(type)), Trust::Stated);
            changed = true;
        }
    if (!changed) return false;
    retype(g, ops, hints);
    replaceKnownNumbers(g);
    return true;
}

}  // namespace aliascope::reduce
