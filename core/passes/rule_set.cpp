#include "core/passes/rule_set.h"

#include <algorithm>
#include <set>

#include "core/passes/clean_up.h"

namespace aliascope {
namespace {

/// Erases what has no users, users before their operands.
void eraseUnused(Graph& g, std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase_if(nodes, [&](NodeId id) { return !g.contains(id); });
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return a != b && g.before(b, a); });
    for (NodeId id : nodes)
        if (!g.hasUsers(id)) g.erase(id);
}

}  // namespace

bool RuleContext::oneRegion(const std::vector<NodeId>& nodes) const {
    NodeId known;
    for (NodeId id : nodes) {
        if (known && !regions_.same(known, id)) return false;
        if (!known || regions_.isNew(known)) known = id;
    }
    return true;
}

bool RuleContext::acrossWrite(NodeId root, NodeId other) {
    const NodeId write = regions_.writeBetween(other, root);
    if (!write) return false;
    const std::string name = g.contains(write) ? g[write].name.str() : std::string("a write");
    refuse(root, "REGION", {{"a", g[other].name.str()}, {"b", g[root].name.str()}, {"write", name}}, g.contains(write) ? write : NodeId());
    return true;
}

void RuleContext::replace(NodeId root, NodeId by, const std::vector<NodeId>& matched, const std::vector<NodeId>& made,
                          const std::function<bool(NodeId user)>& keep) {
    Rewrite rewrite{rule_, {}, {}};
    for (NodeId id : matched) rewrite.before.push_back(ref(g, id));
    if (std::find(matched.begin(), matched.end(), root) == matched.end()) rewrite.before.insert(rewrite.before.begin(), ref(g, root));
    for (NodeId id : made) {
        if (g[id].provenance == 0) g.edit(id).provenance = g[root].provenance;
        rewrite.after.push_back(ref(g, id));
    }
    if (made.empty()) rewrite.after.push_back(ref(g, by));
    g.replaceAllUses(root, by, keep);
    std::vector<NodeId> old = matched;
    old.push_back(root);
    eraseUnused(g, std::move(old));
    pass.rewrite(std::move(rewrite));
}

void RuleContext::replaceAll(const std::vector<std::pair<NodeId, NodeId>>& outputs, const std::vector<NodeId>& matched,
                             const std::vector<NodeId>& made) {
    Rewrite rewrite{rule_, {}, {}};
    for (NodeId id : matched) rewrite.before.push_back(ref(g, id));
    for (NodeId id : made) {
        if (g[id].provenance == 0 && !outputs.empty()) g.edit(id).provenance = g[outputs.front().first].provenance;
        rewrite.after.push_back(ref(g, id));
    }
    for (const auto& [old, by] : outputs) {
        if (by)
            g.replaceAllUses(old, by, [&, by = by](NodeId user) { return user == by || std::find(made.begin(), made.end(), user) != made.end(); });
    }
    std::vector<NodeId> used = matched;
    for (const auto& [old, by] : outputs) used.push_back(old);
    eraseUnused(g, std::move(used));
    pass.rewrite(std::move(rewrite));
}

void RuleContext::refuse(NodeId root, std::string code, Params params, NodeId blocker) {
    aliascope::refuse(g, pass, root, rule_, std::move(code), std::move(params), blocker);
}

/// One run of a set over one graph.
class RuleTraversal {
public:
    RuleTraversal(const RuleSet& set, Graph& g, PassContext& ctx)
        : set_(set), g_(g), ctx_(ctx), extended_(ctx.options().is("mode", "extended")), regions_(ctx.ops(), g) {}

    std::size_t run() {
        std::vector<NodeId> roots;
        for (NodeId id : inOrder(g_))
            if (isRoot(id)) roots.push_back(id);
        while (!roots.empty()) {
            std::vector<NodeId> touched;
            for (auto it = roots.rbegin(); it != roots.rend() && mayGoOn(ctx_); ++it) visit(*it, touched);
            roots.clear();
            if (extended_) roots = again(touched);
        }
        return count_;
    }

private:
    bool isRoot(NodeId id) const { return g_[id].kind == NodeKind::CallFunction && set_.byRoot_.contains(g_[id].op); }

    void visit(NodeId id, std::vector<NodeId>& touched) {
        if (!g_.contains(id) || !isRoot(id) || touchesUnsupported(g_, id)) return;
        const std::vector<std::uint32_t> rules = *set_.byRoot_.find(g_[id].op);
        for (std::uint32_t index : rules) {
            if (!g_.contains(id) || !mayGoOn(ctx_)) return;
            if (extended_ && timesRewritten(id) >= kMostRewrites) return capped(id);
            const RuleSet::Rule& rule = set_.rules_[index];
            RuleContext context(g_, ctx_, rule.name, extended_, regions_);
            const std::uint32_t firstNew = g_.idBound();
            const std::vector<NodeId> users = extended_ ? g_.users(id) : std::vector<NodeId>();
            if (!rule.attempt(context, id)) continue;
            ctx_.mayRewrite();
            ++count_;
            if (!extended_) continue;
            const std::uint32_t times = timesRewritten(id) + 1;
            setTimes(id, times);
            for (std::uint32_t made = firstNew; made < g_.idBound(); ++made) {
                setTimes(NodeId(made), times);
                touched.push_back(NodeId(made));
            }
            touched.insert(touched.end(), users.begin(), users.end());
        }
    }

    /// Roots among the nodes that rewrites made or fed, in graph order, each once.
    std::vector<NodeId> again(std::vector<NodeId>& touched) const {
        std::erase_if(touched, [&](NodeId id) { return !g_.contains(id) || !isRoot(id); });
        std::sort(touched.begin(), touched.end(), [&](NodeId a, NodeId b) { return a != b && g_.before(a, b); });
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        return touched;
    }

    std::uint32_t timesRewritten(NodeId id) const { return id.value < times_.size() ? times_[id.value] : 0; }
    void setTimes(NodeId id, std::uint32_t times) {
        if (times_.size() <= id.value) times_.resize(std::max<std::size_t>(g_.idBound(), id.value + 1));
        times_[id.value] = times;
    }

    void capped(NodeId id) {
        if (!reported_.insert(id).second) return;
        RuleContext(g_, ctx_, "rewrite-cap", extended_, regions_).refuse(id, "REWRITE_CAP", {{"node", g_[id].name.str()}});
    }

    static constexpr std::uint32_t kMostRewrites = 8;

    const RuleSet& set_;
    Graph& g_;
    PassContext& ctx_;
    const bool extended_;
    const MutationRegions regions_;
    std::vector<std::uint32_t> times_;  ///< by id: how often the node, or what it stems from, was rewritten
    std::set<NodeId> reported_;
    std::size_t count_ = 0;
};

void RuleSet::add(std::string rule, const std::vector<Name>& roots, RuleAttempt attempt) {
    const auto index = static_cast<std::uint32_t>(rules_.size());
    rules_.push_back({std::move(rule), std::move(attempt)});
    for (Name root : roots) byRoot_[root].push_back(index);
}

std::size_t RuleSet::run(Graph& g, PassContext& ctx) const { return empty() ? 0 : RuleTraversal(*this, g, ctx).run(); }

}  // namespace aliascope
