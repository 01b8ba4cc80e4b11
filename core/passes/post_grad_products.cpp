// Split of cat and cat of split, addmm and un-addmm (canonicalize.md 5.8, set 2).

#include <algorithm>

#include "core/passes/clean_up.h"
#include "core/passes/copy_guard.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/layouts.h"
#include "core/passes/post_grad_patterns.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

bool onGpu(const TensorType* t) { return t && (t->device.view().starts_with("cuda") || t->device.view().starts_with("xpu")); }

// --- split and cat --------------------------------------------------------------------------------------------------------------------------

/// A dim argument, counted from the front; -1 is nothing.
std::int64_t dimOf(const Node& n, std::size_t at, std::size_t rank) {
    const Value* keyword = n.kwarg("dim"_n);
    const auto d = keyword ? keyword->asInt() : n.args.size() > at ? n.args[at].asInt() : std::optional<std::int64_t>(0);
    const auto r = static_cast<std::int64_t>(rank);
    return !d || *d < -r || *d >= r ? -1 : *d < 0 ? *d + r : *d;
}

/// Whether one value may stand for the other. PyTorch chooses layouts later, so reference mode asks for no equal strides.
bool sameLayout(const RuleContext& c, NodeId a, NodeId b) {
    const TensorType *s = c.tensor(a), *t = c.tensor(b);
    return s && t && s->dtype == t->dtype && (!c.extended || (s->strides && t->strides && *s->strides == *t->strides));
}

/// A view, or a part of something.
bool mayBeginElsewhere(const RuleContext& c, NodeId id) { return isSchemaView(c.ops(), c.g[id]) || c.g[id].op == "operator::getitem"; }

/// An output would become an input, or another output. Extended mode looks at views of both too.
bool wouldAlias(RuleContext& c, NodeId root, NodeId by) {
    const auto returned = [&](NodeId id) {
        if (c.extended) return returnedThroughViews(c.ops(), c.g, id);
        const auto& users = c.g[id].users;
        return std::any_of(users.begin(), users.end(), [&](const Node::User& u) { return u.id == c.g.output(); });
    };
    const bool outside = c.g[by].kind == NodeKind::Placeholder || c.g[by].kind == NodeKind::GetAttr || (c.extended && mayBeginElsewhere(c, by));
    if (!c.g.output() || !returned(root) || (!outside && !returned(by))) return false;
    c.refuse(root, "OUTPUT_ALIAS", {{"output", c.g[root].name.str()}, {"what", c.g[by].name.str() + " itself"}, {"other", c.g[by].name.str()}}, by);
    return true;
}

/// An input would be overwritten before it is read for the value: extended mode refuses, reference mode says so, as PyTorch does not look.
bool wouldReadOverwritten(RuleContext& c, NodeId root, NodeId by) {
    const NodeId write = writtenBeforeReaders(c.ops(), c.g, root, by);
    if (!write) return false;
    if (c.extended) {
        c.refuse(root, "CLONE_GUARD", {{"clone", c.g[root].name.str()}, {"node", c.g[write].name.str()}}, write);
        return true;
    }
    c.pass.say(readsOverwritten(c.g, root, by, write));
    return false;
}

/// Extended mode keeps the copy where its views count from its start, or where a clone would have to take its place.
bool keepsCopy(RuleContext& c, NodeId root, NodeId by, const LayoutChange& layout) {
    if (!c.extended) return false;
    NodeId user = layout.misplaced();
    if (!user) user = addressedByPlace(c.ops(), c.g, {root, viewedRoot(c.ops(), c.g, by)}, Wrappers::Writing);
    if (user) c.refuse(root, "CLONE_GUARD", {{"clone", c.g[root].name.str()}, {"node", c.g[user].name.str()}}, user);
    return static_cast<bool>(user);
}

