#include "core/analysis/alias.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/ops/higher_order.h"
#include "core/ops/infer.h"

namespace aliascope {

std::string_view toString(StorageRole r) {
    switch (r) {
        case StorageRole::Input:
            return "input";
        case StorageRole::Constant:
            return "constant";
        case StorageRole::Intermediate:
            return "intermediate";
        case StorageRole::Opaque:
            break;
    }
    return "opaque";
}

/// One walk in graph order.
class AliasBuilder {
public:
    AliasBuilder(const Graph& g, const OpRegistry& ops, AliasInfo& out)
        : g_(g), ops_(ops), out_(out), typeOf_([this](NodeId id) { return placedType(id); }) {
        out_.of_.resize(g.idBound());
        out_.geometry_.resize(g.idBound());
        out_.undecided_.resize(g.idBound());
    }

    void run() {
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            switch (n.kind) {
                case NodeKind::Placeholder:
                    if (mayBeTensor(n)) fresh(id, StorageRole::Input);
                    break;
                case NodeKind::GetAttr:
                    if (!g_.subGraph(n.target) && mayBeTensor(n)) fresh(id, StorageRole::Constant);
                    break;
                case NodeKind::CallFunction:
                    call(id, n);
                    break;
                case NodeKind::CallMethod:
                case NodeKind::CallModule:
                    opaque(id, n);
                    break;
                case NodeKind::Output:
                    break;
            }
        }
    }

private:
    /// Pieces of all split and unbind calls that are kept; beyond, pieces are views of unknown geometry. Keeps a small file from asking for
    /// gigabytes.
    static constexpr std::size_t kListedParts = 200'000;

    /// What the components of a call with several results are, when they are not fresh.
    struct Parts {
        std::vector<TensorType> views;  ///< of one storage: results of split, unbind, …
        NodeId viewed;
        bool undecided = false;
        std::vector<NodeId> same;  ///< results that are other nodes' values; invalid entries are fresh
        std::vector<bool> cut;     ///< of `same`: only a part of that value, it is not known which
    };

    // --- types and geometry --------------------------------------------------------------------------------------------------------------------

    /// Type of a node: stated, else as far as its place in the storage is known by now.
    TypePtr placedType(NodeId id) const {
        const TypePtr& type = g_[id].type;
        const TensorType* placed = out_.geometry(id);
        return type || !placed ? type : Type::tensor(*placed);
    }

    static bool mayBeTensor(const Node& n) { return !n.type || n.type->kind() == Type::Kind::Tensor; }

    /// Stated sizes and strides over computed ones; the offset is always the computed one.
    void setGeometry(NodeId id, const TensorType* computed, std::optional<SymInt> offset) {
        const Node& n = g_[id];
        const TensorType* own = n.tensor();
        if (!own && !computed) return;
        TensorType t = own ? *own : *computed;
        if (own && n.trust == Trust::Assumed) t.strides.reset();
        if (!t.strides && computed && computed->sizes == t.sizes) t.strides = computed->strides;
        t.offset = std::move(offset);
        out_.geometry_[id.value] = std::move(t);
    }

    // --- storages --------------------------------------------------------------------------------------------------------------------------------

    void fresh(NodeId id, StorageRole role, std::optional<SymInt> offset = SymInt(0), int component = -1) {
        StorageInfo s;
        s.base = id;
        s.baseOutput = component;
        s.role = role;
        s.members.push_back(id);
        out_.of_[id.value] = StorageId(static_cast<std::uint32_t>(out_.storages_.size()));
        setGeometry(id, nullptr, std::move(offset));
        if (const TensorType* t = g_[id].tensor()) {
            TensorType whole = *t;
            if (const TensorType* placed = out_.geometry(id)) whole.offset = placed->offset;
            if (auto extent = whole.extent(); extent && itemSize(whole.dtype)) s.bytes = *extent * SymInt(itemSize(whole.dtype));
        }
        out_.storages_.push_back(std::move(s));
    }

    void member(NodeId id, StorageId storage) {
        out_.of_[id.value] = storage;
        out_.storages_[storage.value].members.push_back(id);
    }

    /// `id` shares the storage of `source`; `view` is its geometry when known.
    void share(NodeId id, NodeId source, const TensorType* view, bool undecided) {
        const StorageId storage = out_.storageOf(source);
        if (!storage) return opaque(id, g_[id]);
        member(id, storage);
        setGeometry(id, view, view ? view->offset : std::nullopt);
        out_.undecided_[id.value] = undecided;
    }

    void opaque(NodeId id, const Node& n) {
        if (mayBeTensor(n) && !isTaken(n)) fresh(id, StorageRole::Opaque);
    }

