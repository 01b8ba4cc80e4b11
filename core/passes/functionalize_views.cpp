// Views: which calls are views, how a view is replayed on a newer value, and how a new value of a view is put into what it was cut from
// (functionalize.md 2.3, 2.4).

#include <algorithm>
#include <limits>

#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

enum class Inverse : std::uint8_t {
    Identity,
    Select,
    Slice,
    Diagonal,
    AsStrided,
    Split,
    SplitSizes,
    Unbind,
    View,
    Permute,
    Unsqueeze,
    SqueezeAll,
    SqueezeDim,
    SqueezeDims,
    Alias,
    ViewDtype,
    ViewAsReal,
    ViewAsComplex,
    Involution,
};

const std::unordered_map<Name, Inverse>& inverses() {
    static const std::unordered_map<Name, Inverse> table = {
        {Name(), Inverse::Identity},
        {Name("aten::select.int"), Inverse::Select},
        {Name("aten::slice.Tensor"), Inverse::Slice},
        {Name("aten::diagonal"), Inverse::Diagonal},
        {Name("aten::as_strided"), Inverse::AsStrided},
        {Name("aten::split.Tensor"), Inverse::Split},
        {Name("aten::unsafe_split.Tensor"), Inverse::Split},
        {Name("aten::split_with_sizes"), Inverse::SplitSizes},
        {Name("aten::split"), Inverse::SplitSizes},
        {Name("aten::split.sizes"), Inverse::SplitSizes},
        {Name("aten::unsafe_split_with_sizes"), Inverse::SplitSizes},
        {Name("aten::unbind.int"), Inverse::Unbind},
        {Name("aten::view"), Inverse::View},
        {Name("aten::reshape"), Inverse::View},
        // Only an expansion that repeats nothing may be written, and that one only adds dimensions of size 1.
        {Name("aten::expand"), Inverse::View},
        {Name("aten::permute"), Inverse::Permute},
        {Name("aten::unsqueeze"), Inverse::Unsqueeze},
        {Name("aten::squeeze"), Inverse::SqueezeAll},
        {Name("aten::squeeze.dim"), Inverse::SqueezeDim},
        {Name("aten::squeeze.dims"), Inverse::SqueezeDims},
        {Name("aten::alias"), Inverse::Alias},
        {Name("aten::view.dtype"), Inverse::ViewDtype},
        {Name("prims::view_of_dtype"), Inverse::ViewDtype},
        {Name("aten::view_as_real"), Inverse::ViewAsReal},
        {Name("aten::view_as_complex"), Inverse::ViewAsComplex},
        {Name("aten::_conj"), Inverse::Involution},
        {Name("aten::_neg_view"), Inverse::Involution},
    };
    return table;
}

const Name kView("aten::view");
const Name kReshape("aten::reshape");
const Name kPermute("aten::permute");
const Name kSelect("aten::select.int");

std::int64_t wrap(std::int64_t dim, std::size_t rank) { return dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim; }

Value intList(const std::vector<std::int64_t>& items) {
    std::vector<Value> values;
    for (std::int64_t i : items) values.push_back(Value::integer(i));
    return Value::list(std::move(values));
}

bool allConst(const std::vector<SymInt>& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](const SymInt& s) { return s.isConst(); });
}

Value constSizes(const std::vector<SymInt>& sizes) {
    std::vector<Value> values;
    for (const SymInt& s : sizes) values.push_back(Value::integer(*s.constant()));
    return Value::list(std::move(values));
}

bool sameLayout(const TensorType& a, const TensorType& b) { return a.sizes == b.sizes && a.strides && b.strides && *a.strides == *b.strides; }

}  // namespace

bool Functionalizer::isViewCall(NodeId id, const OpDef* op) const {
    if (!op || op->schema.isMutable() || op->canonical == "aten::lift_fresh"_n) return false;
    if (op->is(Trait::AliasIfLayout)) {
        const NodeId operand = g_[id].arg(0).asNode();
        return operand && alias_.sameStorage(id, operand);
    }
    return op->isView() && viewedOperand(ops_, g_, id);
}