/// cat of all pieces of a split, in order and along the dim of the split.
bool joinSplit(RuleContext& c, NodeId root) {
    static const Name split("aten::split_with_sizes"), getitem("operator::getitem");
    const Node& n = c.g[root];
    if (n.args.empty() || !n.args[0].isSequence() || n.args[0].items().empty()) return false;
    const std::vector<Value>& pieces = n.args[0].items();
    NodeId source;
    std::vector<NodeId> matched{root};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const NodeId piece = pieces[i].asNode();
        if (!piece || !c.g[piece].is(getitem) || c.g[piece].users.size() != 1 || c.g[piece].arg(1).asInt() != static_cast<std::int64_t>(i))
            return false;
        if (i > 0 && c.g[piece].arg(0).asNode() != source) return false;
        source = c.g[piece].arg(0).asNode();
        matched.push_back(piece);
    }
    if (!source || !c.g[source].is(split) || !c.g[source].arg(0).isNode() || c.g[source].arg(1).items().size() != pieces.size()) return false;
    const NodeId whole = c.g[source].arg(0).asNode();
    const TensorType* t = c.tensor(whole);
    if (!t || t->rank() == 0) return false;
    const std::int64_t dim = dimOf(c.g[source], 2, t->rank());
    if (dim < 0 || dim != dimOf(n, 1, t->rank()) || !c.oneRegion({root, source}) || !sameLayout(c, root, whole)) return false;
    if (wouldAlias(c, root, whole) || wouldReadOverwritten(c, root, whole)) return false;
    const LayoutChange layout(c.ops(), c.g, root, whole, mayBeginElsewhere(c, whole));
    if (keepsCopy(c, root, whole, layout)) return false;
    matched.push_back(source);
    c.replace(root, whole, matched, {});
    if (!c.extended) layout.settle(c.g, c.pass, whole);
    return true;
}

/// A split of a cat into what was joined.
bool splitJoined(RuleContext& c, NodeId root) {
    static const Name cat("aten::cat"), getitem("operator::getitem");
    const NodeId joined = c.g[root].arg(0).asNode();
    if (!joined || !c.g[joined].is(cat) || c.g[joined].users.size() != 1 || !c.tensor(joined) || !c.g[joined].arg(0).isSequence()) return false;
    const std::vector<Value> parts = c.g[joined].arg(0).items(), sizes = c.g[root].arg(1).items();
    const std::size_t rank = c.tensor(joined)->rank();
    const std::int64_t dim = dimOf(c.g[root], 2, rank);
    if (dim < 0 || dim != dimOf(c.g[joined], 1, rank) || parts.size() != sizes.size() || !c.oneRegion({root, joined})) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TensorType* t = parts[i].isNode() ? c.tensor(parts[i].asNode()) : nullptr;
        const auto size = asSymInt(c.g, sizes[i]);
        // Joining promotes dtypes.
        if (!t || t->rank() != rank || t->dtype != c.tensor(joined)->dtype || !size || !(t->sizes[static_cast<std::size_t>(dim)] == *size))
            return false;
    }
    std::vector<std::pair<NodeId, NodeId>> outputs;
    std::vector<LayoutChange> layouts;
    for (const Node::User& user : c.g[root].users) {
        const auto i = c.g[user.id].arg(1).asInt();
        if (!c.g[user.id].is(getitem) || !i || *i < 0 || *i >= static_cast<std::int64_t>(parts.size())) return false;
        const NodeId part = parts[static_cast<std::size_t>(*i)].asNode();
        if (!sameLayout(c, user.id, part) || wouldAlias(c, user.id, part) || wouldReadOverwritten(c, user.id, part)) return false;
        outputs.emplace_back(user.id, part);
        layouts.emplace_back(c.ops(), c.g, user.id, part, mayBeginElsewhere(c, part));
        if (keepsCopy(c, user.id, part, layouts.back())) return false;
    }
    if (outputs.empty()) return false;
    c.replaceAll(outputs, {root, joined}, {});
    for (std::size_t i = 0; i < outputs.size() && !c.extended; ++i) layouts[i].settle(c.g, c.pass, outputs[i].second);
    return true;
}

// --- addmm ----------------------------------------------------------------------------------------------------------------------------------

/// Whether all that is done with the value is elementwise; views are looked through. `budget` bounds the search.
bool usedElementwise(RuleContext& c, NodeId id, int& budget) {
    static const Name getitem("operator::getitem");
    for (const Node::User& user : c.g[id].users) {
        const Node& n = c.g[user.id];
        if (n.kind != NodeKind::CallFunction || --budget < 0) return false;
        const OpDef* def = c.ops().find(n.op);
        const bool view = def && std::any_of(def->schema.params.begin(), def->schema.params.end(),
                                             [](const SchemaParam& p) { return !p.type.sets().empty() || p.written(); });
        if (n.op == getitem || view) {
            if (!usedElementwise(c, user.id, budget)) return false;
        } else if (!def || !def->is(Trait::Pointwise)) {
            return false;
        }
    }
    return true;
}