    /// Only taken apart by getitem: a tuple, not a tensor.
    bool isTaken(const Node& n) const {
        return !n.type && !n.users.empty() &&
               std::all_of(n.users.begin(), n.users.end(), [&](const Node::User& u) { return g_[u.id].op == "operator::getitem"_n; });
    }

    // --- calls -----------------------------------------------------------------------------------------------------------------------------------

    void call(NodeId id, const Node& n) {
        if (n.type && n.type->kind() == Type::Kind::Sym) return;
        static const Name getitem = "operator::getitem"_n;
        if (n.op == getitem) return getItem(id, n);
        const std::string_view op = n.op.view();
        if (op.starts_with("hop::")) return higherOrder(id, n);
        if (op.starts_with("operator::")) return pythonOperator(id, n);
        const OpFacts& facts = factsOf(n.op);
        if (!facts.def) return opaque(id, n);
        if (facts.alwaysFresh) {
            if (facts.oneTensor && mayBeTensor(n)) fresh(id, StorageRole::Intermediate);
            return;
        }
        auto bound = bindCall(*facts.def, n.args, n.kwargs);
        if (!bound) return unbound(id, n, *facts.def);
        schemaCall(id, n, *bound, facts);
    }

    /// What the schema of an operator says, once per operator: most calls need no binding.
    struct OpFacts {
        const OpDef* def = nullptr;
        bool alwaysFresh = false;  ///< no result is an argument or a part of one, or copies the place of one
        bool oneTensor = false;    ///< exactly one result, a tensor
        bool isMutable = false;
    };

    const OpFacts& factsOf(Name op) {
        auto [at, isNew] = facts_.try_emplace(op);
        OpFacts& f = at->second;
        if (!isNew) return f;
        f.def = ops_.find(op);
        if (!f.def) return f;
        const Schema& s = f.def->schema;
        f.isMutable = s.isMutable();
        f.oneTensor = s.returns.size() == 1 && s.returns[0].type.isTensorLike() && !s.returns[0].type.isList();
        const bool shares = f.def->isView() || f.def->is(Trait::AliasIfLayout) || f.isMutable;
        f.alwaysFresh = f.def->is(Trait::FreshCopy) || (!shares && !f.def->is(Trait::Scatter));
        return f;
    }

    /// A call that does not fit its schema keeps the facts of the schema (schemas.md 2, rule 4).
    void unbound(NodeId id, const Node& n, const OpDef& def) {
        const NodeId first = n.arg(0).asNode();
        if (first && out_.storageOf(first) && (def.isView() || def.is(Trait::AliasIfLayout)))
            return share(id, first, nullptr, def.is(Trait::AliasIfLayout));
        opaque(id, n);
    }

    void schemaCall(NodeId id, const Node& n, const BoundCall& bound, const OpFacts& facts) {
        const OpDef& def = *bound.op;
        const NodeId first = bound.values.empty() ? NodeId() : bound.values[0].asNode();
        if (first && out_.storageOf(first) && view(id, bound, first)) return;
        if (facts.isMutable && returnsArguments(id, bound)) return;
        if (!facts.oneTensor || !mayBeTensor(n)) return;
        // A scatter copies its first argument together with its place in the storage.
        const TensorType* copied = def.is(Trait::Scatter) && first ? out_.geometry(first) : nullptr;
        fresh(id, StorageRole::Intermediate, copied ? copied->offset : SymInt(0));
        // The place stays, the room before it is not made.
        StorageInfo& made = out_.storages_.back();
        if (copied && copied->offset && made.bytes && n.tensor()) made.bytes = *made.bytes - *copied->offset * SymInt(itemSize(n.tensor()->dtype));
    }

    bool view(NodeId id, const BoundCall& bound, NodeId first) {
        const OpDef& def = *bound.op;
        const TensorType* base = listed_ <= kListedParts || !def.schema.isMultiOutputView() ? out_.geometry(first) : nullptr;
        auto result = base ? viewResult(InferContext(g_, bound, typeOf_), *base) : std::nullopt;
        if (!result) {
            if (!def.isView() && !def.is(Trait::AliasIfLayout)) return false;
            if (def.schema.isMultiOutputView()) {
                parts_[id].viewed = first;
            } else {
                share(id, first, nullptr, def.is(Trait::AliasIfLayout));
            }
            return true;
        }
        if (result->aliases == Tri::No) return false;
        if (result->list) {
            listed_ += result->types.size();
            parts_[id] = {std::move(result->types), first, result->aliases == Tri::Unknown, {}, {}};
        } else if (!result->types.empty()) {
            share(id, first, &result->types.front(), result->aliases == Tri::Unknown);
        }
        return true;
    }