Status Functionalizer::viewCall(NodeId id, const OpDef& op) {
    auto bound = bindCall(ops_, g_[id]);
    if (!bound || bound->values.empty() || !bound->values[0].isNode()) {
        syncOperands(id);
        return {};
    }
    Handle* parent = handleOf(bound->values[0].asNode());
    syncOperands(id);
    bound = bindCall(ops_, g_[id]);
    ViewStep step{op.canonical, {}, {}, -1};
    const bool positional = !g_[id].args.empty();
    if (positional) step.args.assign(g_[id].args.begin() + 1, g_[id].args.end());
    for (const Keyword& k : g_[id].kwargs)
        if (positional || k.first != op.schema.params[0].name) step.kwargs.push_back(k);

    const std::optional<TensorType> geometry = geometryOf(id);
    const bool hidden = op.is(Trait::SilentAlias);
    if (op.schema.isMultiOutputView() || (hidden && !op.schema.returns.empty() && op.schema.returns[0].type.isList())) {
        viewLists_[id] = {parent, std::move(step), parent->storage->generation, hidden};
        return {};
    }
    const std::string_view name = candidateName(op.canonical);
    const bool undecided = alias_.undecided(id);
    if (undecided) parent->storage->undecided.push_back(id);
    bool boundary = hidden;
    const bool ranked = parent->geometry.has_value();
    const std::size_t rank = ranked ? parent->geometry->rank() : 0;

    if (op.is(Trait::IdentityView) && name != "alias") {
        step = {};
    } else if (name == "t" && ranked && rank <= 2) {
        step = {kPermute, {rank == 2 ? intList({1, 0}) : rank == 1 ? intList({0}) : intList({})}, {}, -1};
    } else if (op.canonical == "aten::transpose.int"_n && ranked && bound->values[1].asInt() && bound->values[2].asInt()) {
        std::vector<std::int64_t> order(rank);
        for (std::size_t d = 0; d < rank; ++d) order[d] = static_cast<std::int64_t>(d);
        const auto a = wrap(*bound->values[1].asInt(), rank), b = wrap(*bound->values[2].asInt(), rank);
        if (a >= 0 && b >= 0 && static_cast<std::size_t>(a) < rank && static_cast<std::size_t>(b) < rank) {
            std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
            step = {kPermute, {intList(order)}, {}, -1};
        }
    } else if (op.canonical == kAsStrided) {
        // as_strided addresses the storage, so what lies between it and the storage's own handle does not matter.
        Handle* unit = unitRoot(parent);
        Value offset = bound->values[3];
        if (offset.isNone() && parent->geometry && parent->geometry->offset && parent->geometry->offset->isConst())
            offset = Value::integer(*parent->geometry->offset->constant());
        if (!offset.isNone()) {
            step = {kAsStrided, {bound->values[1], bound->values[2], offset}, {}, -1};
            parent = unit;
        }
    } else if (op.canonical == "aten::_unsafe_view"_n) {
        step.op = kView;
    } else if (op.is(Trait::AliasIfLayout) && !undecided) {
        if (geometry && parent->geometry && sameLayout(*geometry, *parent->geometry))
            step = {};
        else if (op.canonical == kReshape)
            step.op = kView;
        else if (geometry && allConst(geometry->sizes))
            step = {kView, {constSizes(geometry->sizes)}, {}, -1};
    } else if ((name == "real" || name == "imag") && parent->geometry) {
        if (!info(parent->geometry->dtype).complex) {
            step = {};
        } else {
            std::optional<TensorType> parts;
            if (geometry && geometry->strides) {
                parts = *geometry;
                parts->sizes.push_back(2);
                parts->strides->push_back(1);
                if (name == "imag" && parts->offset) parts->offset = *parts->offset - 1;
            }
            // The handle in between has no node of its own yet: it is made when it is first replayed.
            Handle* pair = addView(parent, {kViewAsReal, {}, {}, -1}, id, NodeId(), parts, true);
            pair->generation = parent->storage->generation - 1;
            parent = pair;
            step = {kSelect, {Value::integer(-1), Value::integer(name == "real" ? 0 : 1)}, {}, -1};
        }
    }
    // The newest value may be laid out otherwise than the one that the program viewed.
    if (op.canonical == kView && !fitsAsView(parent->value, geometry)) g_.setCall(id, spellOp(kReshape), kReshape);
    if (geometry && parent->geometry && geometry->dtype != parent->geometry->dtype) boundary = true;
    setHandle(id, addView(parent, std::move(step), id, id, geometry, boundary));
    return {};
}

std::optional<TensorType> Functionalizer::viewGeometryOf(NodeId view, const Handle* parent) const {
    if (!parent->geometry) return std::nullopt;
    auto bound = bindCall(ops_, g_[view]);
    if (!bound) return std::nullopt;
    const std::function<TypePtr(NodeId)> typeOf = [this](NodeId id) { return g_[id].type; };
    auto types = viewGeometry(InferContext(g_, *bound, typeOf), *parent->geometry);
    if (!types || types->size() != 1) return std::nullopt;
    return types->front();
}

