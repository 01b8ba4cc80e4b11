#include "core/pipeline/foreign_stages.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/pipeline/graph_copy.h"

namespace aliascope {
namespace {

std::string_view sourceOf(const Graph& g, const Node& n) {
    return n.provenance < g.provenance.size() ? g.provenance[n.provenance].raw.view() : std::string_view();
}

bool sameKind(const Node& a, const Node& b) {
    return a.kind == b.kind && (a.isCall() ? a.op == b.op : true) && (a.kind != NodeKind::GetAttr || a.target == b.target);
}

class Matcher {
public:
    Matcher(const Graph& before, const Graph& after)
        : before_(before), after_(after), partnerOfAfter_(after.idBound()), confidence_(after.idBound()), taken_(before.idBound(), false) {}

    std::vector<NodeMatch> run() {
        byName();
        byOperands();
        bySource();
        placeholdersByPosition();
        rewritten();
        std::vector<NodeMatch> out;
        for (const NodeId id : inOrder(after_))
            if (partnerOfAfter_[id.value]) out.push_back({partnerOfAfter_[id.value], id, confidence_[id.value]});
        return out;
    }

private:
    void pair(NodeId before, NodeId after, double confidence) {
        partnerOfAfter_[after.value] = before;
        confidence_[after.value] = confidence;
        taken_[before.value] = true;
    }
    bool free(NodeId after) const { return !partnerOfAfter_[after.value]; }

    /// Whether the operands of both are partners of each other, place by place.
    bool sameOperands(const Node& a, const Node& b) const {
        const auto x = before_.operands(a.id), y = after_.operands(b.id);
        return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [&](NodeId p, NodeId q) { return partnerOfAfter_[q.value] == p; });
    }

    /// Names are kept by most passes; in order, so that operands are settled before their users.
    void byName() {
        for (const NodeId id : inOrder(after_)) {
            const Node& n = after_[id];
            const NodeId old = n.kind == NodeKind::Output ? before_.output() : before_.find(n.name);
            if (!old || taken_[old.value] || !sameKind(before_[old], n)) continue;
            double confidence = 1.0;
            if (!sameOperands(before_[old], n)) confidence -= 0.15;
            if (sourceOf(before_, before_[old]) != sourceOf(after_, n)) confidence -= 0.1;
            pair(old, id, confidence);
        }
    }

    /// The call with its operands named by the ids of `before`: equal calls have equal keys. Empty when an operand has no partner.
    std::string keyOf(const Graph& g, const Node& n, bool isAfter) const {
        if (!n.isCall()) return {};
        std::string key = n.op.str() + "|" + n.target.str();
        for (const NodeId operand : g.operands(n.id)) {
            const NodeId named = isAfter ? partnerOfAfter_[operand.value] : operand;
            if (!named) return {};
            key += "|" + std::to_string(named.value);
        }
        return key;
    }

    void byOperands() {
        std::unordered_map<std::string, std::vector<NodeId>> open;  // in reverse order: the first is taken first
        for (NodeId id = before_.last(); id; id = before_[id].prev)
            if (!taken_[id.value])
                if (std::string key = keyOf(before_, before_[id], false); !key.empty()) open[std::move(key)].push_back(id);
        for (const NodeId id : inOrder(after_)) {
            if (!free(id)) continue;
            const std::string key = keyOf(after_, after_[id], true);
            const auto it = key.empty() ? open.end() : open.find(key);
            if (it == open.end() || it->second.empty()) continue;
            const NodeId old = it->second.back();
            it->second.pop_back();
            const bool line = sourceOf(before_, before_[old]) == sourceOf(after_, after_[id]) && !sourceOf(after_, after_[id]).empty();
            pair(old, id, line ? 0.85 : 0.75);
        }
    }

    void bySource() {
        std::map<std::pair<Name, std::string_view>, std::vector<NodeId>> open;
        for (NodeId id = before_.last(); id; id = before_[id].prev) {
            const Node& n = before_[id];
            if (!taken_[id.value] && n.isCall() && !sourceOf(before_, n).empty()) open[{n.op, sourceOf(before_, n)}].push_back(id);
        }
        for (const NodeId id : inOrder(after_)) {
            const Node& n = after_[id];
            if (!free(id) || !n.isCall() || sourceOf(after_, n).empty()) continue;
            const auto it = open.find({n.op, sourceOf(after_, n)});
            if (it == open.end() || it->second.empty()) continue;
            pair(it->second.back(), id, it->second.size() == 1 ? 0.6 : 0.4);
            it->second.pop_back();
        }
    }

    /// Inputs that were renamed (`L_x_`, `primals_1`, `arg0_1`) keep their place when their number is the same.
    void placeholdersByPosition() {
        const auto old = before_.placeholders(), now = after_.placeholders();
        if (old.size() != now.size()) return;
        for (std::size_t i = 0; i < old.size(); ++i) {
            if (!free(now[i]) || taken_[old[i].value]) continue;
            const TypePtr &a = before_[old[i]].type, &b = after_[now[i]].type;
            if (a && b && !sameType(a, b)) continue;
            pair(old[i], now[i], a && b ? 0.7 : 0.5);
        }
    }

