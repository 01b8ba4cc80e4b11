#include "core/passes/chunk_rules.h"

#include <algorithm>
#include <unordered_map>

#include "core/passes/chunk_axes.h"

namespace aliascope {
namespace {

using RuleTable = std::unordered_map<Name, ChunkRule>;

/// By operator, as PyTorch registers them.
const RuleTable& referenceRules() {
    static const RuleTable table = [] {
        RuleTable t;
        for (const char* op : {"prims::convert_element_type", "aten::exp", "aten::log", "aten::neg", "aten::add.Tensor", "aten::sub.Tensor",
                               "aten::mul.Tensor", "aten::div.Tensor", "prims::fma", "aten::where.self"})
            t[Name(op)] = ChunkRule::Elementwise;
        for (const char* op : {"aten::squeeze.dim", "aten::gather", "aten::scatter.value"}) t[Name(op)] = ChunkRule::SameAxes;
        t["aten::mm"_n] = ChunkRule::Product;
        t["aten::addmm"_n] = ChunkRule::BiasedProduct;
        t["aten::amax"_n] = t["aten::sum.dim_IntList"_n] = ChunkRule::Reduction;
        t["aten::sum"_n] = ChunkRule::TotalSum;
        t["aten::permute"_n] = ChunkRule::Permutation;
        t["aten::full"_n] = ChunkRule::Fill;
        t["aten::expand"_n] = ChunkRule::ExpandOne;
        return t;
    }();
    return table;
}

/// By operator without overload.
const RuleTable& extendedRules() {
    static const RuleTable table = [] {
        RuleTable t;
        for (const char* op : {"prims::convert_element_type", "prims::fma", "aten::where", "aten::clone", "aten::alias", "aten::detach",
                               "aten::_to_copy", "aten::contiguous", "aten::expand", "aten::full_like", "aten::zeros_like", "aten::ones_like"})
            t[Name(op)] = ChunkRule::Elementwise;
        for (const char* op : {"aten::slice", "aten::select", "aten::squeeze", "aten::unsqueeze", "aten::constant_pad_nd", "aten::_softmax",
                               "aten::_log_softmax", "aten::softmax", "aten::log_softmax", "aten::cumsum"})
            t[Name(op)] = ChunkRule::Axes;
        for (const char* op : {"aten::gather", "aten::scatter", "aten::cat", "aten::slice_scatter", "aten::_softmax_backward_data",
                               "aten::_log_softmax_backward_data"})
            t[Name(op)] = ChunkRule::JoinedAxes;
        for (const char* op : {"aten::view", "aten::reshape", "aten::_unsafe_view"}) t[Name(op)] = ChunkRule::Reshape;
        for (const char* op : {"aten::sum", "aten::amax", "aten::amin", "aten::mean", "aten::logsumexp", "aten::any"})
            t[Name(op)] = ChunkRule::Reduction;
        for (const char* op : {"aten::permute", "aten::transpose", "aten::t"}) t[Name(op)] = ChunkRule::Permutation;
        t["aten::bmm"_n] = ChunkRule::BatchProduct;
        return t;
    }();
    return table;
}

/// One application of one rule.
class ChunkRuleRun {
public:
    ChunkRuleRun(const Graph& g, const OpRegistry& ops, bool extended, NodeId id, ChunkMetas& metas)
        : g_(g), node_(g[id]), extended_(extended), id_(id), metas_(metas), operands_(tensorOperands(g, node_)) {
        if (auto bound = bindCall(ops, node_)) call_ = std::move(*bound);
    }

