#include "core/passes/layouts.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/ops/infer.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

std::string stridesOf(const TensorType& t) {
    if (!t.strides) return "unknown";
    std::string out = "[";
    for (const SymInt& s : *t.strides) out += (out.size() > 1 ? ", " : "") + s.str();
    return out + "]";
}

/// Values that lie where `value` lies, as far as the user `id` makes them.
class Followers {
public:
    Followers(const OpRegistry& ops, const Graph& g, Wrappers wrappers) : ops_(ops), g_(g), wrappers_(wrappers) {}

    /// True when the user addresses `value` by place.
    bool follow(NodeId value, NodeId id) {
        static const Name strided("aten::as_strided"), scatter("aten::as_strided_scatter"), getitem("operator::getitem");
        const Node& n = g_[id];
        if (n.kind != NodeKind::CallFunction) return false;
        if (wrapperKind(n) != WrapperKind::None) return followWrapper(value, id);
        if (n.arg(0).asNode() != value) return false;
        if (n.is(strided) || n.is(scatter)) return true;
        if (n.op == getitem || isSchemaView(ops_, n) || isViewScatter(n.op)) add(id);
        return false;
    }

    std::vector<NodeId> work;

    void add(NodeId id) {
        if (seen_.insert(id).second) work.push_back(id);
    }

private:
    bool followWrapper(NodeId value, NodeId id) {
        const auto call = readWrapper(ops_, g_, id);
        if (!call) return false;
        const auto written = [&](const WrappedArgument& argument) { return argument.written && argument.value.usesNode(value); };
        const auto base = [&](const Value& v) { return v.asNode() == value; };
        const bool writes =
            std::any_of(call->arguments.begin(), call->arguments.end(), written) || std::any_of(call->bases.begin(), call->bases.end(), base);
        if (wrappers_ == Wrappers::Writing && writes) return true;
        if (call->kind == WrapperKind::Launch) return wrappers_ == Wrappers::Cloned && !call->arguments.empty();
        const Value* left = g_[id].metaValue("clone_only"_n);
        if (wrappers_ == Wrappers::Cloned && (!left || !left->items().empty())) return true;
        if (call->kind == WrapperKind::V2)
            for (const WrappedArgument& argument : call->arguments)
                for (const ViewEncoding& view : argument.views)
                    if (view.kind == ViewEncoding::Kind::AsStrided && call->bases[view.base].asNode() == value) return true;
        for (const Node::User& user : g_[id].users) {
            const auto k = g_[user.id].op == "operator::getitem" ? g_[user.id].arg(1).asInt() : std::nullopt;
            if (!k || *k < static_cast<std::int64_t>(call->results)) continue;
            const auto j = static_cast<std::size_t>(*k) - call->results;
            const bool v2 = call->kind == WrapperKind::V2;
            if (j >= (v2 ? call->bases.size() : call->arguments.size())) continue;
            if ((v2 ? call->bases[j] : call->arguments[j].value).usesNode(value)) add(user.id);
        }
        return false;
    }

    const OpRegistry& ops_;
    const Graph& g_;
    Wrappers wrappers_;
    std::unordered_set<NodeId> seen_;
};

/// Several positions are one element.
bool repeats(const TensorType& t) {
    for (std::size_t d = 0; t.strides && d < t.sizes.size() && d < t.strides->size(); ++d)
        if ((*t.strides)[d] == SymInt(0) && !(t.sizes[d] == SymInt(1))) return true;
    return false;
}

/// A view of wider elements, or pairs, needs whole ones at every step.
bool stepsDivide(const TensorType& t, std::int64_t ratio) {
    const auto divides = [&](const SymInt& s) { return !s.constant() || *s.constant() % ratio == 0; };
    return std::all_of(t.strides->begin(), t.strides->end() - 1, divides) && (!t.offset || divides(*t.offset));
}

/// The call shows other sizes, or wider or narrower elements, of an operand that does not lie so that a view could.
bool isUnfitView(const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (!n.arg(0).isNode() || !n.tensor()) return false;
    const TensorType* from = g[n.arg(0).asNode()].tensor();
    if (!from || !from->strides) return false;
    const std::int64_t own = itemSize(n.tensor()->dtype), old = itemSize(from->dtype);
    const bool otherUnit = own > 0 && old > 0 && (n.is("aten::view_as_complex"_n) || (n.is("aten::view.dtype"_n) && own != old));
    if (otherUnit) {
        if (from->strides->empty() || !from->strides->back().isConst()) return false;
        return !(from->strides->back() == SymInt(1)) || (own > old && !stepsDivide(*from, own / old));
    }
    if (!n.is("aten::view"_n) && !n.is("aten::_unsafe_view"_n)) return false;
    bool decided = false;
    return !reshapeStrides(*from, n.tensor()->sizes, &decided) && decided;
}

}  // namespace

