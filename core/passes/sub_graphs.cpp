#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

constexpr int kMaxDepth = 64;

NodeRef within(Name body, const NodeRef& node) { return {NodeId(), node.name ? Name(body.str() + "." + node.name.str()) : Name()}; }

void visit(Graph& g, PassContext& ctx, const std::function<void(Graph&, PassContext&)>& work, int depth) {
    for (auto& sub : g.subGraphs()) {
        if (depth >= kMaxDepth || ctx.cancelled()) break;
        PassContext inner(ctx.ops(), ctx.options(), ctx.cancel());
        inner.budget = ctx.budget;
        visit(*sub.graph, inner, work, depth + 1);
        for (Rewrite& r : inner.rewrites) {
            for (NodeRef& node : r.before) node = within(sub.attribute, node);
            for (NodeRef& node : r.after) node = within(sub.attribute, node);
            ctx.rewrite(std::move(r));
        }
        for (Decision& d : inner.decisions) {
            d.node = within(sub.attribute, d.node);
            d.origin = d.node;
            d.blocker = within(sub.attribute, d.blocker);
            d.view = within(sub.attribute, d.view);
            ctx.decide(std::move(d));
        }
        for (Diagnostic& d : inner.diagnostics) {
            if (d.node) d.node = Name(sub.attribute.str() + "." + d.node.str());
            ctx.say(std::move(d));
        }
    }
    work(g, ctx);
}

}  // namespace

void inEveryGraph(Graph& g, PassContext& ctx, const std::function<void(Graph&, PassContext&)>& work) { visit(g, ctx, work, 0); }

}  // namespace aliascope
