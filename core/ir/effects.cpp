// What executing a node does to its operands: writes, effects, views (schemas.md 3 to 5).

#include <algorithm>
#include <unordered_map>

#include "core/ir/bind.h"
#include "core/ir/op_registry.h"

namespace aliascope {
namespace {

constexpr int maxBodyDepth = 64;

bool isInPlaceOperator(std::string_view op) {
    static constexpr std::string_view names[] = {"iadd", "iand", "iconcat", "ifloordiv", "ilshift",  "imatmul", "imod",    "imul",
                                                 "ior",  "ipow", "irshift", "isub",      "itruediv", "ixor",    "setitem", "delitem"};
    return std::find(std::begin(names), std::end(names), op) != std::end(names);
}

/// Functional wrappers: they return new values and write nothing.
bool isFunctionalWrapper(Name op) {
    return op == "hop::auto_functionalized" || op == "hop::auto_functionalized_v2" || op == "hop::triton_kernel_wrapper_functional";
}

bool startsWith(Name op, std::string_view prefix) { return op.view().starts_with(prefix); }

class Effects {
public:
    Effects(const OpRegistry& ops, const Graph& g) : ops_(ops), g_(g) {}

    std::vector<WrittenOperand> written(NodeId id) {
        const Node& n = g_[id];
        out_.clear();
        if (!n.isCall()) return {};
        if (n.kind != NodeKind::CallFunction)
            everyTensor(n);
        else if (startsWith(n.op, "operator::"))
            writtenByOperator(n);
        else if (startsWith(n.op, "hop::"))
            writtenByHigherOrder(n);
        else if (!startsWith(n.op, "builtin::") && !startsWith(n.op, "math::") && !startsWith(n.op, "torch::sym_"))
            writtenBySchema(n);
        return std::move(out_);
    }

    bool pure(NodeId id) {
        const Node& n = g_[id];
        if (n.kind == NodeKind::GetAttr) return true;
        if (n.kind != NodeKind::CallFunction) return false;
        if (startsWith(n.op, "operator::")) return !isInPlaceOperator(n.op.view().substr(10)) || writtenOnlySymbols(n);
        if (startsWith(n.op, "math::") || startsWith(n.op, "torch::sym_")) return true;
        if (startsWith(n.op, "builtin::")) return n.op != "builtin::print" && n.op != "builtin::setattr" && n.op != "builtin::delattr";
        if (isFunctionalWrapper(n.op)) return !wrapsEffect(n);
        if (startsWith(n.op, "hop::")) return purePerBodies(n);
        const OpDef* op = resolveOverload(ops_, g_, n);
        if (!op) return false;
        if (op->schema.isMutable() || op->is(Trait::Effect)) return false;
        if (op->isPure()) return true;
        const LooseBinding b = bindLoosely(op->schema, n.args, n.kwargs);
        if (op->is(Trait::Random) && holds(*op, b, op->randomWhen)) return false;
        if (op->silentWrites.empty() || !holds(*op, b, op->silentWhen)) return true;
        return std::none_of(op->silentWrites.begin(), op->silentWrites.end(),
                            [&](Name p) { return !b.values[std::size_t(op->schema.paramIndex(p))].isNone(); });
    }

private:
    struct BodyFacts {
        std::vector<bool> writes;  ///< by placeholder
        bool pure = true;
    };

    /// Whether the condition of a fact can be true for this call: unless its parameter is a constant false or 0.
    static bool holds(const OpDef& op, const LooseBinding& b, Name when) {
        const int at = when ? op.schema.paramIndex(when) : -1;
        if (at < 0) return true;
        const auto number = b.values[std::size_t(at)].asNumber();
        return !number || *number != 0;
    }

    bool isSubGraph(NodeId id) const {
        const Node& n = g_[id];
        return n.kind == NodeKind::GetAttr && g_.subGraph(n.target) != nullptr;
    }

    bool mayBeTensor(NodeId id) const { return g_.contains(id) && !(g_[id].type && g_[id].type->asSym()) && !isSubGraph(id); }

    bool writtenOnlySymbols(const Node& n) const { return n.arg(0).kind() != Value::Kind::Node || !mayBeTensor(n.arg(0).asNode()); }

    void add(Name param, int element, const Value& v) {
        if (v.isNode() && mayBeTensor(v.asNode())) out_.push_back({param, element, v.asNode()});
    }

    void addArgument(Name param, const Value& v) {
        if (!v.isSequence()) return add(param, -1, v);
        int element = 0;
        for (const Value& item : v.items()) add(param, element++, item);
    }

    /// Of a value whose parameter is unknown: everything in it.
    void addAll(Name param, const Value& v) {
        v.forEachNode([&](NodeId id) { add(param, -1, Value::node(id)); });
    }

