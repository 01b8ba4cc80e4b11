#include "core/exec/compare_pairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/exec/written_values.h"

namespace aliascope::exec {
namespace {

using NodeKey = std::uint64_t;
NodeKey keyOf(const memory::Site& site) { return std::uint64_t(site.body) << 32 | site.node.value; }

void collectBodies(const Graph& g, const std::string& path, int depth, std::vector<std::pair<std::string, const Graph*>>& out) {
    constexpr int deepest = 64;
    constexpr std::size_t most = 10'000;
    if (depth > deepest) return;
    for (const Graph::SubGraph& s : g.subGraphs()) {
        if (!s.graph || out.size() >= most) continue;
        const std::string inner = path.empty() ? s.attribute.str() : path + "." + s.attribute.str();
        out.emplace_back(inner, s.graph.get());
        collectBodies(*s.graph, inner, depth + 1, out);
    }
}

const Node* nodeAt(const std::vector<const Graph*>& bodies, const memory::Site& site) {
    if (site.body >= bodies.size() || !site.node || !bodies[site.body]->contains(site.node)) return nullptr;
    return &(*bodies[site.body])[site.node];
}

/// The operator that a call stands for: of a wrapper what it wraps.
Name meaningOf(const OpRegistry& ops, const Node& n) {
    const OpDef* wrapped = wrappedOperator(ops, n);
    return wrapped ? wrapped->canonical : n.op;
}

/// Follows the nodes of the earlier stage through the rewrites: what each may have become.
class Successors {
public:
    explicit Successors(const RewriteSteps& rewrites) {
        for (const RewriteStep& step : rewrites) apply(step);
    }
    /// Itself when no rewrite took it away.
    std::vector<NodeKey> of(NodeKey node) const {
        const auto at = now_.find(node);
        return at == now_.end() ? std::vector<NodeKey>{node} : at->second;
    }

private:
    static constexpr std::size_t kMostCandidates = 12;

    void apply(const RewriteStep& step) {
        if (step.before.empty() || step.after.empty()) return;
        std::vector<NodeKey> after;
        // The last nodes of a replacement stand for the result.
        for (auto it = step.after.rbegin(); it != step.after.rend() && after.size() < kMostCandidates; ++it) after.push_back(keyOf(*it));
        for (const memory::Site& site : step.before) {
            const NodeKey gone = keyOf(site);
            const bool stays = std::find(after.begin(), after.end(), gone) != after.end();
            // Which nodes of the earlier stage stand here now.
            std::vector<NodeKey> sources;
            if (const auto at = sources_.find(gone); at != sources_.end())
                sources = at->second;
            else if (!made_.contains(gone))
                sources = {gone};
            for (NodeKey source : sources) {
                auto& candidates = now_.try_emplace(source, std::vector<NodeKey>{source}).first->second;
                if (!stays) std::erase(candidates, gone);
                for (NodeKey next : after)
                    if (candidates.size() < kMostCandidates && std::find(candidates.begin(), candidates.end(), next) == candidates.end()) {
                        candidates.push_back(next);
                        auto& back = sources_[next];
                        if (back.size() < kMostCandidates) back.push_back(source);
                    }
            }
        }
        for (NodeKey next : after) made_.insert(next);
    }

    std::map<NodeKey, std::vector<NodeKey>> now_;      ///< earlier node -> what it may be now
    std::map<NodeKey, std::vector<NodeKey>> sources_;  ///< node now -> earlier nodes
    std::set<NodeKey> made_;
};

struct Side {
    const ComparedStage& stage;
    std::vector<const Graph*> bodies;
    std::map<NodeKey, std::vector<std::size_t>> rows;  ///< by node