/// On a GPU the sum can be fused with elementwise users, a product with a bias cannot.
bool preferUnfused(RuleContext& c, NodeId root, const TensorType* addend) {
    int budget = 1024;
    return onGpu(addend) && usedElementwise(c, root, budget);
}

bool expandable(const std::vector<SymInt>& from, const std::vector<SymInt>& to) {
    if (from.size() > to.size()) return false;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        const SymInt &a = from[from.size() - i], &b = to[to.size() - i];
        if (!(a == b) && !(a == SymInt(1))) return false;
    }
    return true;
}

bool fuseAddmm(RuleContext& c, NodeId root, bool productFirst) {
    static const Name mm("aten::mm"), addmm("aten::addmm");
    const Node& n = c.g[root];
    if (n.args.size() != 2 || !n.kwargs.empty()) return false;
    const NodeId product = n.args[productFirst ? 0 : 1].asNode(), addend = n.args[productFirst ? 1 : 0].asNode();
    if (!product || !addend || product == addend || !c.g[product].is(mm) || c.g[product].args.size() != 2 || c.g[product].users.size() != 1)
        return false;
    const Value a = c.g[product].args[0], b = c.g[product].args[1];
    const TensorType *ta = c.tensor(a.asNode()), *tb = c.tensor(b.asNode()), *tc = c.tensor(addend), *own = c.tensor(root);
    if (!ta || !tb || !tc || !own || ta->rank() != 2 || tb->rank() != 2) return false;
    if (!expandable(tc->sizes, {ta->sizes[0], tb->sizes[1]}) || tc->dtype != ta->dtype || tc->dtype != tb->dtype) return false;
    if (preferUnfused(c, root, tc) || !c.oneRegion({root, product})) return false;
    const NodeId made = NewNodes(c.g, c.ops(), root).call(addmm, {Value::node(addend), a, b});
    const TensorType* laid = c.tensor(made);
    if (!laid || sameStrides(*own, *laid)) {
        c.g.setType(made, c.g[root].type, c.g[root].trust);
        c.replace(root, made, {root, product}, {made});
        return true;
    }
    // A sum follows the strides of its addend, a product with a bias does not.
    const TensorType printed = *own, computed = *laid;
    if (c.extended) {
        c.g.erase(made);
        c.refuse(root, "LAYOUT_STALE", staleLayout(c.g, root, printed, computed).params);
        return false;
    }
    const LayoutChange layout(c.ops(), c.g, root, made, false);
    c.replace(root, made, {root, product}, {made});
    layout.settle(c.g, c.pass, made);
    return true;
}

bool unfuseAddmm(RuleContext& c, NodeId root) {
    static const Name mm("aten::mm"), add("aten::add.Tensor");
    const Node& n = c.g[root];
    if (n.args.size() != 3 || !n.kwargs.empty() || !n.args[0].isNode()) return false;
    const TensorType* bias = c.tensor(n.args[0].asNode());
    if (!bias || bias->dtype == DType::F16 || bias->dtype == DType::BF16 || !preferUnfused(c, root, bias)) return false;
    NewNodes make(c.g, c.ops(), root);
    const NodeId product = make.call(mm, {n.args[1], n.args[2]});
    const NodeId sum = make.call(add, {n.args[0], Value::node(product)});
    c.g.setType(sum, c.g[root].type, c.g[root].trust);
    c.replace(root, sum, {root}, {product, sum});
    return true;
}

}  // namespace

void addProductRules(RuleSet& set) {
    set.add("cat-of-split", {"aten::cat"_n}, joinSplit);
    set.add("split-of-cat", {"aten::split_with_sizes"_n}, splitJoined);
    set.add("un-addmm", {"aten::addmm"_n}, unfuseAddmm);
    for (const bool productFirst : {true, false})
        set.add("addmm", {"aten::add.Tensor"_n}, [=](RuleContext& c, NodeId root) { return fuseAddmm(c, root, productFirst); });
}

}  // namespace aliascope
