#include "core/passes/reinplace_scatter.h"

#include <algorithm>

#include "core/analysis/footprint.h"
#include "core/ops/infer.h"
#include "core/passes/clone_nodes.h"
#include "core/passes/layouts.h"
#include "core/passes/new_nodes.h"

namespace aliascope {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29); }

/// Shallow: enough to spread chains; equality is decided on the values.
std::uint64_t hashOf(std::uint32_t parent, const ScatterView& view) {
    std::uint64_t h = mix(parent + 1, view.op.hash());
    for (const Value& v : view.args) {
        h = mix(h, static_cast<std::uint64_t>(v.kind()));
        if (const auto i = v.asInt()) h = mix(h, static_cast<std::uint64_t>(*i));
        if (v.isNode()) h = mix(h, v.asNode().value);
    }
    return mix(h, view.kwargs.size());
}

std::vector<Value> withOperands(std::vector<Value> operands, const ScatterView& view) {
    operands.insert(operands.end(), view.args.begin(), view.args.end());
    return operands;
}

/// Geometry of `view` of a value of geometry `base`; `input` stands for the value.
std::optional<TensorType> viewed(const Graph& g, const OpRegistry& ops, const TensorType& base, NodeId input, const ScatterView& view) {
    const auto bound = bindCall(ops, newCall(view.op, withOperands({Value::node(input)}, view), view.kwargs));
    if (!bound) return std::nullopt;
    const TypePtr type = Type::tensor(base);
    const std::function<TypePtr(NodeId)> typeOf = [&](NodeId id) { return id == input ? type : g[id].type; };
    auto types = viewGeometry(InferContext(g, *bound, typeOf), base);
    return types && types->size() == 1 ? std::optional(std::move(types->front())) : std::nullopt;
}

/// Whether the strides of the value could be seen behind it: it is returned, addressed by place, or viewed in a way that strides may forbid.
bool showsStrides(const Graph& g, const OpRegistry& ops, NodeId value) {
    constexpr std::size_t kMostLookedAt = 64;
    if (addressedByPlace(ops, g, {value}, Wrappers::Cloned)) return true;
    std::vector<NodeId> work{value};
    for (std::size_t at = 0; at < work.size(); ++at)
        for (const Node::User& user : g[work[at]].users) {
            const Node& n = g[user.id];
            if (n.kind != NodeKind::CallFunction || n.is("aten::view"_n) || work.size() > kMostLookedAt) return true;
            if (n.op == "operator::getitem" || isSchemaView(ops, n)) work.push_back(user.id);
        }
    return false;
}

}  // namespace

bool isSchemaView(const OpRegistry& ops, const Node& node) {
    if (node.kind != NodeKind::CallFunction) return false;
    const OpDef* def = ops.find(node.op);
    if (!def || def->schema.params.empty()) return false;
    const SchemaType& first = def->schema.params.front().type;
    return !first.written() && !first.sets().empty();
}

ScatterForms::ScatterForms(Graph& g, PassContext& ctx, bool byPlace) : byPlace_(byPlace) {
    for (NodeId id : g.order()) {
        if (!g.contains(id)) continue;
        const Node& n = g[id];
        if (n.kind != NodeKind::CallFunction) continue;
        if (isViewScatter(n.op))
            visitScatter(g, ctx, id);
        else if (n.arg(0).isNode() && isSchemaView(ctx.ops(), n))
            learnView(g, id);
    }
    places_.reset();
}

NodeId ScatterForms::baseOf(NodeId id) const {
    const auto it = base_.find(id);
    return it == base_.end() ? id : it->second;
}

std::uint32_t ScatterForms::chainOf(NodeId id) const {
    const auto it = chain_.find(id);
    return it == chain_.end() ? 0 : it->second;
}

std::uint32_t ScatterForms::childChain(std::uint32_t parent, const ScatterView& view) {
    const std::uint64_t h = hashOf(parent, view);
    const auto [first, last] = chainIndex_.equal_range(h);
    for (auto it = first; it != last; ++it)
        if (chains_[it->second].parent == parent && chains_[it->second].view == view) return it->second;
    const auto id = static_cast<std::uint32_t>(chains_.size());
    chains_.push_back({parent, view});
    chainIndex_.emplace(h, id);
    return id;
}

void ScatterForms::learnView(const Graph& g, NodeId id) {
    const Node& n = g[id];
    const NodeId input = n.arg(0).asNode();
    base_[id] = baseOf(input);
    chain_[id] = childChain(chainOf(input), {n.op, {n.args.begin() + 1, n.args.end()}, n.kwargs});
}

void ScatterForms::visitScatter(Graph& g, PassContext& ctx, NodeId id) {
    const Node& n = g[id];
    if (!n.arg(0).isNode() || !n.arg(1).isNode()) return;  // operands by keyword or literal: not a form that PyTorch makes
    const ScatterView view{viewOfScatter(n.op), {n.args.begin() + 2, n.args.end()}, n.kwargs};
    if (merge(g, ctx, id, view)) return;
    forms_[id] = {n.arg(0).asNode(), n.arg(1), {view}};
    order_.push_back(id);
}

