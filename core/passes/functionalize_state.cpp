#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kSymSize("aten::sym_size.int");
const Name kStorageOffset("aten::sym_storage_offset");

/// Pieces of a list whose length nobody states: beyond, an index is taken for a mistake.
constexpr std::int64_t kMostPieces = 4096;

/// `index` from the front of a list of `length` (unknown when empty); nothing when it lies outside.
std::optional<std::int64_t> pieceNumber(std::int64_t index, std::optional<std::int64_t> length) {
    if (index < 0 && length) index += *length;
    if (index < 0 || index >= length.value_or(kMostPieces)) return std::nullopt;
    return index;
}

}  // namespace

std::string_view candidateName(Name op) {
    std::string_view text = op.view();
    if (const auto colons = text.rfind("::"); colons != std::string_view::npos) text.remove_prefix(colons + 2);
    return text.substr(0, text.find('.'));
}

Functionalizer::Functionalizer(Graph& g, PassContext& ctx, Form form, std::vector<BodyWrite>* writtenInputs)
    : g_(g), ctx_(ctx), ops_(ctx.ops()), form_(form), writtenInputs_(writtenInputs), alias_(g, ctx.ops()) {
    sourceNames_.resize(g.idBound());
    for (NodeId id : inOrder(g)) sourceNames_[id.value] = g[id].name;
    if (!graphWrites(ops_, g)) keptCopies_ = epilogueCopies(ops_, g);
}

Status Functionalizer::run() {
    std::size_t done = 0;
    for (NodeId id : g_.order()) {
        if (++done % 1024 == 0 && ctx_.cancelled()) return {};
        at_ = id;
        origin_ = id;
        if (!writtenInputs_ && needsFunctionalizing(ops_, g_, id) && !ctx_.mayRewrite()) return stopBefore(id);
        if (Status s = node(id); !s) return s;
        learnSymbol(id);
    }
    return {};
}

Status Functionalizer::node(NodeId id) {
    const Node& n = g_[id];
    switch (n.kind) {
        case NodeKind::Placeholder:
            if (n.tensor()) handleOf(id);
            return {};
        case NodeKind::GetAttr: {
            const auto [first, fresh] = constants_.emplace(n.target, id);
            if (!n.tensor()) return {};
            if (fresh)
                handleOf(id);
            else
                setHandle(id, handleOf(first->second));
            return {};
        }
        case NodeKind::Output:
            return epilogue(id);
        default:
            return call(id);
    }
}

// --- handles -------------------------------------------------------------------------------------------------------------------------------

void Functionalizer::setHandle(NodeId id, Handle* h) {
    if (handleOf_.size() <= id.value) handleOf_.resize(std::max<std::size_t>(id.value + 1, g_.idBound()), nullptr);
    handleOf_[id.value] = h;
}

Handle* Functionalizer::knownHandle(NodeId id) const {
    Handle* h = id.value < handleOf_.size() ? handleOf_[id.value] : nullptr;
    if (!h || !h->replacedBy) return h;
    Handle* last = h;
    while (last->replacedBy) last = last->replacedBy;
    while (h->replacedBy && h->replacedBy != last) h = std::exchange(h->replacedBy, last);
    return last;
}

Handle* Functionalizer::handleOf(NodeId id) {
    if (Handle* h = knownHandle(id)) return h;
    const Node& n = g_[id];
    if (n.is(kGetItem)) {
        // The same component taken twice is one tensor.
        const auto owner = itemOwner_.find(id);
        if (owner != itemOwner_.end() && owner->second != id) {
            Handle* h = handleOf(owner->second);
            setHandle(id, h);
            return h;
        }
    }
    const bool isInput = n.kind == NodeKind::Placeholder || n.kind == NodeKind::GetAttr;
    Handle* h = newRoot(id, id, isInput ? id : NodeId());
    setHandle(id, h);
    return h;
}

