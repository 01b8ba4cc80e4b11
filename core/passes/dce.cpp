#include "core/passes/dce.h"

#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

bool isWrapper(Name op) {
    static const Name v1("hop::auto_functionalized"), v2("hop::auto_functionalized_v2"), launch("hop::triton_kernel_wrapper_functional");
    return op == v1 || op == v2 || op == launch;
}

bool removable(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (n.kind == NodeKind::Placeholder || n.kind == NodeKind::Output) return false;
    if (n.kind == NodeKind::GetAttr) return true;
    if (n.kind == NodeKind::CallFunction && isWrapper(n.op)) {
        if (n.args.empty() || n.args[0].kind() != Value::Kind::Op) return true;
        const OpDef* inner = ops.find(n.args[0].name());
        return !inner || !inner->is(Trait::Effect);
    }
    return isPure(ops, g, id);
}

void removeDead(const OpRegistry& ops, Graph& g, PassContext& ctx) {
    // Backwards, so that the operands of a removed node are looked at after it.
    std::vector<NodeId> order = g.order();
    std::size_t done = 0;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (++done % 4096 == 0 && ctx.cancelled()) return;
        if (g.hasUsers(*it) || !removable(ops, g, *it)) continue;
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
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        inEveryGraph(g, ctx, [](Graph& body, PassContext& inner) { removeDead(inner.ops(), body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeDce() { return std::make_unique<Dce>(); }

}  // namespace aliascope