bool Functionalizer::fitsAsView(NodeId base, const std::optional<TensorType>& view) const {
    const TensorType* t = g_[base].tensor();
    if (!t || !t->strides || !view) return true;
    bool decided = false;
    return reshapeStrides(*t, view->sizes, &decided) || !decided;
}

NodeId Functionalizer::replay(Handle* h, NodeId parent) {
    const ViewStep& step = h->step;
    if (step.op.empty()) return parent;
    Name op = step.op;
    if (op == kView && !fitsAsView(parent, h->geometry)) op = kReshape;
    std::vector<Value> args{Value::node(parent)};
    args.insert(args.end(), step.args.begin(), step.args.end());
    const TypePtr type = h->geometry ? Type::tensor(*h->geometry) : nullptr;
    const NodeId made = emit(op, std::move(args), step.kwargs, step.output < 0 ? type : nullptr);
    if (step.output < 0) return made;
    const NodeId part = emitItem(made, Value::integer(step.output), nullptr);
    if (!g_[part].type && type) g_.setType(part, type, Trust::Assumed);
    return part;
}

bool Functionalizer::hasInverse(const Handle* h) const { return inverses().contains(h->step.op); }

NodeId Functionalizer::withUnitLastStride(NodeId value) {
    const TensorType* t = g_[value].tensor();
    if (!t || !t->strides || t->strides->empty() || t->strides->back() == SymInt(1)) return value;
    return emit("aten::clone"_n, {Value::node(value)}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}});
}

