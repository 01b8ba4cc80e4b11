// `x[…]` and `x[…] = v`: views for numbers, slices, None and Ellipsis, left to right; all tensors together one gather or scatter.

#include <algorithm>
#include <limits>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

/// The views of an index, and the tensors that are left for `index.Tensor`.
struct Indexed {
    Value view;
    std::vector<Value> tensors;  ///< as `index.Tensor` takes them: None for untouched dimensions; a mask takes as many dimensions as it has
};

bool isFullSlice(const Value& v) {
    return v.kind() == Value::Kind::Slice && std::all_of(v.items().begin(), v.items().end(), [](const Value& part) { return part.isNone(); });
}

/// How many dimensions an index takes; nothing when that is not known.
std::optional<std::size_t> dimsTaken(const Lowering& l, const Value& index) {
    if (index.isNone() || index.kind() == Value::Kind::Ellipsis || index.kind() == Value::Kind::Bool) return 0;
    if (!index.isNode() || l.symInt(index)) return 1;
    const TensorType* t = l.tensor(index);
    if (!t || t->dtype == DType::Unknown) return std::nullopt;
    return t->dtype == DType::B8 || t->dtype == DType::U8 ? t->rank() : 1;
}

/// The indices with the Ellipsis replaced by full slices. Nothing when the rank is needed and unknown.
std::optional<std::vector<Value>> withoutEllipsis(const Lowering& l, const Value& x, const std::vector<Value>& indices) {
    const auto ellipsis = std::find_if(indices.begin(), indices.end(), [](const Value& v) { return v.kind() == Value::Kind::Ellipsis; });
    if (ellipsis == indices.end()) return indices;
    const Value full = Value::slice({}, {}, {});
    std::vector<Value> out(indices.begin(), ellipsis);
    if (ellipsis + 1 == indices.end()) return out;
    const auto rank = l.rank(x);
    std::size_t taken = 0;
    for (const Value& v : indices) {
        const auto n = dimsTaken(l, v);
        if (!n) return std::nullopt;
        taken += *n;
    }
    if (!rank || taken > *rank) return std::nullopt;
    out.insert(out.end(), *rank - taken, full);
    out.insert(out.end(), ellipsis + 1, indices.end());
    return out;
}

/// A tensor that indexes: `v` itself, or a constant made of a list of numbers (`x[[0, 2]]`).
Value indexTensor(Lowering& l, const Value& v) {
    if (v.kind() != Value::Kind::List || v.items().empty()) return v;
    if (!std::all_of(v.items().begin(), v.items().end(), [](const Value& item) { return item.isInt(); })) return v;
    return l.emit("aten::tensor", {v}).value_or(v);
}

Lowered slice(Lowering& l, const Value& x, std::size_t d, const Value& index) {
    const auto& parts = index.items();
    const Value start = parts[0].isNone() ? Value::integer(0) : parts[0];
    const Value stop = parts[1].isNone() ? Value::integer(std::numeric_limits<std::int64_t>::max()) : parts[1];
    const Value step = parts[2].isNone() ? Value::integer(1) : parts[2];
    return l.emit("aten::slice.Tensor", {x, Value::integer(static_cast<std::int64_t>(d)), start, stop, step});
}

std::optional<Indexed> applyViews(Lowering& l, const Value& x, const Value& index) {
    const auto indices = withoutEllipsis(l, x, index.kind() == Value::Kind::Tuple ? index.items() : std::vector<Value>{index});
    if (!indices) return std::nullopt;
    Indexed out{x, {}};
    std::size_t d = 0, masked = 0;  // dimension of the view; dimensions that masks take beyond their first
    for (const Value& v : *indices) {
        Lowered next = out.view;
        if (v.isNone()) {
            next = l.emit("aten::unsqueeze", {out.view, Value::integer(static_cast<std::int64_t>(d++))});
        } else if (v.kind() == Value::Kind::Slice) {
            if (!isFullSlice(v)) next = slice(l, out.view, d, v);
            ++d;
        } else if (v.isInt() || l.symInt(v)) {
            next = l.emit("aten::select.int", {out.view, Value::integer(static_cast<std::int64_t>(d)), v});
        } else if (const Value places = indexTensor(l, v); l.isTensor(places)) {
            const auto taken = dimsTaken(l, places);
            if ((!taken && &v != &indices->back()) || taken == std::optional<std::size_t>(0)) return std::nullopt;
            out.tensors.resize(d - masked);
            out.tensors.push_back(places);
            d += taken.value_or(1);
            masked += taken.value_or(1) - 1;
        } else {
            return std::nullopt;
        }
        if (!next) return std::nullopt;
        out.view = *next;
    }
    return out;
}

/// A number as a tensor without dimensions, of the element type of `like`.
Lowered scalarLike(Lowering& l, const Value& like, const Value& number) {
    const TensorType* t = l.tensor(like);
    if (!t || t->dtype == DType::Unknown || !t->device) return std::nullopt;
    return l.emit("aten::full", {Value::list({}), number},
                  {{"dtype"_n, Value::constant(Name("torch." + std::string(info(t->dtype).torchName)))},
                   {"device"_n, Value::device(t->device)},
                   {"pin_memory"_n, Value::boolean(false)}});
}

/// Leading dimensions of size 1 that `v` has more than `x` are dropped, as assignment does.
Lowered fitted(Lowering& l, const Value& x, const Value& v) {
    const auto have = l.rank(v), want = l.rank(x);
    if (!have || !want || *have <= *want) return v;
    std::vector<Value> sizes = l.sizes(v);
    sizes.erase(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(*have - *want));
    return l.emit("aten::view", {v, Value::list(std::move(sizes))});
}

}  // namespace

Lowered getItem(Lowering& l, const Value& x, const Value& index) {
    const auto indexed = applyViews(l, x, index);
    if (!indexed) return std::nullopt;
    if (!indexed->tensors.empty()) return l.emit("aten::index.Tensor", {indexed->view, Value::list(indexed->tensors)});
    return indexed->view == x ? l.emit("aten::alias", {x}) : Lowered(indexed->view);
}

Lowered setItem(Lowering& l, const Value& x, const Value& index, const Value& v) {
    const auto indexed = applyViews(l, x, index);
    if (!indexed) return std::nullopt;
    const bool number = v.asNumber().has_value() || v.kind() == Value::Kind::Complex;
    if (!number && !l.isTensor(v)) return std::nullopt;
    if (!indexed->tensors.empty()) {
        const Lowered values = number ? scalarLike(l, x, v) : Lowered(v);
        return values ? l.emit("aten::index_put_", {indexed->view, Value::list(indexed->tensors), *values}) : std::nullopt;
    }
    if (number) return l.emit("aten::fill_.Scalar", {indexed->view, v});
    const Lowered values = fitted(l, indexed->view, v);
    return values ? l.emit("aten::copy_", {indexed->view, *values}) : std::nullopt;
}

}  // namespace aliascope::torch_lowering