    /// Results that are the arguments that were written.
    bool returnsArguments(NodeId id, const BoundCall& bound) {
        const Schema& s = bound.op->schema;
        std::vector<NodeId> same(s.returns.size());
        bool any = false;
        for (std::size_t r = 0; r < s.returns.size(); ++r)
            for (std::size_t p = 0; p < s.params.size() && !same[r]; ++p)
                if (s.alias(r, p) == AliasKind::Same) {
                    same[r] = bound.values[p].asNode();
                    any = any || same[r];
                }
        if (!any) return false;
        if (s.returns.size() == 1) {
            share(id, same[0], out_.geometry(same[0]), false);
        } else {
            parts_[id].same = std::move(same);
        }
        return true;
    }

    void pythonOperator(NodeId id, const Node& n) {
        const std::string_view name = n.op.view().substr(10);
        const NodeId first = n.arg(0).asNode();
        static constexpr std::string_view inPlace[] = {"iadd", "isub",    "imul", "itruediv", "ifloordiv", "imod",   "ipow",
                                                       "iand", "ilshift", "ior",  "irshift",  "ixor",      "imatmul"};
        if (first && out_.storageOf(first) && std::find(std::begin(inPlace), std::end(inPlace), name) != std::end(inPlace))
            return share(id, first, out_.geometry(first), false);
        if (name == "setitem") return;
        const bool onTensor = std::any_of(n.args.begin(), n.args.end(), [&](const Value& v) { return v.isNode() && out_.storageOf(v.asNode()); });
        if (onTensor && mayBeTensor(n)) fresh(id, StorageRole::Intermediate);
    }

    void higherOrder(NodeId id, const Node& n) {
        if (auto body = bodyOf(g_, n); body && returnsBodyResults(n.op)) {
            Parts parts = operandsReturned(*body);
            const NodeId output = body->body->output();
            if (!output || (*body->body)[output].arg(0).isSequence()) {
                parts_[id] = std::move(parts);
            } else if (!parts.same.empty() && parts.same[0]) {
                share(id, parts.same[0], parts.cut[0] ? nullptr : out_.geometry(parts.same[0]), false);
            } else if (mayBeTensor(n)) {
                fresh(id, StorageRole::Intermediate);
            }
            return;
        }
        const std::string_view op = n.op.view();
        if (op.starts_with("hop::auto_functionalized") || op.starts_with("hop::triton_kernel_wrapper")) return;
        opaque(id, n);
    }

    struct Returned {
        int placeholder = -1;  ///< position among the placeholders; -1: a value of the body's own
        bool cut = false;      ///< a view of it
    };

    std::vector<Returned> returnedBy(const Graph& body) const {
        std::vector<Returned> out;
        const AliasInfo inner(body, ops_);
        std::unordered_map<NodeId, int> position;
        for (NodeId id : body.placeholders()) position.emplace(id, static_cast<int>(position.size()));
        const auto add = [&](const Value& v) {
            const StorageId s = v.isNode() ? inner.storageOf(v.asNode()) : StorageId();
            const NodeId base = s && inner.storage(s).role == StorageRole::Input ? inner.storage(s).base : NodeId();
            const auto found = position.find(base);
            out.push_back(base && found != position.end() ? Returned{found->second, v.asNode() != base} : Returned{});
        };
        if (!body.output()) return out;
        const Value& result = body[body.output()].arg(0);
        if (result.isSequence()) {
            for (const Value& v : result.items()) add(v);
        } else {
            add(result);
        }
        return out;
    }

    /// Operands that a body returns, by position of the result; a view of one counts as a part of that operand.
    Parts operandsReturned(const BodyCall& call) {
        auto [at, isNew] = bodies_.try_emplace(call.body);
        if (isNew) at->second = returnedBy(*call.body);
        Parts out;
        for (const Returned& r : at->second) {
            const bool matched = r.placeholder >= 0 && static_cast<std::size_t>(r.placeholder) < call.operands.size();
            out.same.push_back(matched ? call.operands[static_cast<std::size_t>(r.placeholder)].asNode() : NodeId());
            out.cut.push_back(r.cut);
        }
        return out;
    }

    // --- components of tuples --------------------------------------------------------------------------------------------------------------------

    /// The same component taken twice is one value: the first getitem stands for all.
    NodeId firstTaking(NodeId id, NodeId source, const Value& key) {
        auto canonical = canonical_.find(source);
        const NodeId from = canonical == canonical_.end() ? source : canonical->second;
        const std::pair<std::int64_t, Name> component(key.asInt().value_or(-1), key.name());
        auto [at, isNew] = taken_[from].try_emplace(component, id);
        if (!isNew) canonical_[id] = at->second;
        return at->second;
    }