    RuleResult run(ChunkRule rule) {
        half_ = "forward";
        const bool understood = call_.op && node_.tensor() && leadingTensors(rule);
        if (!understood) (void)fail("its arguments or its shape are not known");
        if (understood && half(rule, true)) {
            half_ = "backward";
            (void)half(rule, false);
        }
        return {changed_, std::move(refusal_)};
    }

private:
    /// The arguments that a rule speaks of are tensors of the graph.
    bool leadingTensors(ChunkRule rule) const {
        std::size_t wanted = 1;
        if (rule == ChunkRule::Product || rule == ChunkRule::BatchProduct) wanted = 2;
        if (rule == ChunkRule::BiasedProduct) wanted = 3;
        if (rule == ChunkRule::Elementwise || rule == ChunkRule::SameAxes || rule == ChunkRule::Fill || rule == ChunkRule::JoinedAxes) wanted = 0;
        for (std::size_t i = 0; i < wanted; ++i)
            if (!operand(i) || !g_[operand(i)].tensor()) return false;
        return true;
    }
    bool half(ChunkRule rule, bool forward) {
        switch (rule) {
            case ChunkRule::None:
            case ChunkRule::Fill:
                return true;
            case ChunkRule::Product:
                return forward ? productForward(0, 1) : productBackward(0, 1);
            case ChunkRule::BatchProduct:
                return forward ? batchForward() : batchBackward();
            case ChunkRule::BiasedProduct:
                return forward ? biasedForward() : biasedBackward();
            case ChunkRule::Elementwise:
                return extended_ ? (forward ? elementwiseForward() : elementwiseBackward())
                                 : (forward ? generalForward(true) : generalBackward(true));
            case ChunkRule::SameAxes:
                return forward ? generalForward(false) : generalBackward(false);
            case ChunkRule::Reduction:
                return extended_ ? (forward ? reductionForward() : reductionBackward())
                                 : (forward ? plainReductionForward() : plainReductionBackward());
            case ChunkRule::TotalSum:
                return forward ? totalForward() : totalBackward();
            case ChunkRule::Permutation:
                return extended_ ? mapped(forward) : (forward ? permuteForward() : permuteBackward());
            case ChunkRule::ExpandOne:
                return expandOne(forward);
            case ChunkRule::Axes:
                return mapped(forward);
            case ChunkRule::JoinedAxes:
                return joined(forward);
            case ChunkRule::Reshape:
                return reshaped(forward);
        }
        return true;
    }

    // --- metadata ------------------------------------------------------------------------------------------------------------------------
    const ChunkMeta* meta(NodeId id) const { return metas_.find(id); }
    const ChunkMeta* own() const { return meta(id_); }
    bool plain(NodeId id) const { return !meta(id) || meta(id)->nop(); }
    int dimOf(NodeId id) const { return meta(id) ? meta(id)->dim : -1; }
    bool sums(NodeId id) const { return meta(id) && meta(id)->sum; }
    const TensorType& type(NodeId id) const { return *g_[id].tensor(); }
    int rank(NodeId id) const { return static_cast<int>(type(id).rank()); }
    bool oneElement(NodeId id) const { return constantNumel(type(id)) == 1; }
    NodeId operand(std::size_t i) const { return i < call_.values.size() ? call_.values[i].asNode() : NodeId(); }

    bool refuse(std::string code, Params params) {
        refusal_ = ChunkRefusal{std::move(code), std::move(params), id_};
        return false;
    }
    bool fail(std::string why) {
        return refuse("RULE", {{"op", node_.op.str()}, {"node", node_.name.str()}, {"half", half_}, {"why", std::move(why)}});
    }
    bool actsOnAxis() { return refuse("ACTS_ON_CHUNK_AXIS", {{"op", node_.op.str()}, {"node", node_.name.str()}}); }

    bool set(NodeId id, const ChunkMeta& value) {
        const ChunkMeta* old = meta(id);
        if (old && (*old == value || (old->scale && value.nop()))) return true;
        if (old && extended_ && !old->nop())
            return refuse("META_CONFLICT", {{"node", g_[id].name.str()}, {"old", describeMeta(*old)}, {"new", describeMeta(value)}});
        metas_.set(id, value);
        changed_ = true;
        return true;
    }
    bool setAll(const std::vector<NodeId>& ids, const ChunkMeta& value) {
        return std::all_of(ids.begin(), ids.end(), [&](NodeId id) { return set(id, value); });
    }
    bool anySum() const {
        return std::any_of(operands_.begin(), operands_.end(), [&](NodeId id) { return sums(id); });
    }
    /// Partial sums are used after they have been added up, outside the region.
    bool boundary() { return !own() || fail("an operand is a sum that is complete only behind the last chunk"); }