bool ScatterForms::merge(Graph& g, PassContext& ctx, NodeId outer, const ScatterView& view) {
    const NodeId input = g[outer].arg(0).asNode(), inner = g[outer].arg(1).asNode();
    const auto found = forms_.find(inner);
    if (found == forms_.end()) return false;
    const GeneralizedScatter form = found->second;
    if (!isNested(g, ctx.ops(), input, view, form.input)) return false;
    // The merged node takes the inner one's place, so what it reads must stand before that.
    for (NodeId operand : g.operands(outer))
        if (operand != inner && !g.before(operand, inner)) return false;

    const bool innerHasOthers = g[inner].users.size() > 1 || g[inner].users.front().uses > 1;
    Rewrite rewrite{"canonicalize-scatter", {ref(g, outer), ref(g, inner)}, {}};
    g.moveBefore(outer, inner);
    g.setArg(outer, 1, form.source);
    rewrite.after.push_back(ref(g, outer));
    if (innerHasOthers) {
        Node v = newCall(view.op, withOperands({Value::node(outer)}, view), view.kwargs);
        v.type = g[inner].type;
        v.trust = g[inner].trust;
        v.provenance = g[inner].provenance;
        const NodeId viewNode = g.insertBefore(inner, std::move(v));
        g.replaceAllUses(inner, viewNode);
        setInferredType(ctx.ops(), g, viewNode);
        learnView(g, viewNode);
        rewrite.after.push_back(ref(g, viewNode));
    }
    g.erase(inner);
    forms_.erase(inner);
    ctx.rewrite(std::move(rewrite));

    GeneralizedScatter merged{input, form.source, {view}};
    merged.views.insert(merged.views.end(), form.views.begin(), form.views.end());
    forms_[outer] = std::move(merged);
    order_.push_back(outer);
    return true;
}

bool ScatterForms::isNested(const Graph& g, const OpRegistry& ops, NodeId input, const ScatterView& view, NodeId innerInput) {
    if (baseOf(input) == baseOf(innerInput) && chainOf(innerInput) == childChain(chainOf(input), view)) return true;
    if (!byPlace_) return false;
    if (!places_) places_.emplace(g, ops);
    const TensorType *whole = places_->geometry(input), *part = places_->geometry(innerInput);
    if (!whole || !part || !places_->sameStorage(input, innerInput)) return false;
    const auto place = viewed(g, ops, *whole, input, view);
    return place && samePlace(*place, *part);
}

const GeneralizedScatter* ScatterForms::find(NodeId id) const {
    const auto it = forms_.find(id);
    return it == forms_.end() ? nullptr : &it->second;
}

void ScatterForms::operandReplaced(NodeId id, NodeId from, NodeId to) {
    const auto it = forms_.find(id);
    if (it == forms_.end()) return;
    if (it->second.input == from) it->second.input = to;
    it->second.source = it->second.source.mapNodes([&](NodeId n) { return Value::node(n == from ? to : n); });
}

std::optional<TensorType> ScatterForms::written(const Graph& g, const OpRegistry& ops, const AliasInfo& places, NodeId id) const {
    const GeneralizedScatter* form = find(id);
    const TensorType* input = form ? places.geometry(form->input) : nullptr;
    if (!input || !input->strides || !input->offset) return std::nullopt;
    std::optional<TensorType> at = *input;
    for (const ScatterView& view : form->views)
        if (at) at = viewed(g, ops, *at, form->input, view);
    return at;
}

bool ScatterForms::writesOwnView(const Graph& g, const OpRegistry& ops, const AliasInfo& places, NodeId id, NodeId source) {
    const GeneralizedScatter* form = find(id);
    if (!form || !source) return false;
    if (source != form->input && baseOf(source) == baseOf(form->input)) {
        std::uint32_t chain = chainOf(form->input);
        for (const ScatterView& view : form->views) chain = childChain(chain, view);
        if (chainOf(source) == chain) return true;
    }
    if (!places.sameStorage(source, form->input) || !places.geometry(source)) return false;
    const auto place = written(g, ops, places, id);
    return place && samePlace(*place, *places.geometry(source));
}

bool ScatterForms::coversInput(const Graph& g, NodeId id) const {
    const GeneralizedScatter* form = find(id);
    if (!form || !form->source.isNode()) return false;
    const TensorType *to = g[form->input].tensor(), *from = g[form->source.asNode()].tensor();
    // None of these views shows an element twice, so as many as there are means all of them.
    const bool distinct = std::all_of(form->views.begin(), form->views.end(), [](const ScatterView& v) {
        return v.op == "aten::slice.Tensor" || v.op == "aten::select.int" || v.op == "aten::diagonal";
    });
    return distinct && to && from && to->sizes == from->sizes;
}

bool ScatterForms::alwaysWrites(NodeId id) const {
    const GeneralizedScatter* form = find(id);
    return form && std::any_of(form->views.begin(), form->views.end(),
                               [](const ScatterView& v) { return v.op == "aten::as_strided" || v.op == "aten::diagonal"; });
}

