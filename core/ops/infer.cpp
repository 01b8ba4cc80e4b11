#include "core/ops/infer.h"

#include <algorithm>

#include "core/ops/layout.h"
#include "core/ops/structural.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

/// `aten::slice.Tensor` -> `aten::slice_copy.Tensor`.
std::string copyForm(std::string_view op) {
    const auto dot = op.find('.', op.find("::"));
    std::string out(op.substr(0, dot));
    out += "_copy";
    if (dot != std::string_view::npos) out += op.substr(dot);
    return out;
}

/// Result types of a view, or of the row-major copy of one.
Inferred fromView(const InferContext& c, ViewFn view, bool copy) {
    const TensorType* base = c.tensor(0);
    if (!base) return {};
    auto result = view(c, *base);
    if (!result) return {};
    std::vector<TypePtr> parts;
    for (TensorType& t : result->types) {
        t.offset.reset();
        if (copy) t.strides = TensorType::contiguousStrides(t.sizes);
        parts.push_back(Type::tensor(std::move(t)));
    }
    if (result->list) return inferred(std::move(parts));
    return parts.empty() ? Inferred{} : Inferred{parts.front(), Trust::Inferred};
}

/// Results of an operator that returns arguments which it wrote (`add_`, `copy_`, `add.out`); null when it does not.
TypePtr returnedArguments(const InferContext& c, bool& all) {
    const Schema& schema = c.call.op->schema;
    std::vector<TypePtr> parts;
    all = !schema.returns.empty();
    for (std::size_t r = 0; r < schema.returns.size() && all; ++r) {
        std::size_t p = 0;
        while (p < schema.params.size() && schema.alias(r, p) != AliasKind::Same) ++p;
        all = p < schema.params.size();
        if (all) parts.push_back(valueType(c.value(p), c.typeOf));
    }
    if (!all) return nullptr;
    return parts.size() == 1 ? parts.front() : Type::tuple(std::move(parts));
}

/// The value that `n` is cut from, returns as it is, or copies together with its place in the storage; invalid when it owns its storage.
NodeId placedBy(const OpRegistry& ops, const Node& n) {
    if (n.kind != NodeKind::CallFunction) return {};
    static const Name getitem = "operator::getitem"_n;
    if (n.op == getitem) return n.arg(0).asNode();
    const OpInference* entry = InferTable::instance().find(n.op);
    const OpDef* def = ops.find(n.op);
    const bool placed = (entry && entry->view) || (def && (def->is(Trait::Scatter) || def->schema.isInPlace()));
    return placed ? n.arg(0).asNode() : NodeId();
}

/// Offset of a node's value: views applied again from the value that owns the storage on.
std::optional<SymInt> absoluteOffset(const OpRegistry& ops, const Graph& g, NodeId id, const std::function<TypePtr(NodeId)>& typeOf) {
    std::vector<NodeId> chain;
    constexpr std::size_t longest = 256;
    for (NodeId at = id; at; at = placedBy(ops, g[at])) {
        if (chain.size() == longest) return std::nullopt;
        chain.push_back(at);
    }
    std::vector<TensorType> parts;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        const Node& n = g[*at];
        if (n.op == "operator::getitem"_n && !parts.empty()) {
            auto index = n.arg(1).asInt();
            if (!index || *index < 0 || static_cast<std::size_t>(*index) >= parts.size()) return std::nullopt;
            parts = {parts[static_cast<std::size_t>(*index)]};
        } else if (auto call = parts.empty() ? fail(Diagnostic{}) : bindCall(ops, n); call) {
            auto view = viewResult(InferContext(g, *call, typeOf), parts.front());
            if (view && view->aliases == Tri::No) parts.clear();
            if (view && view->aliases != Tri::No) parts = std::move(view->types);
        }
        const TypePtr type = typeOf(*at);
        const TensorType* own = asTensor(type);
        if (!own) continue;
        const bool known = parts.size() == 1;
        auto offset = known ? parts.front().offset : own->offset ? own->offset : SymInt(0);
        parts = {*own};
        parts.front().offset = std::move(offset);
    }
    return parts.size() == 1 ? parts.front().offset : std::nullopt;
}

Inferred inferStorageOffset(const OpRegistry& ops, const Graph& g, const Node& n, const std::function<TypePtr(NodeId)>& typeOf) {
    const NodeId source = n.arg(0).asNode();
    auto offset = source ? absoluteOffset(ops, g, source, typeOf) : std::nullopt;
    return offset ? Inferred{Type::sym(*offset), Trust::Inferred} : Inferred{};
}

