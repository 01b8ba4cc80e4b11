#include "core/passes/dce.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/alias.h"
#include "core/passes/clean_up.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

/// Who else sees a storage: the caller, and the last node that reads it.
class Onlookers {
public:
    Onlookers(const Graph& g, const OpRegistry& ops) : alias_(g, ops) {
        for (const NodeId id : inOrder(g)) {
            if (g[id].kind == NodeKind::Placeholder) inputs_.insert(alias_.storageOf(id));
            for (const NodeId operand : g.operands(id)) last_[alias_.storageOf(operand)] = id;
        }
    }
    /// Whether a write by `writer` to the memory of `written` can be noticed.
    bool see(const Graph& g, NodeId writer, NodeId written) const {
        const StorageId s = alias_.storageOf(written);
        if (!s || inputs_.contains(s)) return true;
        const auto reader = last_.find(s);
        return reader != last_.end() && g.contains(reader->second) && g.before(writer, reader->second);
    }

private:
    AliasInfo alias_;
    std::unordered_set<StorageId> inputs_;
    std::unordered_map<StorageId, NodeId> last_;
};

/// The launch may write a tensor that it does not copy first: re-inplacing takes such tensors out of `tensors_to_clone`, and what is left does not
/// say which of the others the kernel writes. A definition of the kernel does; without one every tensor that others can see counts.
bool launchWritesInPlace(const OpRegistry& ops, const Graph& g, NodeId id, const Onlookers& others) {
    const Node& n = g[id];
    const Value *arguments = n.kwarg("kwargs"_n), *copied = n.kwarg("tensors_to_clone"_n), *index = n.kwarg("kernel_idx"_n);
    if (!arguments || arguments->kind() != Value::Kind::Dict) return false;
    const auto number = index ? index->asInt() : std::nullopt;
    const OpDef* kernel = number ? ops.find(Name("triton::kernel." + std::to_string(*number))) : nullptr;
    for (std::size_t i = 0; i < arguments->items().size(); ++i) {
        const Value& value = arguments->items()[i];
        const Name name = arguments->keys()[i];
        if (!value.isNode() || (copied && std::find(copied->items().begin(), copied->items().end(), Value::string(name)) != copied->items().end()))
            continue;
        if (kernel) {
            const int param = kernel->schema.paramIndex(name);
            if (param >= 0 && kernel->schema.params[static_cast<std::size_t>(param)].written()) return true;
            continue;
        }
        if (others.see(g, id, value.asNode())) return true;
    }
    return false;
}

/// A wrapper that copies nothing of what it writes is the write itself, users or not.
bool writesInPlace(const OpRegistry& ops, const Graph& g, NodeId id, std::optional<Onlookers>& others) {
    const auto call = readWrapper(ops, g, id);
    if (!call) return false;
    if (call->kind == WrapperKind::Launch) {
        if (!others) others.emplace(g, ops);
        return launchWritesInPlace(ops, g, id, *others);
    }
    const Value* copied = g[id].metaValue("clone_only"_n);
    if (!copied) return false;
    const std::size_t written =
        call->kind == WrapperKind::V2
            ? call->bases.size()
            : static_cast<std::size_t>(std::count_if(call->arguments.begin(), call->arguments.end(),
                                                     [](const WrappedArgument& a) { return a.written && !a.value.isNone(); }));
    return copied->items().size() < written;
}

bool removable(const OpRegistry& ops, const Graph& g, NodeId id, std::optional<Onlookers>& others) {
    const Node& n = g[id];
    if (n.kind == NodeKind::Placeholder || n.kind == NodeKind::Output) return false;
    if (n.kind == NodeKind::GetAttr) return true;
    if (n.kind == NodeKind::CallFunction && wrapperKind(n) != WrapperKind::None) {
        if (writesInPlace(ops, g, id, others)) return false;
        if (n.args.empty() || n.args[0].kind() != Value::Kind::Op) return true;
        const OpDef* inner = ops.find(n.args[0].name());
        return !inner || !inner->is(Trait::Effect);
    }
    return isPure(ops, g, id);
}

/// Says why a call without users stays, when it writes nothing that explains itself.
void explainEffect(const OpRegistry& ops, const Graph& g, PassContext& ctx, NodeId id) {
    const Node& n = g[id];
    const OpDef* def = n.kind == NodeKind::CallFunction ? ops.find(n.op) : nullptr;
    if (!def || (!def->is(Trait::Effect) && !def->is(Trait::Random))) return;
    const char* effect = def->is(Trait::Effect) ? "it checks, prints or synchronises" : "it draws random numbers";
    refuse(g, ctx, id, "canonicalize 5.6", "IMPURE", {{"node", n.name.str()}, {"op", n.op.str()}, {"effect", effect}});
}

void removeDead(const OpRegistry& ops, Graph& g, PassContext& ctx) {
    // Backwards, so that the operands of a removed node are looked at after it.
    std::vector<NodeId> order = g.order();
    std::optional<Onlookers> others;  ///< made when a launch without users asks
    std::size_t done = 0;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (++done % 4096 == 0 && ctx.cancelled()) return;
        if (g.hasUsers(*it)) continue;
        if (!removable(ops, g, *it, others)) {
            explainEffect(ops, g, ctx, *it);
            continue;
        }
        if (!ctx.mayRewrite()) return;
        Rewrite r;
        r.rule = "remove-dead";
        r.before.push_back(ref(g, *it));
        ctx.rewrite(std::move(r));
        g.erase(*it);
    }
}

class Dce : public Pass {
public:
    std::string_view name() const override { return "dce"; }
    std::string_view help() const override { return "Remove nodes without users whose absence cannot be noticed"; }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        inEveryGraph(g, ctx, [](Graph& body, PassContext& inner) { removeDead(inner.ops(), body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeDce() { return std::make_unique<Dce>(); }

}  // namespace aliascope
