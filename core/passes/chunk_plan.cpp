#include "core/passes/chunk_plan.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "core/passes/chunk_axes.h"
#include "core/passes/chunk_rules.h"
#include "core/passes/chunk_scale.h"

namespace aliascope {
namespace {

constexpr std::string_view kOneName = "tangent_overriden_as_one";

bool namesTangent(const Node& n) { return n.kind == NodeKind::Placeholder && n.name.view().find("tangent") != std::string_view::npos; }

std::optional<std::int64_t> bytesOf(const Graph& g, NodeId id) {
    const TensorType* t = g[id].tensor();
    const auto bytes = t ? t->bytes() : std::nullopt;
    return bytes ? bytes->evaluate(g.symbols) : std::nullopt;
}

std::optional<std::string> symbolIn(const std::vector<SymInt>& sizes) {
    for (const SymInt& s : sizes)
        if (!s.isConst()) return s.str();
    return std::nullopt;
}

class ChunkPlanner {
public:
    ChunkPlanner(const Graph& g, const OpRegistry& ops, const ChunkLimits& limits) : g_(g), ops_(ops), limits_(limits), order_(g.order()) {
        plan_.metas = ChunkMetas(g.idBound());
        plan_.classes.resize(g.idBound());
    }

    ChunkPlan run() {
        const bool done = gates() && pickAmplifier() && follow() && settle() && scaled() && tangentsReached() && classify() && arrange() && lengths();
        if (!done || plan_.refusal) dropRegion();
        return std::move(plan_);
    }

private:
    bool refuse(std::string code, Params params, NodeId node = {}) { return refuse(ChunkRefusal{std::move(code), std::move(params), node}); }
    bool refuse(ChunkRefusal refusal) {
        plan_.refusal = std::move(refusal);
        tracePath(plan_.refusal->node);
        return false;
    }
    void dropRegion() {
        plan_.tangents.clear();
        plan_.inputs.clear();
        plan_.body.clear();
        plan_.outputs.clear();
        plan_.after.clear();
    }
    bool nothing(std::string code, std::string why) {
        plan_.nothingToDo = true;
        return refuse(std::move(code), {{"why", std::move(why)}});
    }

    // --- gates ---------------------------------------------------------------------------------------------------------------------------
    bool gates() {
        std::vector<NodeId> tangents;
        for (NodeId id : order_) {
            const Node& n = g_[id];
            if (n.kind == NodeKind::Placeholder && n.name.view().starts_with(kOneName)) return nothing("NESTED", "the graph is a chunk");
            if (namesTangent(n)) tangents.push_back(id);
        }
        if (tangents.empty()) return nothing("NO_TANGENT", "no placeholder is a tangent");
        if (limits_.extended && std::none_of(tangents.begin(), tangents.end(), [&](NodeId t) { return isScalar(t); })) {
            const bool one = tangents.size() == 1;
            return refuse(one ? "TANGENT_NOT_SCALAR" : "TANGENT_COUNT", tangentParams(tangents.size(), tangents.front()), tangents.front());
        }
        return true;
    }
    bool isScalar(NodeId tangent) const {
        const TensorType* t = g_[tangent].tensor();
        return t && constantNumel(*t) == 1;
    }
    Params tangentParams(std::size_t count, NodeId first) const {
        const TensorType* t = g_[first].tensor();
        return {{"n", std::to_string(count)}, {"shape", t ? t->str(false, false) : "unknown"}};
    }