    // --- products ------------------------------------------------------------------------------------------------------------------------
    bool productForward(std::size_t left, std::size_t right) {
        const NodeId l = operand(left), r = operand(right);
        if (plain(l) && plain(r)) return true;
        if (extended_ && (sums(l) || sums(r))) return boundary();
        if (!extended_ && !plain(l) && plain(r)) return set(id_, *meta(l)) && set(r, {});
        if (dimOf(l) == 1 || dimOf(r) == 0) return set(l, ChunkMeta::along(1)) && set(r, ChunkMeta::along(0)) && set(id_, ChunkMeta::partialSum());
        if (extended_ && dimOf(l) == 0) return wholeFactor(r) && set(id_, ChunkMeta::along(0));
        if (extended_ && dimOf(r) == 1) return set(l, {}) && set(id_, ChunkMeta::along(1));
        return fail("both factors are cut, and not along the axis that is summed over");
    }
    bool productBackward(std::size_t left, std::size_t right) {
        const NodeId l = operand(left), r = operand(right);
        if (!own()) return true;
        const ChunkMeta result = *own();
        if (result.sum) return set(l, ChunkMeta::along(1)) && set(r, ChunkMeta::along(0));
        if (result.dim == 0) {
            if (!plain(r)) return refuse("MM_RHS_NOT_PLAIN", {{"node", node_.name.str()}});
            return set(l, result) && set(r, {});
        }
        if (extended_ && result.dim == 1) return set(l, {}) && set(r, ChunkMeta::along(1));
        if (extended_ && result.nop()) return set(l, {}) && set(r, {});
        return fail("the result is needed " + describeMeta(result));
    }
    bool wholeFactor(NodeId r) { return plain(r) ? set(r, {}) : refuse("MM_RHS_NOT_PLAIN", {{"node", node_.name.str()}}); }

    bool batchForward() {
        const NodeId l = operand(0), r = operand(1);
        if (sums(l) || sums(r)) return boundary();
        if (dimOf(l) == 0 || dimOf(r) == 0) return setAll({l, r, id_}, ChunkMeta::along(0));
        if (dimOf(l) == 2 || dimOf(r) == 1) return set(l, ChunkMeta::along(2)) && set(r, ChunkMeta::along(1)) && set(id_, ChunkMeta::partialSum());
        if (dimOf(l) == 1) return wholeFactor(r) && set(id_, ChunkMeta::along(1));
        if (dimOf(r) == 2) return set(l, {}) && set(id_, ChunkMeta::along(2));
        return true;
    }
    bool batchBackward() {
        const NodeId l = operand(0), r = operand(1);
        if (!own()) return true;
        if (own()->sum) return set(l, ChunkMeta::along(2)) && set(r, ChunkMeta::along(1));
        switch (own()->dim) {
            case 0:
                return setAll({l, r}, ChunkMeta::along(0));
            case 1:
                return set(l, ChunkMeta::along(1)) && wholeFactor(r);
            case 2:
                return set(l, {}) && set(r, ChunkMeta::along(2));
            default:
                return setAll({l, r}, {});
        }
    }

    bool biasedForward() {
        const NodeId b = operand(0), x = operand(1), w = operand(2);
        if (!meta(b) && !meta(x) && !meta(w)) return true;
        if (extended_ && own() && !meta(x)) return true;  // the backward half says more
        if (extended_ && plain(x) && plain(w) && plain(b)) return true;
        const bool bias = extended_ ? !sums(b) : plain(b);
        if (!bias || !plain(w) || dimOf(x) != 0) return fail("only its rows can be cut, and with them all of its columns stay whole");
        return set(id_, ChunkMeta::along(0)) && set(b, biasMeta(b)) && set(w, {});
    }
    bool biasedBackward() {
        const NodeId b = operand(0), x = operand(1), w = operand(2);
        if (!own()) return true;
        if (extended_ && own()->nop()) return setAll({b, x, w}, {});
        if (own()->dim != 0) return fail("the result is needed " + describeMeta(*own()));
        if (extended_ && !plain(w)) return refuse("MM_RHS_NOT_PLAIN", {{"node", node_.name.str()}});
        return set(x, *own()) && set(w, {}) && set(b, biasMeta(b));
    }
    ChunkMeta biasMeta(NodeId b) const {
        if (!extended_ && half_ == "forward") return {};
        const bool whole = rank(b) < 2 || (extended_ && constantSize(type(b), 0) == 1);
        return whole ? ChunkMeta() : ChunkMeta::along(0);
    }