    explicit Side(const ComparedStage& s) : stage(s), bodies(bodiesOf(*s.graph)) {
        for (std::size_t i = 0; i < s.values->rows.size(); ++i) rows[keyOf(s.values->rows[i].site)].push_back(i);
    }
    const RunValue& row(std::size_t i) const { return stage.values->rows[i]; }
    const std::string& callPath(std::size_t i) const {
        static const std::string none;
        const std::uint32_t path = row(i).site.callPath;
        return path < stage.values->callPaths.size() ? stage.values->callPaths[path] : none;
    }
};

/// Source line, operator and shape; empty where the line is not known.
std::string provenanceKey(const OpRegistry& ops, const Side& side, const Node& n, std::size_t row) {
    const Graph& g = *side.bodies[side.row(row).site.body];
    const Provenance& p = g.provenance[n.provenance < g.provenance.size() ? n.provenance : 0];
    if (p.line == 0) return {};
    std::string key = p.file.str() + ":" + std::to_string(p.line) + ":" + meaningOf(ops, n).str() + ":" + std::to_string(side.row(row).out);
    for (std::int64_t size : side.row(row).digest.sizes) key += "," + std::to_string(size);
    return key;
}

}  // namespace

std::vector<const Graph*> bodiesOf(const Graph& g) {
    std::vector<std::pair<std::string, const Graph*>> named;
    collectBodies(g, "", 0, named);
    std::sort(named.begin(), named.end());
    std::vector<const Graph*> out = {&g};
    for (const auto& [path, body] : named) out.push_back(body);
    return out;
}

StagePairs::StagePairs(const ComparedStage& earlierStage, const ComparedStage& laterStage, const RewriteSteps& rewrites, const OpRegistry& ops)
    : pairs_(laterStage.values->rows.size()) {
    const Side earlier(earlierStage), later(laterStage);
    const Successors successors(rewrites);
    std::vector<bool> taken(earlier.stage.values->rows.size(), false);

    // Row of `node` in the later run that can be the value of row `a`.
    const auto fitting = [&](std::size_t a, NodeKey node) -> std::optional<std::size_t> {
        const auto rows = later.rows.find(node);
        if (rows == later.rows.end()) return std::nullopt;
        for (std::size_t b : rows->second)
            if (!pairs_[b] && later.row(b).out == earlier.row(a).out && later.row(b).digest.dtype == earlier.row(a).digest.dtype &&
                later.row(b).digest.sizes == earlier.row(a).digest.sizes && later.callPath(b) == earlier.callPath(a))
                return b;
        return std::nullopt;
    };
    const auto pair = [&](std::size_t a, std::size_t b) {
        pairs_[b] = a;
        taken[a] = true;
    };
    const auto isResult = [&](const Side& side, std::size_t i) {
        const Node* n = nodeAt(side.bodies, side.row(i).site);
        return n && (n->kind == NodeKind::Output || (n->kind == NodeKind::Placeholder && side.row(i).out < 0));
    };

    const auto results = [](const Side& side, std::size_t row) { return side.rows.at(keyOf(side.row(row).site)).size(); };
    // The same node, or what rewrites made of it; of several one with the same value, else the one that stands for the same operator, else the one
    // that a rewrite comes to. From the end, because of several nodes that one took the place of, the last had its value.
    for (const bool equal : {true, false})
        for (std::size_t a = taken.size(); a-- > 0;) {
            const Node* n = nodeAt(earlier.bodies, earlier.row(a).site);
            if (!n || taken[a] || isResult(earlier, a)) continue;
            std::optional<std::size_t> best;
            for (NodeKey candidate : successors.of(keyOf(earlier.row(a).site))) {
                const auto b = fitting(a, candidate);
                if (!b || (equal && later.row(*b).digest.hashV != earlier.row(a).digest.hashV)) continue;
                const Node* m = nodeAt(later.bodies, later.row(*b).site);
                const bool same = m && (m->id == n->id || meaningOf(ops, *m) == meaningOf(ops, *n));
                // Which of several results one value has become, only those who take them can tell.
                if (!same && results(later, *b) > results(earlier, a)) continue;
                if (!best || same) best = b;
                if (same) break;
            }
            if (best) pair(a, *best);
        }
    // The same name, when nothing else is known of either.
    for (std::size_t b = 0; b < pairs_.size(); ++b) {
        const Node* n = nodeAt(later.bodies, later.row(b).site);
        if (!n || pairs_[b] || isResult(later, b) || later.row(b).site.body >= earlier.bodies.size()) continue;
        const NodeId same = earlier.bodies[later.row(b).site.body]->find(n->name);
        if (!same) continue;
        const auto rows = earlier.rows.find(std::uint64_t(later.row(b).site.body) << 32 | same.value);
        if (rows == earlier.rows.end()) continue;
        for (std::size_t a : rows->second)
            if (!taken[a] && fitting(a, keyOf(later.row(b).site)) == b) {
                pair(a, b);
                break;
            }
    }
    // One value on each side with this line, operator and shape.
    std::map<std::string, std::vector<std::size_t>> left;
    for (std::size_t a = 0; a < taken.size(); ++a)
        if (const Node* n = nodeAt(earlier.bodies, earlier.row(a).site); n && !taken[a] && !isResult(earlier, a))
            if (std::string key = provenanceKey(ops, earlier, *n, a); !key.empty()) left[key].push_back(a);
    std::map<std::string, std::vector<std::size_t>> right;
    for (std::size_t b = 0; b < pairs_.size(); ++b)
        if (const Node* n = nodeAt(later.bodies, later.row(b).site); n && !pairs_[b] && !isResult(later, b))
            if (std::string key = provenanceKey(ops, later, *n, b); !key.empty()) right[key].push_back(b);
    for (const auto& [key, rows] : right) {
        const auto other = left.find(key);
        if (rows.size() == 1 && other != left.end() && other->second.size() == 1 &&
            fitting(other->second[0], keyOf(later.row(rows[0]).site)) == rows[0])
            pair(other->second[0], rows[0]);
    }
}

}  // namespace aliascope::exec
