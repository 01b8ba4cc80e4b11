// Reuse of dtype views (canonicalize.md 5.4): per source one view for each dtype. Views of shapes are another matter (canonicalize_views.h).

#include <map>
#include <unordered_map>

#include "core/passes/clean_up.h"
#include "core/passes/fold_constants.h"

namespace aliascope {

void reuseDtypeViews(Graph& g, PassContext& ctx) {
    static const Name viewDtype("aten::view.dtype");
    using Table = std::map<DType, NodeId>;
    std::vector<Table> tables;
    std::unordered_map<NodeId, std::size_t> tableOf;
    std::vector<NodeId> views;
    for (NodeId id : g.order()) {
        if (!g[id].is(viewDtype) || !g[id].arg(0).isNode()) continue;
        const NodeId source = g[id].arg(0).asNode();
        const TensorType *from = g[source].tensor(), *own = g[id].tensor();
        if (!from || !own || own->dtype == DType::Unknown) continue;
        const auto [at, fresh] = tableOf.try_emplace(source, tables.size());
        if (fresh) tables.push_back({{from->dtype, source}});
        const auto [entry, first] = tables[at->second].try_emplace(own->dtype, id);
        if (first || fresh) {
            tableOf.emplace(id, at->second);
            views.push_back(id);
            continue;
        }
        if (!ctx.mayRewrite()) return;
        Rewrite rewrite{"reuse-dtype-view", {ref(g, id)}, {ref(g, entry->second)}};
        g.replaceAllUses(id, entry->second);
        g.erase(id);
        ctx.rewrite(std::move(rewrite));
    }
    // Backwards: a view of a view goes first.
    for (auto it = views.rbegin(); it != views.rend(); ++it) {
        if (!g.contains(*it) || g.hasUsers(*it)) continue;
        if (!ctx.mayRewrite()) return;
        ctx.rewrite({"unused-dtype-view", {ref(g, *it)}, {}});
        g.erase(*it);
    }
}

}  // namespace aliascope