Handle* Functionalizer::newRoot(NodeId source, NodeId value, NodeId input) {
    Storage& storage = storages_.emplace_back();
    Handle& h = handles_.emplace_back();
    storage.root = &h;
    storage.input = input;
    storage.first = value;
    h.storage = &storage;
    h.source = source;
    h.value = value;
    h.geometry = geometryOf(source);
    h.repeats = h.geometry && overlapsItself(*h.geometry);
    if (input) inputs_.push_back(&storage);
    return &h;
}

Handle* Functionalizer::addView(Handle* parent, ViewStep step, NodeId source, NodeId value, std::optional<TensorType> geometry, bool boundary) {
    Handle& h = handles_.emplace_back();
    h.storage = parent->storage;
    h.parent = parent;
    h.step = std::move(step);
    h.source = source;
    h.value = value;
    h.generation = parent->storage->generation;
    h.geometry = std::move(geometry);
    h.boundary = boundary;
    const bool mayRepeat =
        h.step.op == "aten::as_strided"_n || h.step.op == "aten::expand"_n || h.step.op == "aten::unfold"_n || h.step.op == "operator::getitem"_n;
    h.repeats = parent->repeats || (mayRepeat && h.geometry && overlapsItself(*h.geometry));
    ++parent->storage->handles;
    return &h;
}

std::optional<TensorType> Functionalizer::geometryOf(NodeId source) const {
    if (const TensorType* known = alias_.geometry(source)) return *known;
    if (const TensorType* stated = g_[source].tensor()) return *stated;
    return std::nullopt;
}

std::string Functionalizer::nameOf(const Handle* h) const { return nameOf(h->source); }

std::string Functionalizer::nameOf(NodeId id) const { return (id.value < sourceNames_.size() ? sourceNames_[id.value] : g_[id].name).str(); }

NodeId Functionalizer::valueOf(Handle* h) {
    if (std::exchange(h->storage->written, false)) restoreLayout(*h->storage);
    if (h->generation == h->storage->generation) return h->value;
    std::vector<Handle*> stale;
    for (Handle* p = h; p->generation != p->storage->generation; p = p->parent) stale.push_back(p);
    for (auto p = stale.rbegin(); p != stale.rend(); ++p) {
        Handle* view = *p;
        const NodeId onBehalfOf = std::exchange(origin_, view->source);
        const NodeId value = replay(view, view->parent->value);
        origin_ = onBehalfOf;
        if (value != view->parent->value) rewrite("replay-view", {ref(g_, view->source)}, {ref(g_, value)});
        view->value = value;
        view->generation = view->storage->generation;
    }
    return h->value;
}

Value Functionalizer::current(const Value& v) {
    return v.mapNodes([this](NodeId used) {
        Handle* h = knownHandle(used);
        return Value::node(h ? valueOf(h) : used);
    });
}

void Functionalizer::syncOperands(NodeId id) {
    bool changed = false, otherType = false;
    const auto newest = [&](NodeId used) {
        Handle* h = knownHandle(used);
        if (!h) return Value::node(used);
        const NodeId value = valueOf(h);
        if (value != used) {
            changed = true;
            otherType = otherType || !sameType(g_[used].type, g_[value].type);
        }
        return Value::node(value);
    };
    std::vector<Value> args = g_[id].args;
    for (Value& v : args) v = v.mapNodes(newest);
    std::vector<Keyword> kwargs = g_[id].kwargs;
    for (auto& [key, v] : kwargs) v = v.mapNodes(newest);
    if (!changed) return;
    g_.setArgs(id, std::move(args));
    g_.setKwargs(id, std::move(kwargs));
    // The newest value may be laid out otherwise; then what the text said of the result no longer holds.
    if (!otherType || !g_[id].tensor()) return;
    const Inferred inferred = inferNode(ops_, g_, id);
    if (inferred.type && inferred.trust == Trust::Inferred && !sameType(inferred.type, g_[id].type)) g_.setType(id, inferred.type, inferred.trust);
}