    // --- the amplifier -------------------------------------------------------------------------------------------------------------------
    std::optional<Amplifier> candidate(NodeId id) const {
        const Node& n = g_[id];
        if (!n.is("aten::mm"_n) && !n.is("aten::addmm"_n)) return std::nullopt;
        Amplifier a{id, 0, 0};
        for (NodeId operand : tensorOperands(g_, n)) {
            const auto bytes = bytesOf(g_, operand);
            if (!bytes || __builtin_add_overflow(a.bytesIn, *bytes, &a.bytesIn)) return std::nullopt;
        }
        const auto out = bytesOf(g_, id);
        if (!out || a.bytesIn <= 0) return std::nullopt;
        a.bytesOut = *out;
        return a;
    }
    bool pickAmplifier() {
        const double ratio = limits_.minRatio.value_or(1);
        std::optional<Amplifier> best;
        std::optional<std::pair<NodeId, std::string>> unsized;  // a product that may be one, for all that is known
        for (NodeId id : order_) {
            const std::vector<NodeId> operands = g_.operands(id);
            if (std::any_of(operands.begin(), operands.end(), [&](NodeId o) { return namesTangent(g_[o]); })) break;
            const auto a = candidate(id);
            if (!a && !unsized) unsized = symbolOf(id);
            if (!a) continue;
            if (!best || a->ratio() > best->ratio()) best = a;
            if (a->bytesOut <= limits_.minBytes || a->ratio() <= ratio) continue;
            if (!plan_.amplifier || a->ratio() > plan_.amplifier->ratio()) plan_.amplifier = a;
        }
        if (plan_.amplifier) unsized = symbolOf(plan_.amplifier->node);
        if (unsized) return refuse("DYNAMIC_SHAPE", {{"node", g_[unsized->first].name.str()}, {"symbol", unsized->second}}, unsized->first);
        return plan_.amplifier || noAmplifier(best, ratio);
    }
    /// A product of symbolic size or stride, and the symbol.
    std::optional<std::pair<NodeId, std::string>> symbolOf(NodeId id) const {
        const Node& n = g_[id];
        const TensorType* t = n.is("aten::mm"_n) || n.is("aten::addmm"_n) ? n.tensor() : nullptr;
        if (!t) return std::nullopt;
        auto symbol = symbolIn(t->sizes);
        if (!symbol && t->strides) symbol = symbolIn(*t->strides);
        return symbol ? std::optional(std::pair(id, *symbol)) : std::nullopt;
    }
    bool noAmplifier(const std::optional<Amplifier>& best, double ratio) {
        plan_.amplifier = best;
        const auto number = [](double x) {
            std::string text = std::to_string(x);
            return text.substr(0, text.find('.') + 4);
        };
        return refuse("NO_AMPLIFIER",
                      {{"node", best ? g_[best->node].name.str() : "none"},
                       {"bytes", std::to_string(best ? best->bytesOut : 0)},
                       {"ratio", number(best ? best->ratio() : 0)},
                       {"limit", number(ratio)}},
                      best ? best->node : NodeId());
    }

