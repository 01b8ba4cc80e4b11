#include "core/passes/clone_nodes.h"

namespace aliascope {
namespace {

Value valueOf(const SymInt& s) { return Value::sym(s); }

std::size_t wrap(std::int64_t dim, std::size_t rank) { return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim); }

}  // namespace

CloneNodes::CloneNodes(Graph& g, const OpRegistry& ops, const AliasInfo& alias, NodeId before, const std::vector<NodeId>& operands,
                       CloneExtent extent)
    : g_(g), ops_(ops), alias_(alias), new_(g, ops, before), extent_(extent) {
    for (NodeId id : operands) {
        const TensorType* t = alias.geometry(id);
        if (!t) continue;
        for (std::size_t d = 0; d < t->sizes.size(); ++d)
            if (!t->sizes[d].isConst()) owner_.emplace(identity(id, Part::Size, d), Place{id, d});
        for (std::size_t d = 0; t->strides && d < t->strides->size(); ++d)
            if (!(*t->strides)[d].isConst()) owner_.emplace(identity(id, Part::Stride, d), Place{id, d});
        if (t->offset && !t->offset->isConst()) owner_.emplace(identity(id, Part::Offset, 0), Place{id, 0});
    }
}

// Follows views that hand the integer on unchanged; a slice computes size and stride of its dim, every slicing view its offset.
CloneNodes::Key CloneNodes::identity(NodeId id, Part part, std::size_t dim) const {
    while (id.value < g_.idBound()) {
        const Node& n = g_[id];
        const NodeId input = n.arg(0).asNode();
        const TensorType *own = n.tensor(), *from = input ? g_[input].tensor() : nullptr;
        if (!own || !from || !g_.before(input, id)) break;
        const auto d = n.arg(1).asInt();
        if (n.op == "aten::slice.Tensor") {
            const std::int64_t sliced = d.value_or(0);
            if (part == Part::Offset || wrap(sliced, from->rank()) == dim) break;
        } else if (n.op == "aten::select.int" && d) {
            if (part == Part::Offset) break;
            if (dim >= wrap(*d, from->rank())) ++dim;
        } else if (n.op == "aten::permute" && n.arg(1).items().size() == own->rank()) {
            if (part != Part::Offset) {
                const auto source = n.arg(1).items()[dim].asInt();
                if (!source) break;
                dim = wrap(*source, from->rank());
            }
        } else if (const OpDef* def = ops_.find(n.op); part == Part::Size && def && def->is(Trait::Pointwise)) {
            if (from->rank() != own->rank() || !(from->sizes[dim] == own->sizes[dim])) break;
        } else {
            break;
        }
        if (part != Part::Offset && dim >= from->rank()) break;
        id = input;
    }
    return {id.value, part, dim};
}

NodeId CloneNodes::make(Name op, std::vector<Value> args) {
    const NodeId id = new_.call(op, std::move(args));
    made_.push_back(id);
    return id;
}

Value CloneNodes::part(NodeId tensor, Part part, std::size_t dim, const SymInt& value) {
    if (value.isConst()) return valueOf(value);
    const Key key = identity(tensor, part, dim);
    if (const auto it = node_.find(key); it != node_.end()) return Value::node(it->second);
    const auto it = owner_.find(key);
    const Place at = it == owner_.end() ? Place{tensor, dim} : it->second;
    const Value t = Value::node(at.tensor), d = Value::integer(static_cast<std::int64_t>(at.dim));
    NodeId id;
    switch (part) {
        case Part::Size:
            id = make("aten::sym_size.int"_n, {t, d});
            break;
        case Part::Stride:
            id = make("aten::sym_stride.int"_n, {t, d});
            break;
        case Part::Offset:
            id = make("aten::sym_storage_offset"_n, {t});
            break;
    }
    g_.setType(id, Type::sym(value));
    node_.emplace(key, id);
    return Value::node(id);
}

/// PyTorch's tracer records every operation on a symbolic integer, but for a product with 1.
Value CloneNodes::compute(const char* op, const Value& a, const Value& b, const SymInt& value) {
    const std::string_view name = op;
    if (!a.isNode() && !b.isNode()) return valueOf(value);
    if (name == "mul" && a.isInt() && *a.asInt() == 1) return b;
    if (name == "mul" && b.isInt() && *b.asInt() == 1) return a;
    const NodeId id = make(Name(std::string("operator::") + op), {a, b});
    g_.setType(id, Type::sym(value));
    return Value::node(id);
}

Value CloneNodes::storageLength(NodeId tensor, const TensorType& t) {
    for (const SymInt& size : t.sizes)
        if (size == SymInt(0)) return Value::integer(0);
    Value sum = Value::integer(0);
    SymInt total = 0;
    for (std::size_t d = 0; d < t.rank(); ++d) {
        const SymInt last = t.sizes[d] - 1, &stride = (*t.strides)[d], step = last * stride;
        const Value index = compute("sub", part(tensor, Part::Size, d, t.sizes[d]), Value::integer(1), last);
        const Value distance = compute("mul", index, part(tensor, Part::Stride, d, stride), step);
        total = total + step;
        sum = compute("add", sum, distance, total);
    }
    const SymInt offset = extent_ == CloneExtent::Tight && t.offset && t.offset->isConst() ? SymInt(0) : t.offset.value_or(SymInt(0));
    const Value start = compute("add", Value::integer(1), part(tensor, Part::Offset, 0, offset), offset + 1);
    return compute("add", start, sum, offset + 1 + total);
}

ClonedTensor CloneNodes::clone(NodeId tensor) {
    ClonedTensor out;
    made_.clear();
    const TensorType* known = alias_.geometry(tensor);
    if (!known || !known->strides || known->strides->size() != known->rank()) {
        out.clone = out.result = make("aten::clone"_n, {Value::node(tensor)});
        const TensorType* stated = g_[tensor].tensor();
        out.elements = stated ? stated->numel() : SymInt(0);
        out.made = made_;
        return out;
    }
    const TensorType t = *known;
    const SymInt offset = t.offset.value_or(SymInt(0));
    if (extent_ == CloneExtent::Tight && offset.isConst()) out.removedOffset = offset;
    const Value length = storageLength(tensor, t);
    const NodeId flat =
        make("aten::as_strided"_n, {Value::node(tensor), Value::list({length}), Value::list({Value::integer(1)}), valueOf(out.removedOffset)});
    out.clone = make("aten::clone"_n, {Value::node(flat)});
    std::vector<Value> sizes, strides;
    for (std::size_t d = 0; d < t.rank(); ++d) {
        sizes.push_back(part(tensor, Part::Size, d, t.sizes[d]));
        strides.push_back(part(tensor, Part::Stride, d, (*t.strides)[d]));
    }
    const SymInt left = offset - out.removedOffset;
    out.result = make("aten::as_strided"_n,
                      {Value::node(out.clone), Value::list(std::move(sizes)), Value::list(std::move(strides)), part(tensor, Part::Offset, 0, left)});
    g_.setType(out.result, g_[tensor].type, g_[tensor].trust);
    if (const auto extent = t.extent()) out.elements = *extent == SymInt(0) ? *extent : *extent - out.removedOffset;
    out.made = made_;
    return out;
}

}  // namespace aliascope