    // --- the general rule, reference -------------------------------------------------------------------------------------------------------
    struct Split {
        std::vector<NodeId> ones, others;
    };
    Split split() const {
        Split s;
        for (NodeId id : operands_) (oneElement(id) ? s.ones : s.others).push_back(id);
        return s;
    }
    bool lower(NodeId t) const { return rank(t) != rank(id_); }
    bool insideBroadcast(const std::vector<NodeId>& others, int dim) const {
        return std::any_of(others.begin(), others.end(), [&](NodeId t) { return lower(t) && dim >= rank(id_) - rank(t); });
    }
    bool plainOnes(const Split& s) {
        if (std::all_of(s.ones.begin(), s.ones.end(), [&](NodeId id) { return plain(id); })) return true;
        return fail("an operand of one element waits for a tangent or a sum");
    }
    bool generalForward(bool broadcast) {
        if (operands_.empty()) return fail("it has no operands");
        const Split s = split();
        if (!plainOnes(s)) return false;
        const auto known = std::find_if(s.others.begin(), s.others.end(), [&](NodeId t) { return meta(t) != nullptr; });
        if (known == s.others.end()) return true;
        const ChunkMeta m = *meta(*known);
        if (broadcast && m.cut() && insideBroadcast(s.others, m.dim)) return fail("the axis that would be cut is one of a broadcast operand");
        for (NodeId t : s.others)
            if (!meta(t) && !set(t, broadcast && lower(t) ? ChunkMeta() : m)) return false;
        for (NodeId t : s.others) {
            const bool whole = broadcast && m.cut() && lower(t);
            if (whole ? !plain(t) : !(*meta(t) == m)) return fail("its operands are cut differently");
        }
        return set(id_, m);
    }
    bool generalBackward(bool broadcast) {
        const Split s = split();
        if (!plainOnes(s)) return false;
        if (!own()) return true;
        const ChunkMeta m = *own();
        if (broadcast && m.cut() && insideBroadcast(s.others, m.dim)) return fail("the axis that would be cut is one of a broadcast operand");
        for (NodeId t : s.others)
            if (!set(t, broadcast && m.cut() && lower(t) ? ChunkMeta() : m)) return false;
        for (NodeId t : s.ones)
            if (!meta(t) && !set(t, {})) return false;
        return true;
    }

    // --- the general rule, extended ----------------------------------------------------------------------------------------------------------
    /// What cutting the result along `axis` asks of an operand.
    ChunkMeta wanted(NodeId t, int axis) const {
        const int at = axis - (rank(id_) - rank(t));
        if (at < 0 || (constantSize(type(t), at) == 1 && constantSize(type(id_), axis) != 1)) return {};
        return ChunkMeta::along(at);
    }
    bool elementwiseForward() {
        if (anySum()) return boundary();
        int axis = -1;
        for (NodeId t : operands_)
            if (dimOf(t) >= 0 && axis < 0) axis = dimOf(t) + rank(id_) - rank(t);
        if (axis < 0) return true;
        return cutOperands(axis) && set(id_, ChunkMeta::along(axis));
    }
    bool elementwiseBackward() {
        if (!own()) return true;
        if (own()->sum) return fail("a sum over the chunks is needed of its result");
        return own()->cut() ? cutOperands(own()->dim) : setAll(operands_, {});
    }
    bool cutOperands(int axis) {
        return std::all_of(operands_.begin(), operands_.end(), [&](NodeId t) { return set(t, wanted(t, axis)); });
    }