Inferred inferOperator(const OpRegistry& ops, const Graph& g, const Node& n, const std::function<TypePtr(NodeId)>& typeOf) {
    static const Name storageOffset = "aten::sym_storage_offset"_n;
    if (n.op == storageOffset) return inferStorageOffset(ops, g, n, typeOf);
    const OpInference* entry = InferTable::instance().find(n.op);
    const OpDef* def = ops.find(n.op);
    if (!def || (!entry && !def->schema.isMutable() && !def->is(Trait::Scatter))) return {};
    auto call = bindCall(ops, n);
    return call ? inferCall(InferContext(g, *call, typeOf)) : Inferred{};
}

bool hasAssumedOperand(const Graph& g, const Node& n) {
    bool found = false;
    auto look = [&](NodeId id) { found = found || g[id].trust == Trust::Assumed; };
    for (const Value& v : n.args) v.forEachNode(look);
    for (const Keyword& k : n.kwargs) k.second.forEachNode(look);
    return found;
}

/// Parts of all tuples of one graph that are described one by one; keeps a small file from asking for gigabytes.
constexpr std::size_t kListedParts = 200'000;

bool returnsList(const OpRegistry& ops, const Node& n) {
    const OpDef* def = ops.find(n.op);
    return def && std::any_of(def->schema.returns.begin(), def->schema.returns.end(), [](const SchemaReturn& r) { return r.type.isList(); });
}

/// A symbol that is not a size by its name (`u0`) may be negative; not if it is the size of some tensor.
void learnSizes(Graph& g) {
    for (NodeId id : inOrder(g)) {
        const TensorType* t = g[id].tensor();
        if (!t) continue;
        for (const SymInt& size : t->sizes) {
            if (size.isConst()) continue;
            const auto symbols = size.symbols();
            if (symbols.size() != 1 || symbols.front().view().starts_with('s') || !(size == SymInt::symbol(symbols.front()))) continue;
            SymbolFacts& facts = g.symbols[symbols.front()];
            facts.min = std::max<std::int64_t>(facts.min.value_or(0), 0);
        }
    }
}

bool incomplete(const TensorType& t) { return !t.strides || t.device.empty(); }

/// Strides and device that a stated annotation leaves out, as far as inference is sure of them.
void complete(Node& n, const Inferred& found) {
    const TensorType* stated = n.tensor();
    const TensorType* other = asTensor(found.type);
    if (!stated || !other || found.trust != Trust::Inferred || !(other->sizes == stated->sizes)) return;
    TensorType t = *stated;
    if (!t.strides) t.strides = other->strides;
    if (t.device.empty()) t.device = other->device;
    n.type = Type::tensor(std::move(t));
}

}  // namespace

const TensorType* InferContext::tensor(std::size_t i) const {
    return i < call.values.size() && call.values[i].isNode() ? tensorOf(call.values[i].asNode()) : nullptr;
}

const TensorType* InferContext::tensorOf(NodeId id) const {
    TypePtr type = typeOf(id);
    const TensorType* t = asTensor(type);
    if (t && type.use_count() == 1) held_.push_back(std::move(type));
    return t;
}