    void everyTensor(const Node& n) {
        for (const Value& v : n.args) v.isSequence() ? addArgument(Name(), v) : addAll(Name(), v);
        for (const auto& [key, v] : n.kwargs) v.isSequence() ? addArgument(key, v) : addAll(key, v);
    }

    void writtenByOperator(const Node& n) {
        if (isInPlaceOperator(n.op.view().substr(10)) && !n.args.empty()) add("self"_n, -1, n.args[0]);
    }

    void writtenBySchema(const Node& n) {
        if (const OpDef* op = resolveOverload(ops_, g_, n)) return writtenBy(*op, n.args, n.kwargs);
        // Overload unresolved: nothing is written where no candidate writes.
        const auto candidates = packetOf(n.op) == n.op ? ops_.overloads(n.op) : std::vector<const OpDef*>();
        if (!candidates.empty() &&
            std::all_of(candidates.begin(), candidates.end(), [](const OpDef* d) { return d->isPure() || d->schema.isOut(); })) {
            if (std::none_of(n.kwargs.begin(), n.kwargs.end(), [](const Keyword& k) { return k.first == "out"; })) return;
        }
        everyTensor(n);
    }

    void writtenBy(const OpDef& op, const std::vector<Value>& args, const std::vector<Keyword>& kwargs) {
        const LooseBinding b = bindLoosely(op.schema, args, kwargs);
        const bool silent = !op.silentWrites.empty() && holds(op, b, op.silentWhen);
        for (std::size_t i = 0; i < op.schema.params.size(); ++i) {
            const SchemaParam& p = op.schema.params[i];
            if (p.written() || (silent && std::find(op.silentWrites.begin(), op.silentWrites.end(), p.name) != op.silentWrites.end()))
                addArgument(p.name, b.values[i]);
        }
        for (const Value& v : b.surplus) addAll(Name(), v);
    }

    void writtenByHigherOrder(const Node& n) {
        if (isFunctionalWrapper(n.op) || n.op == "hop::call_torchbind" || n.op == "hop::print") return;
        if (n.op == "hop::triton_kernel_wrapper_mutation") return writtenByTriton(n);
        if (writtenByWrappedOperator(n)) return;
        writtenByBodies(n);
    }

    /// A functional wrapper around an operator that is never dead.
    bool wrapsEffect(const Node& n) const {
        const OpDef* op = n.arg(0).kind() == Value::Kind::Op ? ops_.find(n.arg(0).name()) : nullptr;
        return op && op->is(Trait::Effect);
    }

    /// `kwargs.kwargs` of a Triton call; which of them is known from `mutated`, from a kernel's signature, or not at all.
    void writtenByTriton(const Node& n) {
        const Value* tensors = n.kwarg("kwargs"_n);
        if (!tensors || tensors->kind() != Value::Kind::Dict) return everyTensor(n);
        const Value* mutated = n.metaValue("mutated"_n);
        if (!mutated) mutated = n.kwarg("mutated"_n);
        const Value* index = n.kwarg("kernel_idx"_n);
        const auto number = index ? index->asInt() : std::nullopt;
        const OpDef* kernel = number ? ops_.find(Name("triton::kernel." + std::to_string(*number))) : nullptr;
        const auto isWritten = [&](Name key) {
            if (mutated && mutated->isSequence())
                return std::any_of(mutated->items().begin(), mutated->items().end(), [key](const Value& v) { return v.name() == key; });
            const int at = kernel ? kernel->schema.paramIndex(key) : -1;
            return at < 0 || kernel->schema.params[std::size_t(at)].written();
        };
        for (std::size_t i = 0; i < tensors->items().size(); ++i)
            if (isWritten(tensors->keys()[i])) addArgument(tensors->keys()[i], tensors->items()[i]);
    }

    /// `with_effects(token, op, …)`, `run_with_rng_state(state, op, …)`, …: the operator that stands among the arguments.
    bool writtenByWrappedOperator(const Node& n) {
        const auto at = std::find_if(n.args.begin(), n.args.end(), [](const Value& v) { return v.kind() == Value::Kind::Op; });
        if (at == n.args.end()) return false;
        const OpDef* op = ops_.find(at->name());
        if (!op) return false;
        writtenBy(*op, {at + 1, n.args.end()}, n.kwargs);
        return true;
    }