    void getItem(NodeId id, const Node& n) {
        const NodeId source = n.arg(0).asNode();
        if (!source || !mayBeTensor(n)) return;
        if (out_.storageOf(source)) return share(id, source, nullptr, true);  // indexing of a tensor: a view or a copy
        const Value& key = n.arg(1);
        if (auto parts = parts_.find(source); parts != parts_.end() && component(id, parts->second, key)) return;
        const NodeId first = firstTaking(id, source, key);
        if (first != id && out_.storageOf(first)) return share(id, first, out_.geometry(first), false);
        if (isTaken(n)) return;
        const TensorType* copied = copiedBy(g_[source], key);
        const Node& producer = g_[source];
        const bool knownOp = producer.isCall() && (producer.op == n.op || producer.op.view().starts_with("hop::") || ops_.find(producer.op));
        fresh(id, knownOp ? StorageRole::Intermediate : StorageRole::Opaque, copied ? copied->offset : SymInt(0),
              key.isInt() ? static_cast<int>(std::clamp<std::int64_t>(*key.asInt(), -1, 1 << 30)) : -1);
    }

    bool component(NodeId id, const Parts& parts, const Value& key) {
        const std::size_t count = std::max(parts.views.size(), parts.same.size());
        auto index = key.asInt();
        if (index && *index < 0) *index += static_cast<std::int64_t>(count);
        const bool inside = index && *index >= 0 && static_cast<std::size_t>(*index) < count;
        if (parts.viewed) {
            const bool seen = inside && static_cast<std::size_t>(*index) < parts.views.size();
            share(id, parts.viewed, seen ? &parts.views[static_cast<std::size_t>(*index)] : nullptr, parts.undecided);
            return true;
        }
        const NodeId same = inside ? parts.same[static_cast<std::size_t>(*index)] : NodeId();
        if (!same || !out_.storageOf(same)) return false;
        const bool cut = static_cast<std::size_t>(*index) < parts.cut.size() && parts.cut[static_cast<std::size_t>(*index)];
        share(id, same, cut ? nullptr : out_.geometry(same), false);
        return true;
    }

    /// The value that a component of a functional wrapper is the new state of: wrappers clone with strides and offset kept.
    const TensorType* copiedBy(const Node& wrapper, const Value& key) const {
        auto geometryOf = [this](const Value* v) { return v && v->isNode() ? out_.geometry(v->asNode()) : nullptr; };
        if (wrapper.op == "operator::getitem"_n) {  // element of a list argument
            const Value* list = writtenBy(g_[wrapper.arg(0).asNode()], wrapper.arg(1));
            auto i = key.asInt();
            const bool inside = list && i && *i >= 0 && static_cast<std::size_t>(*i) < list->items().size();
            return inside ? geometryOf(&list->items()[static_cast<std::size_t>(*i)]) : nullptr;
        }
        return geometryOf(writtenBy(wrapper, key));
    }

    const Value* writtenBy(const Node& wrapper, const Value& key) const {
        static const Name v1 = "hop::auto_functionalized"_n, v2 = "hop::auto_functionalized_v2"_n, triton = "hop::triton_kernel_wrapper_functional"_n;
        if (wrapper.op == triton) {
            const Value* tensors = wrapper.kwarg("kwargs"_n);
            return tensors ? tensors->find(key.name()) : nullptr;
        }
        if ((wrapper.op != v1 && wrapper.op != v2) || !key.isInt() || wrapper.arg(0).kind() != Value::Kind::Op) return nullptr;
        const OpDef* op = ops_.find(wrapper.arg(0).name());
        if (!op) return nullptr;
        const std::int64_t slot = *key.asInt() - static_cast<std::int64_t>(std::max<std::size_t>(1, op->schema.returns.size()));
        if (slot < 0) return nullptr;
        const auto i = static_cast<std::size_t>(slot);
        if (wrapper.op == v2) {
            const Value* bases = wrapper.kwarg("_all_bases"_n);
            return bases && i < bases->items().size() ? &bases->items()[i] : nullptr;
        }
        const std::vector<std::size_t> written = op->schema.writtenParams();
        return i < written.size() ? wrapper.kwarg(op->schema.params[written[i]].name) : nullptr;
    }

    const Graph& g_;
    const OpRegistry& ops_;
    AliasInfo& out_;
    const std::function<TypePtr(NodeId)> typeOf_;
    std::unordered_map<NodeId, Parts> parts_;
    std::unordered_map<NodeId, NodeId> canonical_;
    std::unordered_map<NodeId, std::map<std::pair<std::int64_t, Name>, NodeId>> taken_;
    std::unordered_map<const Graph*, std::vector<Returned>> bodies_;
    std::unordered_map<Name, OpFacts> facts_;
    std::size_t listed_ = 0;
};

AliasInfo::AliasInfo(const Graph& g, const OpRegistry& ops) { AliasBuilder(g, ops, *this).run(); }

}  // namespace aliascope