std::optional<SymInt> InferContext::symInt(const Value& v) const {
    switch (v.kind()) {
        case Value::Kind::Int:
            return SymInt(*v.asInt());
        case Value::Kind::Sym:
            return v.asSym();
        case Value::Kind::Node: {
            const TypePtr type = typeOf(v.asNode());
            const SymInt* s = type ? type->asSym() : nullptr;
            return s && !s->isOpaque() ? std::optional(*s) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::optional<std::vector<SymInt>> InferContext::symInts(const Value& v) const {
    std::vector<SymInt> out;
    if (!v.isSequence()) {
        auto single = symInt(v);
        if (!single) return std::nullopt;
        out.push_back(std::move(*single));
        return out;
    }
    if (v.items().size() > static_cast<std::size_t>(kMaxResults)) return std::nullopt;
    out.reserve(v.items().size());
    for (const Value& item : v.items()) {
        auto s = symInt(item);
        if (!s) return std::nullopt;
        out.push_back(std::move(*s));
    }
    return out;
}

void InferTable::addView(std::string_view op, ViewFn view, bool copies) {
    entries_[Name(op)].view = view;
    if (copies) entries_[Name(copyForm(op))].copyOf = view;
}

const InferTable& InferTable::instance() {
    static const InferTable table = [] {
        InferTable t;
        registerViews(t);
        registerReshapes(t);
        registerViewScatters(t);
        registerPointwise(t);
        registerReduce(t);
        registerScanSort(t);
        registerMatmul(t);
        registerCreate(t);
        registerCopy(t);
        registerIndexing(t);
        registerAssemble(t);
        registerRearrange(t);
        registerAttention(t);
        registerConvPool(t);
        registerNormalize(t);
        registerRandom(t);
        registerSymInt(t);
        registerCollectives(t);
        return t;
    }();
    return table;
}

InferFn inferenceOf(Name canonicalOp) {
    const OpInference* entry = InferTable::instance().find(canonicalOp);
    return entry ? entry->infer : nullptr;
}

std::optional<ViewResult> viewResult(const InferContext& ctx, const TensorType& base) {
    const OpInference* entry = ctx.call.op ? InferTable::instance().find(ctx.call.op->canonical) : nullptr;
    if (!entry || !entry->view) return std::nullopt;
    auto result = entry->view(ctx, base);
    const auto tooDeep = [](const TensorType& t) { return t.rank() > kMaxRank; };
    if (result && std::any_of(result->types.begin(), result->types.end(), tooDeep)) return std::nullopt;
    return result;
}

std::optional<std::vector<TensorType>> viewGeometry(const InferContext& ctx, const TensorType& base) {
    TensorType placed = base;
    if (!placed.offset) placed.offset = SymInt(0);
    auto result = viewResult(ctx, placed);
    if (!result || result->aliases != Tri::Yes) return std::nullopt;
    for (const TensorType& t : result->types)
        if (!t.strides || !t.offset) return std::nullopt;
    return std::move(result->types);
}

Inferred inferCall(const InferContext& c) {
    const OpDef* def = c.call.op;
    if (!def) return {};
    const OpInference* entry = InferTable::instance().find(def->canonical);
    if (entry && entry->view) return fromView(c, entry->view, false);
    if (entry && entry->copyOf) return fromView(c, entry->copyOf, true);
    if (def->schema.isMutable()) {
        bool all = false;
        TypePtr type = returnedArguments(c, all);
        if (all) return {type, type ? Trust::Inferred : Trust::Unknown};
    }
    if (entry && entry->infer) return entry->infer(c);
    if (def->is(Trait::Scatter)) {
        if (const TensorType* t = c.tensor(0)) return inferred(*t);
    }
    return {};
}

Inferred inferNode(const OpRegistry& ops, const Graph& g, NodeId id, const std::function<TypePtr(NodeId)>& typeOf) {
    const Node& n = g[id];
    if (n.kind != NodeKind::CallFunction) return {};
    const std::function<TypePtr(NodeId)> own = [&g](NodeId node) { return g[node].type; };
    const std::function<TypePtr(NodeId)>& types = typeOf ? typeOf : own;
    Inferred found = isStructural(n.op) ? inferStructural(ops, g, n, types) : inferOperator(ops, g, n, types);
    if (const TensorType* t = asTensor(found.type); t && t->rank() > kMaxRank) return {};
    if (found.type && found.trust == Trust::Inferred && hasAssumedOperand(g, n)) found.trust = Trust::Assumed;
    return found;
}

void inferMissingTypes(const OpRegistry& ops, Graph& g) {
    for (Graph::SubGraph& s : g.subGraphs())
        if (s.graph) inferMissingTypes(ops, *s.graph);
    learnSizes(g);
    const std::function<TypePtr(NodeId)> types = [&g](NodeId node) { return g[node].type; };
    std::size_t listed = 0;
    for (NodeId id : inOrder(g)) {
        Node& n = g.edit(id);
        if (n.kind != NodeKind::CallFunction) continue;
        if (n.type) {
            if (const TensorType* t = n.tensor(); t && incomplete(*t)) complete(n, inferNode(ops, g, id, types));
            continue;
        }
        if (listed > kListedParts && returnsList(ops, n)) continue;
        Inferred found = inferNode(ops, g, id, types);
        if (!found.type) continue;
        if (const auto* parts = found.type->asTuple()) listed += parts->size();
        n.type = std::move(found.type);
        n.trust = found.trust;
    }
}

void setInferredType(const OpRegistry& ops, Graph& g, NodeId id) {
    Inferred found = inferNode(ops, g, id);
    if (found.type) g.setType(id, std::move(found.type), found.trust);
}

}  // namespace aliascope