    /// A pass that gives a node another operator (`view` to `reshape`, `index_put` to `index_put_`) keeps its name and its operands.
    void rewritten() {
        for (const NodeId id : inOrder(after_)) {
            const Node& n = after_[id];
            const NodeId old = n.isCall() && free(id) ? before_.find(n.name) : NodeId();
            if (!old || taken_[old.value] || before_[old].kind != n.kind || !sameOperands(before_[old], n)) continue;
            pair(old, id, sourceOf(before_, before_[old]) == sourceOf(after_, n) ? 0.7 : 0.5);
        }
    }

    const Graph &before_, &after_;
    std::vector<NodeId> partnerOfAfter_;
    std::vector<double> confidence_;
    std::vector<bool> taken_;
};

/// Gives `out` nodes with the ids of `before` as far as they go on, and fills the gaps, which are removed again.
std::vector<NodeId> addNodes(Graph& out, const Graph& before, const Graph& target, const std::vector<NodeMatch>& matches) {
    std::vector<NodeId> afterOf(before.idBound()), idOf(target.idBound());
    std::vector<double> confidence(target.idBound(), -1);
    for (const NodeMatch& m : matches) {
        afterOf[m.before.value] = m.after;
        confidence[m.after.value] = m.confidence;
    }
    std::vector<NodeId> gaps;
    const auto append = [&](NodeId after) {
        Node n = withoutOperands(target[after]);
        if (confidence[after.value] >= 0) n.meta.emplace_back("match"_n, Value::real(confidence[after.value]));
        idOf[after.value] = out.appendExact(std::move(n));
    };
    for (std::uint32_t i = 0; i < before.idBound(); ++i) {
        if (afterOf[i]) {
            append(afterOf[i]);
            continue;
        }
        Node gap;
        gap.kind = NodeKind::Placeholder;
        gap.name = Name("gap " + std::to_string(i));
        gaps.push_back(out.appendExact(std::move(gap)));
    }
    for (const NodeId id : inOrder(target))
        if (!idOf[id.value]) append(id);
    for (const NodeId id : gaps) out.erase(id);
    return idOf;
}

}  // namespace

std::vector<NodeMatch> matchNodes(const Graph& before, const Graph& after) { return Matcher(before, after).run(); }

Graph continued(const Graph& before, const Graph& target, const std::vector<NodeMatch>& matches) {
    Graph out;
    out.provenance = target.provenance;
    out.symbols = target.symbols;
    out.style = target.style;
    out.name = target.name;
    out.phase = target.phase;
    const std::vector<NodeId> idOf = addNodes(out, before, target, matches);
    NodeId last;
    for (const NodeId id : inOrder(target)) {
        const NodeId own = idOf[id.value];
        if (last)
            out.moveAfter(own, last);
        else if (out.first() != own)
            out.moveBefore(own, out.first());
        last = own;
    }
    const auto moved = [&](const Value& v) { return v.mapNodes([&](NodeId id) { return Value::node(idOf[id.value]); }); };
    for (const NodeId id : inOrder(target)) {
        const Node& n = target[id];
        std::vector<Value> args;
        for (const Value& v : n.args) args.push_back(moved(v));
        if (!args.empty()) out.setArgs(idOf[id.value], std::move(args));
        std::vector<Keyword> kwargs;
        for (const Keyword& k : n.kwargs) kwargs.emplace_back(k.first, moved(k.second));
        if (!kwargs.empty()) out.setKwargs(idOf[id.value], std::move(kwargs));
    }
    for (const Graph::SubGraph& sub : target.subGraphs()) {
        const Graph* old = before.subGraph(sub.attribute);
        out.addSubGraph(sub.attribute, old ? continued(*old, *sub.graph, matchNodes(*old, *sub.graph)) : sub.graph->clone());
    }
    return out;
}

Status replayForeign(const std::vector<ForeignStage>& stages, PassObserver& observer, const CancelToken& cancel) {
    if (stages.empty()) return {};
    Graph current = stages[0].graph->clone();
    if (auto started = observer.pipelineStarted(current, Pipeline()); !started) return started;
    std::map<std::string, int> seen;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (cancel.cancelled()) {
            observer.pipelineFinished(false);
            return {};
        }
        if (i > 0) current = continued(current, *stages[i].graph, matchNodes(current, *stages[i].graph));
        StageResult stage;
        stage.index = static_cast<int>(i + 1);
        const int count = ++seen[stages[i].name];
        stage.name = count == 1 ? stages[i].name : stages[i].name + "#" + std::to_string(count);
        stage.hash = current.hash();
        stage.changed = i > 0 && stage.hash != hash;
        hash = stage.hash;
        if (auto finished = observer.stageFinished(current, stage); !finished) return finished;
    }
    observer.pipelineFinished(true);
    return {};
}

}  // namespace aliascope