bool sameStrides(const TensorType& a, const TensorType& b) {
    if (!a.strides || !b.strides || a.strides->size() != b.strides->size() || a.sizes.size() != a.strides->size()) return false;
    for (std::size_t d = 0; d < a.sizes.size(); ++d)
        if (!(a.sizes[d] == SymInt(1)) && !((*a.strides)[d] == (*b.strides)[d])) return false;
    return true;
}

NodeId addressedByPlace(const OpRegistry& ops, const Graph& g, const std::vector<NodeId>& values, Wrappers wrappers) {
    constexpr std::size_t kMostLookedAt = 4096;
    Followers followers(ops, g, wrappers);
    for (NodeId value : values) followers.add(value);
    std::size_t looked = 0;
    while (!followers.work.empty()) {
        const NodeId at = followers.work.back();
        followers.work.pop_back();
        for (const Node::User& user : g[at].users)
            if (followers.follow(at, user.id) || ++looked > kMostLookedAt) return user.id;
    }
    return {};
}

std::vector<NodeId> refreshLayouts(const OpRegistry& ops, Graph& g, NodeId root) {
    const auto earlier = [&g](NodeId a, NodeId b) { return g.before(a, b); };
    std::set<NodeId, decltype(earlier)> work(earlier);
    const auto addUsers = [&](NodeId id) {
        for (const Node::User& user : g[id].users)
            if (g[user.id].kind == NodeKind::CallFunction) work.insert(user.id);
    };
    addUsers(root);
    std::vector<NodeId> changed;
    while (!work.empty()) {
        const NodeId id = *work.begin();
        work.erase(work.begin());
        const Inferred now = inferNode(ops, g, id);
        if (!now.type || now.trust != Trust::Inferred || sameType(now.type, g[id].type)) continue;
        g.setType(id, now.type, now.trust);
        changed.push_back(id);
        addUsers(id);
    }
    return changed;
}

NodeId unfitView(const Graph& g, NodeId root, const std::vector<NodeId>& changed) {
    const auto unfit = [&](NodeId value) -> NodeId {
        for (const Node::User& user : g[value].users)
            if (isUnfitView(g, user.id)) return user.id;
        return {};
    };
    if (const NodeId id = unfit(root)) return id;
    for (NodeId value : changed)
        if (const NodeId id = unfit(value)) return id;
    return {};
}

NodeId misplacedUser(const OpRegistry& ops, const Graph& g, NodeId root, const std::vector<NodeId>& changed) {
    const NodeId id = unfitView(g, root, changed);
    return id ? id : addressedByPlace(ops, g, changed);
}

Diagnostic staleLayout(const Graph& g, NodeId node, const TensorType& printed, const TensorType& computed) {
    Diagnostic d = warning("LAYOUT_STALE", {{"op", g[node].op.str()}, {"printed", stridesOf(printed)}, {"computed", stridesOf(computed)}});
    d.node = g[node].name;
    d.note = "PyTorch 2.11 goes on with the printed ones where it addresses memory by them.";
    return d;
}

LayoutChange::LayoutChange(const OpRegistry& ops, const Graph& g, NodeId value, NodeId by, bool mayMove) {
    if (!g[value].tensor() || !g[by].tensor()) return;
    printed_ = *g[value].tensor();
    computed_ = *g[by].tensor();
    if (!mayMove && sameStrides(printed_, computed_)) return;
    misplaced_ = addressedByPlace(ops, g, {value}, repeats(computed_) && !repeats(printed_) ? Wrappers::Writing : Wrappers::Encoded);
}

void LayoutChange::settle(Graph& g, PassContext& ctx, NodeId by) const {
    const bool differs = printed_.strides != computed_.strides;
    const auto changed = differs ? refreshLayouts(ctx.ops(), g, by) : std::vector<NodeId>();
    NodeId user = misplaced_;
    if (!user && differs)  // strides of dimensions of one element address nothing
        user = sameStrides(printed_, computed_) ? unfitView(g, by, changed) : misplacedUser(ctx.ops(), g, by, changed);
    if (user) ctx.say(staleLayout(g, user, printed_, computed_));
}

}  // namespace aliascope