// --- emission -----------------------------------------------------------------------------------------------------------------------------

NodeId Functionalizer::emit(Name op, std::vector<Value> args, std::vector<Keyword> kwargs, const TypePtr& fallback, std::string_view candidate) {
    Node n;
    n.kind = NodeKind::CallFunction;
    n.op = op;
    n.target = spellOp(op);
    n.name = Name(candidate.empty() ? candidateName(op) : candidate);
    if (origin_) {
        n.provenance = g_[origin_].provenance;
        n.modulePath = g_[origin_].modulePath;
    }
    n.args = std::move(args);
    n.kwargs = std::move(kwargs);
    const NodeId id = g_.insertBefore(at_, std::move(n));
    const Inferred inferred = inferNode(ops_, g_, id);
    if (inferred.type)
        g_.setType(id, inferred.type, inferred.trust);
    else if (fallback)
        g_.setType(id, fallback, Trust::Assumed);
    learnSymbol(id);
    return id;
}

NodeId Functionalizer::emitItem(NodeId tuple, Value key, TypePtr type) {
    const NodeId id = emit(kGetItem, {Value::node(tuple), std::move(key)});
    if (type) g_.setType(id, std::move(type), Trust::Inferred);
    return id;
}

void Functionalizer::become(NodeId id, Name op, std::vector<Value> args, std::vector<Keyword> kwargs, std::string_view candidate) {
    g_.setCall(id, spellOp(op), op);
    g_.setArgs(id, std::move(args));
    g_.setKwargs(id, std::move(kwargs));
    const std::string name(candidate.empty() ? candidateName(op) : candidate);
    g_.rename(id, name);
    const Inferred inferred = inferNode(ops_, g_, id);
    if (inferred.type) g_.setType(id, inferred.type, inferred.trust);
}

// --- symbolic sizes -------------------------------------------------------------------------------------------------------------------------

void Functionalizer::learnSymbol(NodeId id) {
    const Node& n = g_[id];
    const SymInt* s = n.type ? n.type->asSym() : nullptr;
    // An offset counts from where an input lies in its storage, which no text states: it does not stand for a size of the same text.
    if (n.op == kStorageOffset) return;
    if (!s || s->isConst() || s->isOpaque()) return;
    symbols_.emplace(s->hash(), id);
}

Value Functionalizer::symbolValue(const SymInt& s, const std::function<NodeId()>& make) {
    if (const auto constant = s.constant()) return Value::integer(*constant);
    const auto [begin, end] = symbols_.equal_range(s.hash());
    for (auto it = begin; it != end; ++it)
        if (*g_[it->second].type->asSym() == s) return Value::node(it->second);
    const NodeId made = make();
    if (!made) return Value::sym(s);
    if (!g_[made].type || !g_[made].type->asSym()) {
        g_.setType(made, Type::sym(s), Trust::Inferred);
        learnSymbol(made);
    }
    return Value::node(made);
}

Value Functionalizer::sizeValue(const SymInt& s, NodeId tensor, std::int64_t dim) {
    return symbolValue(s, [&] { return emit(kSymSize, {Value::node(tensor), Value::integer(dim)}, {}, Type::sym(s)); });
}

std::vector<Value> Functionalizer::sizeValues(const std::vector<SymInt>& sizes, const std::function<NodeId()>& tensor) {
    std::vector<Value> out;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        out.push_back(sizes[d].isConst() ? Value::integer(*sizes[d].constant()) : sizeValue(sizes[d], tensor(), static_cast<std::int64_t>(d)));
    return out;
}

std::optional<SymInt> Functionalizer::symOf(const Value& v) const {
    if (const auto i = v.asInt()) return SymInt(*i);
    if (v.kind() == Value::Kind::Sym) return v.asSym();
    if (v.isNode())
        if (const TypePtr& type = g_[v.asNode()].type)
            if (const SymInt* s = type->asSym()) return *s;
    return std::nullopt;
}

