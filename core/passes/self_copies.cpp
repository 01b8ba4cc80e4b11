#include "core/passes/self_copies.h"

#include "core/analysis/alias.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

bool sameMemory(const AliasInfo& alias, NodeId a, NodeId b) {
    if (a == b) return true;
    const TensorType *x = alias.geometry(a), *y = alias.geometry(b);
    if (!alias.sameStorage(a, b) || alias.undecided(a) || alias.undecided(b) || !x || !y) return false;
    return x->dtype == y->dtype && x->dtype != DType::Unknown && x->sizes == y->sizes && x->strides && y->strides && *x->strides == *y->strides &&
           x->offset && y->offset && *x->offset == *y->offset;
}

/// Erases a view nobody reads, and then what it was cut from.
void eraseDeadViews(Graph& g, const OpRegistry& ops, NodeId id, Rewrite& rewrite) {
    while (id && g.contains(id) && !g.hasUsers(id) && isSchemaView(ops, g[id])) {
        const NodeId input = g[id].arg(0).asNode();
        rewrite.before.push_back(ref(g, id));
        g.erase(id);
        id = input;
    }
}

}  // namespace

void treatSelfCopies(Graph& g, PassContext& ctx, bool erase) {
    static const Name copyOp("aten::copy_");
    std::vector<NodeId> copies;
    for (NodeId id : inOrder(g))
        if (g[id].is(copyOp) && g[id].arg(0).isNode() && g[id].arg(1).isNode()) copies.push_back(id);
    if (copies.empty()) return;
    std::optional<AliasInfo> alias;
    if (erase) alias.emplace(g, ctx.ops());
    for (NodeId copy : copies) {
        const NodeId target = g[copy].arg(0).asNode(), source = g[copy].arg(1).asNode();
        if (target != source && !(alias && sameMemory(*alias, target, source))) continue;
        if (erase && !ctx.mayRewrite()) return;
        Decision d;
        d.node = ref(g, copy);
        if (ctx.originOf) d.origin = ctx.originOf(copy);
        d.op = g[copy].op;
        d.argument = g[target].name.str();
        d.verdict = erase ? "applied" : "refused";
        d.need = "none";
        d.code = "SELF_COPY";
        d.reportedBytes = 0;
        d.clonedBytes = 0;
        d.rule = "reinplace 6";
        d.params = {{"node", d.node.name.str()}, {"input", g[target].name.str()}};
        ctx.decide(std::move(d));
        if (!erase) continue;
        Rewrite rewrite{"erase-copy-back", {ref(g, copy)}, {ref(g, target)}};
        g.replaceAllUses(copy, target);
        g.erase(copy);
        eraseDeadViews(g, ctx.ops(), source, rewrite);
        ctx.rewrite(std::move(rewrite));
    }
}

}  // namespace aliascope