    // --- reductions ----------------------------------------------------------------------------------------------------------------------
    bool plainReductionForward() {
        const NodeId x = operand(0);
        if (!meta(x)) return true;
        const auto axes = reducedAxes(call_, type(x).rank());
        if (!axes) return fail("its axes are not known");
        if (std::find(axes->begin(), axes->end(), dimOf(x)) == axes->end()) return set(id_, *meta(x));
        if (axes->size() == 1 && addsUp(packetOf(node_.op))) return set(id_, {-1, true, meta(x)->scale});
        return fail("it reduces over the axis that would be cut");
    }
    bool plainReductionBackward() {
        const NodeId x = operand(0);
        if (!own()) return true;
        const ChunkMeta m = *own();
        const auto axes = reducedAxes(call_, type(x).rank());
        if (!axes) return fail("its axes are not known");
        if (m.cut()) {
            if (std::find(axes->begin(), axes->end(), m.dim) != axes->end()) return fail("it reduces over the axis that would be cut");
            return set(x, m);
        }
        const auto only = axes->size() == 1 ? normalAxis((*axes)[0], type(x).rank()) : std::nullopt;
        if (m.sum && only) return set(x, {*only, false, m.scale});
        return fail("the result is needed " + describeMeta(m));
    }
    bool reductionForward() {
        const NodeId x = operand(0);
        if (!meta(x) || meta(x)->nop()) return true;
        if (sums(x)) return boundary();
        const auto map = axisMapOf(call_, type(x), type(id_));
        if (!map) return fail("its axes are not known");
        const auto at = std::find(map->begin(), map->end(), dimOf(x));
        if (at != map->end()) return set(id_, ChunkMeta::along(static_cast<int>(at - map->begin())));
        return addsUp(packetOf(node_.op)) ? set(id_, ChunkMeta::partialSum()) : actsOnAxis();
    }
    bool reductionBackward() {
        const NodeId x = operand(0);
        if (!own()) return true;
        const auto map = axisMapOf(call_, type(x), type(id_));
        if (!map) return fail("its axes are not known");
        if (own()->nop()) return set(x, {});
        if (own()->cut()) {
            const int axis = static_cast<std::size_t>(own()->dim) < map->size() ? (*map)[static_cast<std::size_t>(own()->dim)] : -1;
            return axis < 0 ? actsOnAxis() : set(x, ChunkMeta::along(axis));
        }
        const auto axes = reducedAxes(call_, type(x).rank());
        const auto only = axes && axes->size() == 1 ? normalAxis((*axes)[0], type(x).rank()) : std::nullopt;
        return only ? set(x, ChunkMeta::along(*only)) : true;  // of several axes the operand says which
    }
    bool totalForward() {
        const NodeId x = operand(0);
        if (plain(x)) return true;
        if (dimOf(x) >= 0) return set(id_, ChunkMeta::partialSum());
        return extended_ ? boundary() : fail("its operand is not cut along an axis");
    }
    bool totalBackward() {
        const NodeId x = operand(0);
        if (!own()) return true;
        if (own()->nop()) return !extended_ || set(x, {});
        return (own()->sum && dimOf(x) >= 0) || fail("the result is needed " + describeMeta(*own()));
    }

    // --- axes ----------------------------------------------------------------------------------------------------------------------------
    bool permuteForward() {
        const NodeId x = operand(0);
        if (!meta(x)) return true;
        if (dimOf(x) < 0) return fail("its operand is not cut along an axis");
        const auto map = axisMapOf(call_, type(x), type(id_));
        const auto at = map ? std::find(map->begin(), map->end(), dimOf(x)) : AxisMap::const_iterator();
        if (!map || at == map->end()) return fail("its axes are not known");
        return set(id_, {static_cast<int>(at - map->begin()), false, meta(x)->scale});
    }
    bool permuteBackward() {
        const NodeId x = operand(0);
        if (!own()) return true;
        if (!own()->cut()) return fail("the result is needed " + describeMeta(*own()));
        const auto map = axisMapOf(call_, type(x), type(id_));
        if (!map || static_cast<std::size_t>(own()->dim) >= map->size()) return fail("its axes are not known");
        return set(x, {(*map)[static_cast<std::size_t>(own()->dim)], false, own()->scale});
    }
    bool expandOne(bool forward) {
        const NodeId x = operand(0);
        if (!oneElement(x)) return fail("only a tensor of one element is expanded");
        return forward || !own() || set(x, {});
    }

    /// One operand whose axes run along axes of the result.
    bool mapped(bool forward) {
        const NodeId x = operand(0);
        return forward ? mapForward({x}) : mapBackward({x});
    }
    bool joined(bool forward) { return forward ? mapForward(operands_) : mapBackward(operands_); }