Value Functionalizer::addValues(const Value& a, const Value& b) {
    if (a.asInt() == std::optional<std::int64_t>(0)) return b;
    if (b.asInt() == std::optional<std::int64_t>(0)) return a;
    const auto x = symOf(a), y = symOf(b);
    const auto make = [&] { return emit("operator::add"_n, {a, b}); };
    if (x && y) return symbolValue(*x + *y, make);
    return Value::node(make());
}

// --- reports ------------------------------------------------------------------------------------------------------------------------------

bool Functionalizer::firstTime(std::string_view code, std::string_view key) {
    return said_.insert(std::string(code) + " " + std::string(key)).second;
}

void Functionalizer::rewrite(std::string rule, std::vector<NodeRef> before, std::vector<NodeRef> after) {
    Rewrite r;
    r.rule = std::move(rule);
    r.before = std::move(before);
    r.after = std::move(after);
    ctx_.rewrite(std::move(r));
}

void Functionalizer::decide(NodeId id, std::string code, std::string argument, Params params, NodeId origin) {
    Decision d;
    d.node = ref(g_, id);
    if (ctx_.originOf) d.origin = ctx_.originOf(origin ? origin : id);
    d.op = g_[id].op;
    d.argument = std::move(argument);
    d.verdict = "applied";
    d.need = "none";
    d.code = std::move(code);
    d.params = std::move(params);
    ctx_.decide(std::move(d));
}

tl::unexpected<Diagnostic> Functionalizer::failAt(NodeId id, std::string code, Params params) {
    Diagnostic d = userError(std::move(code), std::move(params));
    d.node = Name(nameOf(id));
    return fail(std::move(d));
}

Status Functionalizer::item(NodeId id) {
    const Node& n = g_[id];
    const NodeId tuple = n.arg(0).asNode();
    if (!tuple) return {};
    if (g_[tuple].tensor() || knownHandle(tuple)) {
        syncOperands(id);
        if (!alias_.sameStorage(id, tuple)) return {};
        setHandle(id, addView(handleOf(tuple), {kGetItem, {n.arg(1)}, {}, -1}, id, id, geometryOf(id)));
        return {};
    }
    std::optional<std::int64_t> index = n.arg(1).asInt();
    if (index) {
        const TypePtr type = g_[tuple].type ? g_[tuple].type : inferNode(ops_, g_, tuple).type;
        const auto* parts = type ? type->asTuple() : nullptr;
        const auto length = parts ? std::optional(static_cast<std::int64_t>(parts->size())) : std::nullopt;
        const auto piece = pieceNumber(*index, length);
        if (!piece)
            return failAt(id, "R023",
                          {{"op", "operator::getitem"},
                           {"why", "%" + nameOf(id) + " takes item " + std::to_string(*index) + " of %" + nameOf(tuple) + ", which has " +
                                       (length ? std::to_string(*length) + " items" : "an unknown number of items")}});
        index = piece;
    }
    const std::string key = index ? std::to_string(*index) : "'" + n.arg(1).name().str();
    const NodeId owner = items_.emplace(std::pair(tuple, key), id).first->second;
    itemOwner_.emplace(id, owner);
    if (owner != id) {
        if (Handle* h = knownHandle(owner)) setHandle(id, h);
        return {};
    }
    if (const auto list = viewLists_.find(tuple); list != viewLists_.end()) {
        ViewStep step = list->second.step;
        step.output = index ? static_cast<int>(*index) : 0;
        Handle* h = addView(list->second.base, std::move(step), id, id, geometryOf(id), list->second.boundary);
        h->generation = list->second.generation;
        setHandle(id, h);
    } else if (const auto results = resultHandles_.find(tuple); results != resultHandles_.end()) {
        if (index && static_cast<std::size_t>(*index) < results->second.size())
            if (Handle* h = results->second[static_cast<std::size_t>(*index)]) setHandle(id, h);
    }
    return {};
}

}  // namespace aliascope::functionalization
