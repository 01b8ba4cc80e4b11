#include "core/passes/graph_rules.h"

#include <algorithm>

#include "core/passes/functional_wrappers.h"

namespace aliascope {
namespace {

std::string_view deviceType(Name device) { return device.view().substr(0, device.view().find(':')); }
bool onGpu(const TensorType* t) { return t && (deviceType(t->device) == "cuda" || deviceType(t->device) == "xpu"); }
Value dtypeValue(DType dtype) { return Value::constant(Name("torch." + std::string(info(dtype).torchName))); }

/// The new root has the description of the old one.
void finish(RuleContext& c, NodeId root, NodeId by, const std::vector<NodeId>& matched, const std::vector<NodeId>& made) {
    c.g.setType(by, c.g[root].type, c.g[root].trust);
    c.replace(root, by, matched, made);
}

// --- iota device ----------------------------------------------------------------------------------------------------------------------------

/// Positions on the CPU that only index tensors of one other device are made there.
bool moveIota(RuleContext& c, NodeId root) {
    static const Name index("aten::index.Tensor"), put("aten::index_put"), iota("prims::iota");
    const Node& n = c.g[root];
    const Value* own = n.kwarg("device"_n);
    if (!own || own->kind() != Value::Kind::Device || n.users.empty()) return false;
    Name device;
    for (const Node::User& user : n.users) {
        const Node& u = c.g[user.id];
        if ((!u.is(index) && !u.is(put)) || !u.tensor() || u.tensor()->device.empty()) return false;
        if (!device.empty() && device != u.tensor()->device) return false;
        device = u.tensor()->device;
    }
    if (deviceType(device) == deviceType(own->name())) return false;
    std::vector<Keyword> kwargs = n.kwargs;
    for (Keyword& k : kwargs)
        if (k.first == "device"_n) k.second = Value::device(device);
    const NodeId made = NewNodes(c.g, c.ops(), root).call(iota, n.args, std::move(kwargs));
    if (const TensorType* t = c.g[root].tensor()) {
        TensorType moved = *t;
        moved.device = device;
        c.g.setType(made, Type::tensor(std::move(moved)));
    }
    c.replace(root, made, {root}, {made});
    return true;
}

// --- double convert -------------------------------------------------------------------------------------------------------------------------

std::optional<DType> convertsTo(const Node& n) {
    static const Name convert("prims::convert_element_type");
    if (!n.is(convert) || n.args.size() != 2 || !n.args[0].isNode() || n.args[1].kind() != Value::Kind::Const) return std::nullopt;
    const auto dtype = dtypeFromTorchName(n.args[1].name().view());
    const bool allowed = dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 || dtype == DType::F64;
    return allowed ? dtype : std::nullopt;
}

bool exactIn(DType from, DType to) { return from == to || to == DType::F64 || (to == DType::F32 && (from == DType::F16 || from == DType::BF16)); }

bool mergeConversions(RuleContext& c, NodeId root) {
    static const Name convert("prims::convert_element_type");
    if (!convertsTo(c.g[root])) return false;
    const NodeId inner = c.g[root].arg(0).asNode();
    const auto middle = convertsTo(c.g[inner]);
    if (!middle || c.g[inner].users.size() != 1 || !c.oneRegion({root, inner})) return false;
    const NodeId source = c.g[inner].arg(0).asNode();
    const TensorType* from = c.tensor(source);
    if (c.extended && (!from || !info(from->dtype).floating || !exactIn(from->dtype, *middle))) {
        c.refuse(root, "FP_STRICT", {{"what", "the rounding to " + std::string(info(*middle).torchName)}}, inner);
        return false;
    }
    const NodeId made = NewNodes(c.g, c.ops(), root).call(convert, {Value::node(source), c.g[root].arg(1)});
    finish(c, root, made, {root, inner}, {made});
    return true;
}

// --- bmm to mm ------------------------------------------------------------------------------------------------------------------------------

bool dropBatchOfOne(RuleContext& c, NodeId root) {
    static const Name squeeze("aten::squeeze.dim"), mm("aten::mm"), unsqueeze("aten::unsqueeze");
    const Node& n = c.g[root];
    if (n.args.size() != 2 || !n.args[0].isNode() || !n.args[1].isNode()) return false;
    const NodeId a = n.args[0].asNode(), b = n.args[1].asNode();
    const TensorType *ta = c.tensor(a), *tb = c.tensor(b);
    if (!onGpu(ta) || !onGpu(tb) || deviceType(ta->device) != deviceType(tb->device) || ta->rank() != 3 || tb->rank() != 3) return false;
    if (!(ta->sizes[0] == SymInt(1)) || !(tb->sizes[0] == SymInt(1))) return false;
    NewNodes add(c.g, c.ops(), root);
    const Value zero = Value::integer(0);
    const NodeId left = add.call(squeeze, {Value::node(a), zero}), right = add.call(squeeze, {Value::node(b), zero});
    const NodeId product = add.call(mm, {Value::node(left), Value::node(right)});
    const NodeId result = add.call(unsqueeze, {Value::node(product), zero});
    finish(c, root, result, {root}, {left, right, product, result});
    return true;
}

// --- full with scatter ----------------------------------------------------------------------------------------------------------------------

/// What is scattered into a constant: one number per row, at the position that the row's index names.
struct OneHot {
    NodeId full, selector;
    Value shape, background, number;
    std::size_t dim = 0;
};

std::optional<OneHot> oneHot(RuleContext& c, NodeId root) {
    static const Name full("aten::full");
    const Node& n = c.g[root];
    if (n.args.size() != 4 || !n.kwargs.empty() || !n.args[0].isNode() || !n.args[2].isNode() || n.args[3].isNode()) return std::nullopt;
    OneHot out{n.args[0].asNode(), n.args[2].asNode(), {}, {}, n.args[3], 0};
    const Node& constant = c.g[out.full];
    if (!constant.is(full) || constant.args.size() != 2 || !constant.kwarg("dtype"_n) || constant.users.size() != 1) return std::nullopt;
    out.shape = constant.arg(0);
    out.background = constant.arg(1);
    const auto d = n.args[1].asInt();
    const TensorType* selector = c.tensor(out.selector);
    const auto rank = static_cast<std::int64_t>(out.shape.items().size());
    if (!d || *d < -rank || *d >= rank || !selector || static_cast<std::int64_t>(selector->rank()) != rank || !c.tensor(root)) return std::nullopt;
    out.dim = static_cast<std::size_t>(*d < 0 ? *d + rank : *d);
    for (std::size_t i = 0; i < selector->rank(); ++i) {
        const auto size = asSymInt(c.g, out.shape.items()[i]);
        if (!size) return std::nullopt;
        if (i == out.dim ? !(selector->sizes[i] == SymInt(1)) : knownLessEqual(*size, selector->sizes[i], c.g.symbols) != Tri::Yes)
            return std::nullopt;
        // A longer index would not expand.
        if (i != out.dim && !(*size == selector->sizes[i])) return std::nullopt;
    }
    return out;
}

bool scatterToWhere(RuleContext& c, NodeId root) {
    static const Name iota("prims::iota"), view("aten::view"), expand("aten::expand"), eq("aten::eq.Tensor"), scalar("aten::scalar_tensor"),
        where("aten::where.self");
    const auto match = oneHot(c, root);
    if (!match || !c.oneRegion({root, match->full})) return false;
    const TensorType own = *c.tensor(root);
    const Value device = Value::device(c.tensor(match->selector)->device);
    NewNodes add(c.g, c.ops(), root);
    const Value length = match->shape.items()[match->dim];
    const NodeId positions = add.call(iota, {length},
                                      {{"start"_n, Value::integer(0)},
                                       {"step"_n, Value::integer(1)},
                                       {"dtype"_n, dtypeValue(DType::I64)},
                                       {"device"_n, device},
                                       {"requires_grad"_n, Value::boolean(false)}});
    std::vector<Value> along(match->shape.items().size(), Value::integer(1));
    along[match->dim] = length;
    const NodeId aligned = add.call(view, {Value::node(positions), Value::list(std::move(along))});
    const NodeId chosen = add.call(expand, {Value::node(match->selector), match->shape});
    const NodeId mask = add.call(eq, {Value::node(chosen), Value::node(aligned)});
    const std::vector<Keyword> like = {{"dtype"_n, dtypeValue(own.dtype)}, {"layout"_n, Value::constant("torch.strided"_n)}, {"device"_n, device}};
    const NodeId background = add.call(scalar, {match->background}, like), number = add.call(scalar, {match->number}, like);
    const NodeId result = add.call(where, {Value::node(mask), Value::node(number), Value::node(background)});
    finish(c, root, result, {root, match->full}, {positions, aligned, chosen, mask, background, number, result});
    return true;
}

// --- randperm -------------------------------------------------------------------------------------------------------------------------------

/// The only index of a call along dim 0, if it is `randperm(n)[:k]` and n is the length of `indexed`.
NodeId randpermIndex(RuleContext& c, NodeId indexed, const Value& indices, std::vector<NodeId>& matched) {
    static const Name slice("aten::slice.Tensor"), randperm("aten::randperm");
    if (!indices.isSequence() || indices.items().size() != 1) return {};
    const NodeId index = indices.items()[0].asNode();
    if (!index || !c.g[index].is(slice) || c.g[index].args.size() != 4 || c.g[index].arg(1).asInt() != 0 || c.g[index].arg(2).asInt() != 0) return {};
    const NodeId source = c.g[index].arg(0).asNode();
    if (!source || !c.g[source].is(randperm) || c.g[source].args.size() != 1 || c.g[source].users.size() != 1) return {};
    const auto length = asSymInt(c.g, c.g[source].arg(0));
    const TensorType* t = c.tensor(indexed);
    if (!length || !t || t->rank() == 0 || !(t->sizes[0] == *length)) return {};
    matched = {index, source};
    return index;
}

bool uncheckedIndex(RuleContext& c, NodeId root) {
    static const Name unsafeIndex("aten::_unsafe_index.Tensor");
    const Node& n = c.g[root];
    std::vector<NodeId> matched;
    if (n.args.size() != 2 || !n.args[0].isNode() || !randpermIndex(c, n.args[0].asNode(), n.args[1], matched)) return false;
    const NodeId made = NewNodes(c.g, c.ops(), root).call(unsafeIndex, n.args);
    finish(c, root, made, {root}, {made});
    return true;
}

/// Positions differ, so adding to them needs no accumulation.
bool uncheckedIndexAdd(RuleContext& c, NodeId root) {
    static const Name unsafeIndex("aten::_unsafe_index.Tensor"), unsafePut("aten::_unsafe_index_put"), plus("aten::add.Tensor");
    const Node& n = c.g[root];
    std::vector<NodeId> matched;
    if (n.args.size() != 4 || !n.args[0].isNode() || !n.args[2].isNode() || n.args[3].asBool() != true) return false;
    const Value indexed = n.args[0], indices = n.args[1], addend = n.args[2];
    if (!randpermIndex(c, indexed.asNode(), indices, matched)) return false;
    NewNodes add(c.g, c.ops(), root);
    const NodeId old = add.call(unsafeIndex, {indexed, indices});
    const NodeId sum = add.call(plus, {Value::node(old), addend});
    const NodeId made = add.call(unsafePut, {indexed, indices, Value::node(sum)});
    finish(c, root, made, {root}, {old, sum, made});
    return true;
}

}  // namespace

void addGraphRules(RuleSet& set) {
    set.add("iota-device", {"prims::iota"_n}, moveIota);
    set.add("double-convert", {"prims::convert_element_type"_n}, mergeConversions);
    set.add("bmm-to-mm", {"aten::bmm"_n}, dropBatchOfOne);
    set.add("scatter-to-where", {"aten::scatter.value"_n}, scatterToWhere);
}

void addRandpermRules(RuleSet& set) {
    set.add("randperm-index-add", {"aten::index_put"_n}, uncheckedIndexAdd);
    set.add("randperm-index", {"aten::index.Tensor"_n}, uncheckedIndex);
}

}  // namespace aliascope