    // --- following ---------------------------------------------------------------------------------------------------------------------------
    /// As large as the amplifier's result; extended: nearly, because a slice may drop some.
    bool large(NodeId id) const {
        const TensorType* t = g_[id].tensor();
        const auto n = t ? constantNumel(*t) : std::nullopt;
        return n && (limits_.extended ? *n > elements_ / 2 : *n == elements_);
    }
    void findReach() {
        elements_ = constantNumel(*g_[plan_.amplifier->node].tensor()).value_or(0);
        forward_.assign(g_.idBound(), false);
        backward_.assign(g_.idBound(), false);
        for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
            const Node& n = g_[*it];
            if (n.kind == NodeKind::Output || !n.tensor()) continue;
            forward_[it->value] =
                large(*it) || std::any_of(n.users.begin(), n.users.end(), [&](const Node::User& u) { return forward_[u.id.value]; });
        }
        for (NodeId id : order_) {
            const std::vector<NodeId> operands = g_.operands(id);
            backward_[id.value] =
                large(id) || namesTangent(g_[id]) || std::any_of(operands.begin(), operands.end(), [&](NodeId o) { return backward_[o.value]; });
        }
    }
    void push(NodeId id, NodeId by) {
        if (from_[id.value] == NodeId() && id != plan_.amplifier->node) from_[id.value] = by;
        queue_.push_back(id);
    }
    bool follow() {
        findReach();
        from_.assign(g_.idBound(), NodeId());
        plan_.metas.set(plan_.amplifier->node, ChunkMeta::along(0));
        push(plan_.amplifier->node, {});
        // Rules that undo each other would never end; each node is visited when a neighbour changes, which it does a few times.
        std::size_t left = 1024;
        for (NodeId id : order_) left += 8 * (2 + g_[id].users.size());
        while (!queue_.empty()) {
            const NodeId id = queue_.front();
            queue_.pop_front();
            if (left-- == 0) return conflict(id);
            if (!visit(id)) return false;
        }
        return true;
    }
    bool conflict(NodeId id) {
        const ChunkMeta* meta = plan_.metas.find(id);
        return refuse("META_CONFLICT",
                      {{"node", g_[id].name.str()}, {"old", meta ? describeMeta(*meta) : "whole"}, {"new", "another way in every round"}}, id);
    }
    bool visit(NodeId id) {
        const Node& n = g_[id];
        if (!n.isCall())
            return refuse("NOT_A_CALL", {{"node", n.name.str()}, {"kind", std::string(toString(n.kind))}, {"hint", notACallHint(id)}}, id);
        const auto changed = applyRule(id);
        if (!changed) return false;
        if (!*changed) return true;
        for (NodeId operand : g_.operands(id)) {
            if (!g_[operand].tensor()) continue;
            if (g_[operand].kind == NodeKind::Placeholder) {
                if (namesTangent(g_[operand])) plan_.metas.set(operand, {-1, false, operand});
            } else if (backward_[operand.value]) {
                push(operand, id);
            }
        }
        if (forward_[id.value])
            for (NodeId user : g_.users(id)) push(user, id);
        return true;
    }
    std::string notACallHint(NodeId id) const {
        if (g_[id].kind != NodeKind::Output) return "its value is not computed by the graph";
        const NodeId by = from_[id.value];
        return "the graph returns " + (by ? g_[by].name.str() : std::string("a large value")) + ", which must then exist whole";
    }
    /// Whether metadata changed; nothing = refused.
    std::optional<bool> applyRule(NodeId id) {
        const Node& n = g_[id];
        if (chunkRuleOf(ops_, n, limits_.extended) == ChunkRule::None) {
            (void)refuse("NO_RULE",
                         {{"op", n.op.str()}, {"node", n.name.str()}, {"shape", n.tensor() ? n.tensor()->str(false, false) : "of unknown shape"}},
                         id);
            return std::nullopt;
        }
        RuleResult result = applyChunkRule(g_, ops_, limits_.extended, id, plan_.metas);
        if (result.refusal) {
            (void)refuse(std::move(*result.refusal));
            return std::nullopt;
        }
        return result.changed;
    }
    /// Extended: the rules must hold everywhere, also where the walk did not come by again after a change.
    bool settle() {
        findDependents();
        if (!limits_.extended) return true;
        for (int round = 0; round < 64; ++round) {
            bool changed = false;
            for (NodeId id : order_) {
                if (!plan_.metas.contains(id) || !g_[id].isCall() || isInput(id) || tensorOperands(g_, g_[id]).empty()) continue;
                const auto result = applyRule(id);
                if (!result) return false;
                changed |= *result;
            }
            for (NodeId id : order_)
                if (plan_.metas.contains(id) && namesTangent(g_[id])) plan_.metas.set(id, {-1, false, id});
            if (!changed) return true;
        }
        return conflict(plan_.amplifier->node);
    }
    /// Values that change with the amplifier's result or with a tangent: they cannot be computed before the region.
    void findDependents() {
        dependent_.assign(g_.idBound(), false);
        for (NodeId id : order_) {
            const std::vector<NodeId> operands = g_.operands(id);
            dependent_[id.value] = id == plan_.amplifier->node || namesTangent(g_[id]) ||
                                   std::any_of(operands.begin(), operands.end(), [&](NodeId o) { return dependent_[o.value]; });
        }
    }
    /// All tensor operands belong to the region.
    bool computedInside(NodeId id) const {
        const std::vector<NodeId> operands = tensorOperands(g_, g_[id]);
        return !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](NodeId o) { return plan_.metas.contains(o); });
    }
    void tracePath(NodeId node) {
        plan_.path.clear();
        if (!plan_.amplifier || !node || from_.empty()) return;
        if (from_[node.value] == NodeId() && node != plan_.amplifier->node) {
            // Not on the work-list: named by a rule of one of its users or operands, or by a later check.
            plan_.path = {node};
            return;
        }
        for (NodeId at = node; at && plan_.path.size() <= order_.size(); at = from_[at.value]) plan_.path.push_back(at);
        std::reverse(plan_.path.begin(), plan_.path.end());
    }

    // --- tangents ----------------------------------------------------------------------------------------------------------------------------
    bool scaled() {
        if (auto refusal = propagateScale(g_, limits_.extended, dependent_, plan_.metas)) return refuse(std::move(*refusal));
        return true;
    }
    bool tangentsReached() {
        std::vector<NodeId> reached;
        for (NodeId id : order_)
            if (namesTangent(g_[id]) && plan_.metas.contains(id)) reached.push_back(id);
        if (reached.empty()) return refuse("NO_BACKWARD_REACH", {}, plan_.amplifier->node);
        for (NodeId t : reached)
            if (!isScalar(t)) return refuse("TANGENT_NOT_SCALAR", tangentParams(reached.size(), t), t);
        return true;
    }

    // --- the region --------------------------------------------------------------------------------------------------------------------------
    bool isInput(NodeId id) const {
        const Node& n = g_[id];
        if (!n.isCall()) return true;
        const std::vector<NodeId> operands = tensorOperands(g_, n);
        // What makes its elements from their places (iota) gives other ones in a chunk.
        if (operands.empty()) return !isFill(n.op);
        if (limits_.extended && !dependent_[id.value] && chunkRuleOf(ops_, n, true) == ChunkRule::None) return true;
        return !computedInside(id);
    }
    bool classify() {
        for (NodeId id : order_) {
            const ChunkMeta* meta = plan_.metas.find(id);
            if (!meta) continue;
            ChunkClass c = ChunkClass::Body;
            if (namesTangent(g_[id])) {
                c = ChunkClass::Tangent;
            } else if (isInput(id)) {
                c = ChunkClass::Input;
            } else if (!sameInEveryChunk(*meta)) {
                const auto users = g_.users(id);
                if (std::any_of(users.begin(), users.end(), [&](NodeId u) { return !plan_.metas.contains(u); })) c = ChunkClass::Output;
            }
            plan_.classes[id.value] = c;
            listOf(c).push_back(id);
            if (c == ChunkClass::Input && (meta->sum || meta->scale))
                return refuse(
                    "RULE",
                    {{"op", g_[id].op.str()}, {"node", g_[id].name.str()}, {"half", "backward"}, {"why", "its operands are outside the region"}}, id);
        }
        for (const std::vector<NodeId>* part : {&plan_.body, &plan_.outputs})
            for (NodeId id : *part)
                for (NodeId operand : g_.operands(id))
                    if (!plan_.metas.contains(operand) || !g_.before(operand, id))  // text may use values before they exist
                        return refuse("MIXED_ARGS", {{"node", g_[id].name.str()}, {"args", g_[operand].name.str()}}, id);
        if (plan_.body.empty() || plan_.outputs.empty()) return refuse("EMPTY_BODY", {}, plan_.amplifier->node);
        return true;
    }
    std::vector<NodeId>& listOf(ChunkClass c) {
        switch (c) {
            case ChunkClass::Tangent:
                return plan_.tangents;
            case ChunkClass::Input:
                return plan_.inputs;
            case ChunkClass::Output:
                return plan_.outputs;
            default:
                return plan_.body;
        }
    }

    /// What stays before the region, and what comes behind it. Reference: whatever does not need the region goes before it. Extended: what the region
    /// does not need and stood behind its start stays behind it, so that it does not live through it.
    bool arrange() {
        const std::vector<bool> needed = neededByRegion();
        behind_.assign(g_.idBound(), false);
        bool started = false, impureBehind = false;
        NodeId write;
        for (NodeId id : order_) {
            const ChunkClass c = plan_.classes[id.value];
            const Node& n = g_[id];
            const bool writes = n.isCall() && !writtenOperands(ops_, g_, id).empty();
            if (write && n.isCall() && !writes) return refuse("MUTABLE_GRAPH", {{"write", g_[write].name.str()}}, write);
            if (writes && c != ChunkClass::None) return refuse("MUTABLE_GRAPH", {{"write", n.name.str()}}, id);
            if (writes) write = id;
            if (c == ChunkClass::Body || c == ChunkClass::Output) started = true;
            if (n.kind == NodeKind::Placeholder || (c != ChunkClass::None && c != ChunkClass::Input)) continue;
            const bool pure = !n.isCall() || isPure(ops_, g_, id);
            const bool idle = limits_.extended && started && pure && n.isCall() && !needed[id.value] && c == ChunkClass::None;
            const bool later = n.kind == NodeKind::Output || writes || idle || (!pure && impureBehind) || !behindOperands(id).empty();
            if (c == ChunkClass::Input && later) return refuse("MIXED_ARGS", {{"node", n.name.str()}, {"args", behindOperands(id)}}, id);
            behind_[id.value] = later;
            impureBehind |= later && !pure;
            if (later) plan_.after.push_back(id);
        }
        return true;
    }
    std::vector<bool> neededByRegion() const {
        std::vector<bool> needed(g_.idBound());
        for (auto it = order_.rbegin(); it != order_.rend(); ++it)
            if (needed[it->value] || plan_.classes[it->value] == ChunkClass::Input)
                for (NodeId operand : g_.operands(*it)) needed[operand.value] = true;
        return needed;
    }
    /// Names of the operands that exist only behind the region; empty = none.
    std::string behindOperands(NodeId id) const {
        std::string out;
        for (NodeId o : g_.operands(id))
            if (behind_[o.value] || plan_.classes[o.value] == ChunkClass::Output) out += (out.empty() ? "" : ", ") + g_[o].name.str();
        return out;
    }

    // --- lengths ---------------------------------------------------------------------------------------------------------------------------
    bool lengths() {
        const NodeId amp = plan_.amplifier->node;
        plan_.rows = cutLength(g_, plan_.metas, amp);
        std::int64_t items = plan_.rows;
        NodeId narrow;
        for (NodeId id : order_) {
            const ChunkMeta* meta = plan_.metas.find(id);
            if (!meta || !meta->cut()) continue;
            const TensorType& t = *g_[id].tensor();
            const auto length = constantSize(t, meta->dim);
            if (!length) {
                const auto symbol = symbolIn(t.sizes);
                return refuse("DYNAMIC_SHAPE", {{"node", g_[id].name.str()}, {"symbol", symbol.value_or("?")}}, id);
            }
            const std::int64_t common = std::gcd(items, *length);
            if (common < items) narrow = id;
            items = common;
        }
        if (!limits_.extended && items != plan_.rows) return rowMismatch();
        plan_.items = items;
        if (items < 2 && narrow) return refuse("VIEW_ALIGN", {{"view", g_[narrow].name.str()}, {"rows", std::to_string(plan_.rows)}}, narrow);
        return true;
    }
    bool rowMismatch() {
        std::string inputs;
        for (NodeId id : plan_.inputs)
            if (plan_.metas.find(id)->cut()) inputs += (inputs.empty() ? "" : ", ") + g_[id].name.str();
        return refuse("ROW_MISMATCH", {{"inputs", inputs}}, plan_.amplifier->node);
    }

    const Graph& g_;
    const OpRegistry& ops_;
    const ChunkLimits& limits_;
    std::vector<NodeId> order_;
    ChunkPlan plan_;
    std::int64_t elements_ = 0;  ///< of the amplifier's result
    std::vector<bool> forward_, backward_, dependent_, behind_;
    std::deque<NodeId> queue_;
    std::vector<NodeId> from_;  ///< who put a node on the work-list first
};

}  // namespace

std::string_view toString(ChunkClass c) {
    switch (c) {
        case ChunkClass::Input:
            return "input";
        case ChunkClass::Body:
            return "body";
        case ChunkClass::Output:
            return "output";
        case ChunkClass::Tangent:
            return "tangent";
        case ChunkClass::None:
            break;
    }
    return "outside";
}

bool sameInEveryChunk(const ChunkMeta& meta) { return !meta.cut() && !meta.sum; }

std::int64_t cutLength(const Graph& g, const ChunkMetas& metas, NodeId id) {
    const ChunkMeta* meta = metas.find(id);
    return meta && g[id].tensor() ? constantSize(*g[id].tensor(), meta->dim).value_or(0) : 0;
}

ChunkPlan planChunks(const Graph& g, const OpRegistry& ops, const ChunkLimits& limits) { return ChunkPlanner(g, ops, limits).run(); }

}  // namespace aliascope