    /// The axis of the result, or of the operand (`backwards`), that runs along `axis`; -1 when the call works along it.
    std::optional<int> follow(NodeId x, int axis, bool backwards) const {
        const auto map = axisMapOf(call_, type(x), type(id_));
        if (!map) return std::nullopt;
        if (backwards) return static_cast<std::size_t>(axis) < map->size() ? (*map)[static_cast<std::size_t>(axis)] : -1;
        const auto at = std::find(map->begin(), map->end(), axis);
        return at == map->end() ? -1 : static_cast<int>(at - map->begin());
    }
    bool mapForward(const std::vector<NodeId>& operands) {
        if (anySum()) return boundary();
        for (NodeId x : operands) {
            if (dimOf(x) < 0) continue;
            const auto axis = follow(x, dimOf(x), false);
            if (!axis) return fail("its axes are not known");
            return *axis < 0 ? actsOnAxis() : cutAlike(operands, *axis) && set(id_, ChunkMeta::along(*axis));
        }
        return true;
    }
    bool mapBackward(const std::vector<NodeId>& operands) {
        if (!own()) return true;
        if (own()->sum) return fail("a sum over the chunks is needed of its result");
        return own()->cut() ? cutAlike(operands, own()->dim) : setAll(operands, {});
    }
    bool cutAlike(const std::vector<NodeId>& operands, int axis) {
        for (NodeId x : operands) {
            const auto from = follow(x, axis, true);
            if (!from) return fail("its axes are not known");
            if (*from < 0) return actsOnAxis();
            if (constantSize(type(x), *from) != constantSize(type(id_), axis))
                return fail("its operands have different lengths along the axis that would be cut");
            if (!set(x, ChunkMeta::along(*from))) return false;
        }
        return true;
    }

    bool reshaped(bool forward) {
        const NodeId x = operand(0);
        if (anySum()) return boundary();
        if (forward && dimOf(x) >= 0) return moved(x, dimOf(x), id_);
        if (!forward && own()) return own()->cut() ? moved(id_, own()->dim, x) : set(x, {});
        return true;
    }
    bool moved(NodeId from, int axis, NodeId to) {
        const auto there = viewedAxis(type(from), axis, type(to));
        if (!there) return refuse("VIEW_ALIGN", {{"view", node_.name.str()}, {"rows", std::to_string(constantSize(type(from), axis).value_or(0))}});
        return set(to, ChunkMeta::along(*there));
    }

    const Graph& g_;
    const Node& node_;
    bool extended_;
    NodeId id_;
    ChunkMetas& metas_;
    std::vector<NodeId> operands_;
    BoundCall call_;
    std::string half_;
    bool changed_ = false;
    std::optional<ChunkRefusal> refusal_;
};

}  // namespace

std::vector<NodeId> tensorOperands(const Graph& g, const Node& n) {
    std::vector<NodeId> out;
    const auto add = [&](NodeId id) {
        if (g[id].tensor()) out.push_back(id);
    };
    for (const Value& v : n.args) v.forEachNode(add);
    for (const auto& [key, v] : n.kwargs) v.forEachNode(add);
    return out;
}

bool isFill(Name op) {
    const Name packet = packetOf(op);
    return packet == "aten::full" || packet == "aten::zeros" || packet == "aten::ones" || packet == "aten::scalar_tensor" || packet == "prims::full";
}

bool addsUp(Name packet) { return packet == "aten::sum"; }

ChunkRule chunkRuleOf(const OpRegistry& ops, const Node& n, bool extended) {
    if (n.kind != NodeKind::CallFunction) return ChunkRule::None;
    const auto known = [&](const RuleTable& table, Name key) {
        const auto it = table.find(key);
        return it == table.end() ? ChunkRule::None : it->second;
    };
    if (!extended) return known(referenceRules(), n.op);
    if (isFill(n.op)) return ChunkRule::Fill;
    if (n.op == "aten::sum" || n.op == "aten::mm" || n.op == "aten::addmm") return known(referenceRules(), n.op);
    if (n.op == "aten::mean" || n.op == "aten::any" || n.op == "aten::view.dtype") return ChunkRule::None;
    if (const ChunkRule rule = known(extendedRules(), packetOf(n.op)); rule != ChunkRule::None) return rule;
    const OpDef* op = ops.find(n.op);
    return op && op->is(Trait::Pointwise) && op->isPure() ? ChunkRule::Elementwise : ChunkRule::None;
}

std::string describeMeta(const ChunkMeta& meta) {
    if (meta.sum) return "as a sum over the chunks";
    return meta.cut() ? "along axis " + std::to_string(meta.dim) : "whole";
}

RuleResult applyChunkRule(const Graph& g, const OpRegistry& ops, bool extended, NodeId id, ChunkMetas& metas) {
    return ChunkRuleRun(g, ops, extended, id, metas).run(chunkRuleOf(ops, g[id], extended));
}

}  // namespace aliascope