/// PyTorch's clone of an input with gaps is dense; whoever counts on the strides that the scatter had finds other elements in it.
void ScatterForms::sayCopiedDensely(const Graph& g, PassContext& ctx, NodeId id, NodeId clone) const {
    const TensorType *printed = g[id].tensor(), *computed = g[clone].tensor();
    if (!printed || !computed || !printed->strides || !computed->strides || sameStrides(*printed, *computed)) return;
    const auto& views = find(id)->views;
    const bool own = std::any_of(views.begin(), views.end(), [](const ScatterView& v) { return v.op == "aten::as_strided"; });
    const NodeId user = own ? id : addressedByPlace(ctx.ops(), g, {id}, Wrappers::Cloned);
    if (user) ctx.say(staleLayout(g, user, *printed, *computed));
}

void ScatterForms::decompose(Graph& g, PassContext& ctx, const std::unordered_set<NodeId>& inPlace, const AliasInfo* places) const {
    const auto cloned = [&](NodeId id, const GeneralizedScatter& form, Rewrite& rewrite) {
        const NodeId input = form.input;
        const TensorType* t = places ? places->geometry(input) : nullptr;
        const auto countsFromStart = [](const ScatterView& v) { return v.op == "aten::as_strided" && v.args.size() > 2 && !v.args[2].isNone(); };
        const bool keepOffset =
            t && !(t->offset == SymInt(0)) &&
            (std::any_of(form.views.begin(), form.views.end(), countsFromStart) || addressedByPlace(ctx.ops(), g, {id}, Wrappers::Cloned));
        if (t && t->strides && (keepOffset || (!isDense(*t) && showsStrides(g, ctx.ops(), id)))) {
            const ClonedTensor copy =
                CloneNodes(g, ctx.ops(), *places, id, {input}, keepOffset ? CloneExtent::Prefix : CloneExtent::Tight).clone(input);
            for (NodeId n : copy.made) rewrite.after.push_back(ref(g, n));
            return copy.result;
        }
        const NodeId clone = NewNodes(g, ctx.ops(), id).call("aten::clone"_n, {Value::node(input)});
        rewrite.after.push_back(ref(g, clone));
        if (!places) sayCopiedDensely(g, ctx, id, clone);
        return clone;
    };
    const auto write = [&](NodeId id, const GeneralizedScatter& form, NodeId into, Rewrite& rewrite) {
        NewNodes make(g, ctx.ops(), id);
        NodeId at = into;
        for (const ScatterView& view : form.views) {
            at = make.call(view.op, withOperands({Value::node(at)}, view), view.kwargs);
            rewrite.after.push_back(ref(g, at));
        }
        const NodeId copy = make.call("aten::copy_"_n, {Value::node(at), form.source});
        g.setType(copy, g[at].type, g[at].trust);
        rewrite.after.push_back(ref(g, copy));
        g.replaceAllUses(id, into);
        g.erase(id);
    };
    const auto functional = [&](NodeId id, const GeneralizedScatter& form) {
        if (form.views.size() == 1) return;  // it still is what it was read as
        Rewrite rewrite{"decompose-scatter", {ref(g, id)}, {}};
        NewNodes make(g, ctx.ops(), id);
        std::vector<NodeId> levels{form.input};
        for (std::size_t i = 0; i + 1 < form.views.size(); ++i) {
            levels.push_back(make.call(form.views[i].op, withOperands({Value::node(levels.back())}, form.views[i]), form.views[i].kwargs));
            rewrite.after.push_back(ref(g, levels.back()));
        }
        Value source = form.source;
        for (std::size_t i = form.views.size() - 1; i > 0; --i) {
            const ScatterView& view = form.views[i];
            source = Value::node(make.call(scatterOfView(view.op), withOperands({Value::node(levels[i]), source}, view), view.kwargs));
            rewrite.after.push_back(ref(g, source.asNode()));
        }
        g.setArg(id, 1, source);
        rewrite.after.push_back(ref(g, id));
        ctx.rewrite(std::move(rewrite));
    };
    const auto each = [&](bool written, const auto& f) {
        for (NodeId id : order_) {
            const auto it = forms_.find(id);
            if (it == forms_.end() || !g.contains(id) || inPlace.contains(id) != written) continue;
            // Operands may have been replaced since the form was made; the graph knows them.
            GeneralizedScatter form = it->second;
            form.input = g[id].arg(0).asNode();
            form.source = g[id].arg(1);
            f(id, form);
        }
    };
    each(false, [&](NodeId id, const GeneralizedScatter& form) {
        if (!alwaysWrites(id)) return functional(id, form);
        Rewrite rewrite{"decompose-scatter", {ref(g, id)}, {}};
        const NodeId into = cloned(id, form, rewrite);
        write(id, form, into, rewrite);
        if (places) refreshLayouts(ctx.ops(), g, into);
        ctx.rewrite(std::move(rewrite));
    });
    each(true, [&](NodeId id, const GeneralizedScatter& form) {
        Rewrite rewrite{"decompose-scatter", {ref(g, id)}, {}};
        write(id, form, form.input, rewrite);
        ctx.rewrite(std::move(rewrite));
    });
}

}  // namespace aliascope