Result<NodeId> Functionalizer::invert(Handle* h, NodeId value) {
    const ViewStep& step = h->step;
    Handle* parent = h->parent;
    const auto noInverse = [&] {
        return failAt(origin_, "NO_INVERSE",
                      {{"view_op", step.op.str()}, {"view", nameOf(h)}, {"base", nameOf(h->storage->root)}, {"node", nameOf(origin_)}});
    };
    const Inverse kind = inverses().at(step.op);
    if (kind == Inverse::Identity) return value;

    const TypePtr wholeType = parent->geometry ? Type::tensor(*parent->geometry) : nullptr;
    const Value v = Value::node(value);
    const auto scatter = [&](std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        const Value base = Value::node(valueOf(parent));
        args.insert(args.begin(), {base, v});
        return emit(Name(op), std::move(args), std::move(kwargs), g_[base.asNode()].type);
    };
    std::optional<std::vector<SymInt>> sizes;
    if (parent->geometry)
        sizes = parent->geometry->sizes;
    else if (const TensorType* t = g_[valueOf(parent)].tensor())
        sizes = t->sizes;

    // Arguments by parameter; the view's operand stands first.
    BoundCall call;
    if (const OpDef* op = ops_.find(step.op)) {
        std::vector<Value> args{Value::node(parent->value)};
        args.insert(args.end(), step.args.begin(), step.args.end());
        auto bound = bindCall(*op, args, step.kwargs);
        if (!bound) return noInverse();
        call = std::move(*bound);
    }
    const auto dimension = [&](std::size_t param) -> std::optional<std::size_t> {
        const auto d = call.values[param].asInt();
        if (!d || !sizes) return std::nullopt;
        const std::int64_t w = wrap(*d, sizes->size());
        if (w < 0 || static_cast<std::size_t>(w) >= sizes->size()) return std::nullopt;
        return static_cast<std::size_t>(w);
    };
    const auto window = [&](const Value& dim, const Value& start, const Value& end) { return scatter("aten::slice_scatter", {dim, start, end}); };
    const auto lengthAlong = [&](std::size_t d) {
        const TensorType* t = g_[value].tensor();
        const SymInt length = h->geometry ? h->geometry->sizes[d] : t->sizes[d];
        return sizeValue(length, value, static_cast<std::int64_t>(d));
    };

    switch (kind) {
        case Inverse::Identity:
            return value;
        case Inverse::Select:
            return scatter("aten::select_scatter", step.args, step.kwargs);
        case Inverse::Slice:
            return scatter("aten::slice_scatter", step.args, step.kwargs);
        case Inverse::Diagonal:
            return scatter("aten::diagonal_scatter", step.args, step.kwargs);
        case Inverse::AsStrided:
            return scatter("aten::as_strided_scatter", step.args, step.kwargs);
        case Inverse::Split: {
            const auto d = dimension(2);
            if (!d) return noInverse();
            const auto size = call.values[1].asInt(), whole = (*sizes)[*d].constant();
            if (size && whole) {
                std::int64_t start = 0;
                if (*size < 0 || __builtin_mul_overflow(std::int64_t{step.output}, *size, &start) || start > *whole) return noInverse();
                return window(call.values[2], Value::integer(start), Value::integer(start + std::min(*size, *whole - start)));
            }
            if (!g_[value].tensor() && !h->geometry) return noInverse();
            Value start = Value::integer(0);
            for (int i = 0; i < step.output; ++i) start = addValues(start, call.values[1]);
            return window(call.values[2], start, addValues(start, lengthAlong(*d)));
        }
        case Inverse::SplitSizes: {
            const auto& parts = call.values[1].items();
            if (static_cast<std::size_t>(step.output) >= parts.size()) return noInverse();
            Value start = Value::integer(0);
            for (int i = 0; i < step.output; ++i) start = addValues(start, parts[static_cast<std::size_t>(i)]);
            return window(call.values[2], start, addValues(start, parts[static_cast<std::size_t>(step.output)]));
        }
        case Inverse::Unbind:
            return scatter("aten::select_scatter", {call.values[1], Value::integer(step.output)});
        case Inverse::View: {
            if (!sizes) return noInverse();
            TensorType whole;
            whole.sizes = *sizes;
            return emit(fitsAsView(value, whole) ? kView : kReshape, {v, Value::list(sizeValues(*sizes, [&] { return valueOf(parent); }))}, {},
                        wholeType);
        }
        case Inverse::Permute: {
            const auto& order = call.values[1].items();
            std::vector<std::int64_t> inverse(order.size());
            for (std::size_t d = 0; d < order.size(); ++d) {
                const auto from = order[d].asInt();
                const std::int64_t w = from ? wrap(*from, order.size()) : -1;
                if (w < 0 || static_cast<std::size_t>(w) >= order.size()) return noInverse();
                inverse[static_cast<std::size_t>(w)] = static_cast<std::int64_t>(d);
            }
            return emit(kPermute, {v, intList(inverse)}, {}, wholeType);
        }
        case Inverse::Unsqueeze:
            return emit("aten::squeeze.dim"_n, {v, call.values[1]}, {}, wholeType);
        case Inverse::SqueezeAll:
        case Inverse::SqueezeDim:
        case Inverse::SqueezeDims: {
            if (!sizes) return noInverse();
            std::vector<bool> squeezed(sizes->size(), kind == Inverse::SqueezeAll);
            if (kind == Inverse::SqueezeDim) {
                const auto d = dimension(1);
                if (!d && !sizes->empty()) return noInverse();
                if (d) squeezed[*d] = true;
            }
            if (kind == Inverse::SqueezeDims)
                for (const Value& item : call.values[1].items()) {
                    const std::int64_t w = item.asInt() ? wrap(*item.asInt(), sizes->size()) : -1;
                    if (w < 0 || static_cast<std::size_t>(w) >= sizes->size()) return noInverse();
                    squeezed[static_cast<std::size_t>(w)] = true;
                }
            NodeId out = value;
            for (std::size_t d = 0; d < sizes->size(); ++d)
                if (squeezed[d] && (*sizes)[d] == SymInt(1))
                    out = emit("aten::unsqueeze"_n, {Value::node(out), Value::integer(static_cast<std::int64_t>(d))});
            return out;
        }
        case Inverse::Alias:
            return emit("aten::alias"_n, {v}, {}, wholeType);
        case Inverse::ViewDtype: {
            if (!parent->geometry || parent->geometry->dtype == DType::Unknown) return noInverse();
            const Name dtype("torch." + std::string(info(parent->geometry->dtype).torchName));
            const bool sameSize = h->geometry && itemSize(h->geometry->dtype) == itemSize(parent->geometry->dtype);
            return emit("aten::view.dtype"_n, {Value::node(sameSize ? value : withUnitLastStride(value)), Value::constant(dtype)}, {}, wholeType);
        }
        case Inverse::ViewAsReal:
            return emit("aten::view_as_complex"_n, {Value::node(withUnitLastStride(value))}, {}, wholeType);
        case Inverse::ViewAsComplex:
            return emit("aten::view_as_real"_n, {v}, {}, wholeType);
        case Inverse::Involution:
            return emit(step.op, {v}, {}, wholeType);
    }
    return noInverse();
}

}  // namespace aliascope::functionalization