    /// Sub-graphs among the operands, and the operands that follow them, one for each placeholder.
    void writtenByBodies(const Node& n) {
        std::vector<const Graph*> bodies;
        std::vector<Value> operands;
        collectBodies(n, bodies, operands);
        if (bodies.empty()) return everyTensor(n);
        for (const Graph* body : bodies) {
            const BodyFacts& facts = factsOf(*body);
            if (std::find(facts.writes.begin(), facts.writes.end(), true) == facts.writes.end()) continue;
            if (facts.writes.size() != operands.size()) return out_.clear(), everyTensor(n);
        }
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (std::any_of(bodies.begin(), bodies.end(), [&](const Graph* b) {
                    const auto& w = factsOf(*b).writes;
                    return i < w.size() && w[i];
                }))
                add(Name(), -1, operands[i]);
    }

    void collectBodies(const Node& n, std::vector<const Graph*>& bodies, std::vector<Value>& operands) const {
        for (const Value& v : n.args) {
            if (v.isNode() && isSubGraph(v.asNode())) {
                bodies.push_back(g_.subGraph(g_[v.asNode()].target));
            } else if (!bodies.empty() && v.isSequence()) {
                operands.insert(operands.end(), v.items().begin(), v.items().end());
            } else if (!bodies.empty() && v.kind() != Value::Kind::String) {  // a string names the body (invoke_subgraph)
                operands.push_back(v);
            }
        }
    }

    /// Facts of a body, computed once per query. A body beyond the depth limit, or inside itself, counts as writing everything.
    const BodyFacts& factsOf(const Graph& body) {
        if (const auto it = bodies_.find(&body); it != bodies_.end()) return it->second;
        const std::vector<NodeId> placeholders = body.placeholders();
        BodyFacts worst{std::vector<bool>(placeholders.size(), true), false};
        BodyFacts& slot = bodies_.emplace(&body, worst).first->second;
        if (depth_ >= maxBodyDepth) return slot;
        BodyFacts facts{std::vector<bool>(placeholders.size(), false), true};
        std::unordered_map<NodeId, std::size_t> rootOf;  // through views, in one body
        for (std::size_t i = 0; i < placeholders.size(); ++i) rootOf[placeholders[i]] = i;
        Effects inner(ops_, body);
        inner.depth_ = depth_ + 1;
        inner.bodies_.swap(bodies_);
        for (NodeId id : inOrder(body)) {
            const Node& n = body[id];
            if (!n.isCall()) continue;
            for (const WrittenOperand& w : inner.written(id))
                if (const auto it = rootOf.find(w.value); it != rootOf.end()) facts.writes[it->second] = true;
            facts.pure = facts.pure && inner.pure(id);
            if (const auto root = inner.sharedRoot(n, rootOf)) rootOf[id] = *root;
        }
        inner.bodies_.swap(bodies_);
        return bodies_.insert_or_assign(&body, std::move(facts)).first->second;
    }

    /// The placeholder whose storage a node's result may share.
    std::optional<std::size_t> sharedRoot(const Node& n, const std::unordered_map<NodeId, std::size_t>& rootOf) const {
        if (n.args.empty() || !n.args[0].isNode()) return std::nullopt;
        const auto it = rootOf.find(n.args[0].asNode());
        if (it == rootOf.end()) return std::nullopt;
        if (n.op == "operator::getitem") return it->second;
        const OpDef* op = ops_.find(n.op);
        const bool shares = !op || op->isView() || op->is(Trait::AliasIfLayout) || op->schema.alias(0, 0) != AliasKind::None;
        return shares ? std::optional(it->second) : std::nullopt;
    }

    bool purePerBodies(const Node& n) {
        if (n.op == "hop::with_effects" || n.op == "hop::run_and_save_rng_state" || n.op == "hop::triton_kernel_wrapper_mutation") return false;
        std::vector<const Graph*> bodies;
        std::vector<Value> operands;
        collectBodies(n, bodies, operands);
        return !bodies.empty() && std::all_of(bodies.begin(), bodies.end(), [&](const Graph* b) { return factsOf(*b).pure; });
    }

    const OpRegistry& ops_;
    const Graph& g_;
    std::vector<WrittenOperand> out_;
    std::unordered_map<const Graph*, BodyFacts> bodies_;
    int depth_ = 0;
};

}  // namespace

std::vector<WrittenOperand> writtenOperands(const OpRegistry& ops, const Graph& g, NodeId id) { return Effects(ops, g).written(id); }
bool isPure(const OpRegistry& ops, const Graph& g, NodeId id) { return Effects(ops, g).pure(id); }

NodeId viewedOperand(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (n.kind != NodeKind::CallFunction || !n.op) return {};
    const OpDef* op = resolveOverload(ops, g, n);
    if (!op || !op->isView() || op->is(Trait::AliasIfLayout) || op->schema.params.empty()) return {};
    if (!n.args.empty()) return n.args[0].asNode();
    const Value* named = n.kwarg(op->schema.params[0].name);
    return named ? named->asNode() : NodeId();
}

}  // namespace aliascope
