// View operators that select, reorder or stretch dimensions: the result's geometry follows exactly from the operand's (executor.md 2.3).

#include <algorithm>
#include <limits>

#include "core/ops/table.h"

namespace aliascope {
namespace {

using Maybe = std::optional<ViewResult>;

/// Moves the start by `n` steps of dimension `d`; unknown strides make the offset unknown.
void shift(TensorType& t, const SymInt& n, std::size_t d) {
    if (!t.offset || n.constant() == 0) return;
    if (t.strides) {
        t.offset = *t.offset + n * (*t.strides)[d];
    } else {
        t.offset.reset();
    }
}

void removeDim(TensorType& t, std::size_t d) {
    t.sizes.erase(t.sizes.begin() + static_cast<std::ptrdiff_t>(d));
    if (t.strides) t.strides->erase(t.strides->begin() + static_cast<std::ptrdiff_t>(d));
}

void insertDim(TensorType& t, std::size_t d, const SymInt& size, const SymInt& stride) {
    t.sizes.insert(t.sizes.begin() + static_cast<std::ptrdiff_t>(d), size);
    if (t.strides) t.strides->insert(t.strides->begin() + static_cast<std::ptrdiff_t>(d), stride);
}

/// Whether a <= b, by facts, then by hints.
Tri lessEqual(const InferContext& c, const SymInt& a, const SymInt& b) {
    Tri known = knownLessEqual(a, b, c.graph.symbols);
    if (known != Tri::Unknown) return known;
    auto x = a.evaluate(c.graph.symbols), y = b.evaluate(c.graph.symbols);
    return x && y ? (*x <= *y ? Tri::Yes : Tri::No) : Tri::Unknown;
}

/// An index with negative values counted from the end; nothing when its sign hangs on values.
std::optional<SymInt> wrapIndex(const InferContext& c, const SymInt& index, const SymInt& size) {
    switch (lessEqual(c, SymInt(0), index)) {
        case Tri::Yes:
            return index;
        case Tri::No:
            return index + size;
        case Tri::Unknown:
            break;
    }
    return std::nullopt;
}

/// Start or end of a slice, clamped to [0, size]. A symbolic end whose order is open is taken as inside: the real region is then a part of
/// the one computed, so a proof of disjointness stays right.
std::optional<SymInt> clampIndex(const InferContext& c, const SymInt& index, const SymInt& size) {
    if (index == size) return size;
    if (auto n = index.constant(); n == std::numeric_limits<std::int64_t>::max()) return size;
    auto wrapped = wrapIndex(c, index, size);
    if (!wrapped) return std::nullopt;
    if (!(*wrapped == index) && lessEqual(c, *wrapped, SymInt(0)) == Tri::Yes) return SymInt(0);
    return lessEqual(c, size, *wrapped) == Tri::Yes ? size : *wrapped;
}

Maybe select(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    if (!d || *d >= base.rank()) return std::nullopt;
    TensorType t = base;
    auto index = c.symInt(c.value(2));
    auto wrapped = index ? wrapIndex(c, *index, base.sizes[*d]) : std::nullopt;
    if (wrapped) {
        shift(t, *wrapped, *d);
    } else {
        t.offset.reset();
    }
    removeDim(t, *d);
    return one(std::move(t));
}

Maybe sliceOf(const InferContext& c, const TensorType& base, std::size_t d, const Value& startArg, const Value& endArg, const Value& stepArg) {
    auto step = stepArg.isNone() ? SymInt(1) : c.symInt(stepArg);
    if (!step || (step->constant() && *step->constant() < 1)) return std::nullopt;
    const SymInt size = base.sizes[d];
    auto startIndex = startArg.isNone() ? SymInt(0) : c.symInt(startArg);
    auto endIndex = endArg.isNone() ? size : c.symInt(endArg);
    TensorType t = base;
    auto start = startIndex ? clampIndex(c, *startIndex, size) : std::nullopt;
    auto end = endIndex ? clampIndex(c, *endIndex, size) : std::nullopt;
    if (!start || !end) return std::nullopt;
    SymInt length = lessEqual(c, *end, *start) == Tri::Yes ? SymInt(0) : *end - *start;
    shift(t, *start, d);
    t.sizes[d] = step->constant() == 1 ? length : ceilDivide(length, *step);
    if (t.strides) (*t.strides)[d] = (*t.strides)[d] * *step;
    return one(std::move(t));
}

Maybe slice(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    if (!d || *d >= base.rank()) return std::nullopt;
    return sliceOf(c, base, *d, c.value(2), c.value(3), c.value(4));
}

Maybe narrow(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    auto length = c.symInt(c.value(3));
    if (!d || *d >= base.rank() || !length) return std::nullopt;
    TensorType t = base;
    auto start = c.symInt(c.value(2));
    auto wrapped = start ? wrapIndex(c, *start, base.sizes[*d]) : std::nullopt;
    if (wrapped) {
        shift(t, *wrapped, *d);
    } else {
        t.offset.reset();
    }
    t.sizes[*d] = *length;
    return one(std::move(t));
}

Maybe reorder(const TensorType& base, const std::vector<std::size_t>& order) {
    std::vector<bool> seen(base.rank());
    if (order.size() != base.rank()) return std::nullopt;
    TensorType t = base;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] >= base.rank() || seen[order[i]]) return std::nullopt;
        seen[order[i]] = true;
        t.sizes[i] = base.sizes[order[i]];
        if (t.strides) (*t.strides)[i] = (*base.strides)[order[i]];
    }
    return one(std::move(t));
}

std::vector<std::size_t> identityOrder(std::size_t rank) {
    std::vector<std::size_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i) order[i] = i;
    return order;
}

Maybe permute(const InferContext& c, const TensorType& base) {
    auto dims = wrapDims(c.value(1), base.rank());
    return dims ? reorder(base, *dims) : std::nullopt;
}

Maybe transpose(const InferContext& c, const TensorType& base) {
    auto a = wrapDim(c.value(1), base.rank()), b = wrapDim(c.value(2), base.rank());
    if (!a || !b) return std::nullopt;
    auto order = identityOrder(base.rank());
    if (!order.empty()) std::swap(order[*a], order[*b]);
    return reorder(base, order);
}

Maybe transposeLastTwo(const InferContext&, const TensorType& base) {
    auto order = identityOrder(base.rank());
    if (order.size() >= 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
    return reorder(base, order);
}

Maybe matrixTranspose(const InferContext& c, const TensorType& base) { return base.rank() <= 2 ? transposeLastTwo(c, base) : std::nullopt; }

Maybe reverseDims(const InferContext&, const TensorType& base) {
    auto order = identityOrder(base.rank());
    std::reverse(order.begin(), order.end());
    return reorder(base, order);
}

Maybe moveDims(const InferContext& c, const TensorType& base) {
    auto from = wrapDims(c.value(1), base.rank()), to = wrapDims(c.value(2), base.rank());
    if (!from || !to || from->size() != to->size()) return std::nullopt;
    if (base.rank() == 0) return one(base);
    constexpr auto open = static_cast<std::size_t>(-1);
    std::vector<std::size_t> order(base.rank(), open);
    std::vector<bool> moved(base.rank());
    for (std::size_t i = 0; i < from->size(); ++i) {
        if (moved[(*from)[i]] || order[(*to)[i]] != open) return std::nullopt;
        order[(*to)[i]] = (*from)[i];
        moved[(*from)[i]] = true;
    }
    std::size_t next = 0;
    for (std::size_t& o : order) {
        if (o != open) continue;
        while (moved[next]) ++next;
        o = next++;
    }
    return reorder(base, order);
}

Maybe expandTo(const TensorType& base, const std::vector<SymInt>& sizes) {
    if (sizes.size() < base.rank()) return std::nullopt;
    TensorType t = base;
    t.sizes.assign(sizes.size(), SymInt(1));
    if (t.strides) t.strides->assign(sizes.size(), SymInt(0));
    const std::size_t lead = sizes.size() - base.rank();
    for (std::size_t i = sizes.size(); i-- > 0;) {
        const bool isNew = i < lead;
        const SymInt old = isNew ? SymInt(1) : base.sizes[i - lead];
        const bool keep = sizes[i].constant() == -1 || sizes[i] == old || (!isNew && old.constant() != 1);
        if (isNew && sizes[i].constant() == -1) return std::nullopt;
        t.sizes[i] = keep && sizes[i].constant() == -1 ? old : sizes[i];
        if (!t.strides || !keep) continue;
        if (!isNew) {
            (*t.strides)[i] = (*base.strides)[i - lead];
        } else if (base.rank() > 0) {
            (*t.strides)[i] = i + 1 < sizes.size() ? t.sizes[i + 1] * (*t.strides)[i + 1] : SymInt(1);
        }
    }
    return one(std::move(t));
}

Maybe expand(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1));
    return sizes ? expandTo(base, *sizes) : std::nullopt;
}

Maybe expandAs(const InferContext& c, const TensorType& base) {
    const TensorType* other = c.tensor(1);
    return other ? expandTo(base, other->sizes) : std::nullopt;
}

/// prims::broadcast_in_dim(a, shape, broadcast_dimensions): dimension i of `a` becomes dimension broadcast_dimensions[i].
Maybe broadcastInDim(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1));
    if (!sizes) return std::nullopt;
    auto dims = wrapDims(c.value(2), sizes->size());
    if (!dims || dims->size() != base.rank() || base.rank() > sizes->size()) return std::nullopt;
    TensorType t = base;
    t.sizes = *sizes;
    if (t.strides) {
        t.strides->assign(sizes->size(), SymInt(0));
        for (std::size_t i = 0; i < dims->size(); ++i)
            if (base.sizes[i] == (*sizes)[(*dims)[i]]) (*t.strides)[(*dims)[i]] = (*base.strides)[i];
    }
    return one(std::move(t));
}

Maybe squeezeWhere(const TensorType& base, const std::vector<bool>& wanted) {
    TensorType t = base;
    t.sizes.clear();
    if (t.strides) t.strides->clear();
    for (std::size_t i = 0; i < base.rank(); ++i) {
        if (wanted[i] && base.sizes[i].constant() == 1) continue;
        t.sizes.push_back(base.sizes[i]);
        if (t.strides) t.strides->push_back((*base.strides)[i]);
    }
    return one(std::move(t));
}

Maybe squeezeAll(const InferContext&, const TensorType& base) { return squeezeWhere(base, std::vector<bool>(base.rank(), true)); }

Maybe squeezeDims(const InferContext& c, const TensorType& base) {
    auto dims = wrapDims(c.value(1), base.rank());
    if (!dims) return std::nullopt;
    std::vector<bool> wanted(base.rank());
    for (std::size_t d : *dims)
        if (d < wanted.size()) wanted[d] = true;
    return squeezeWhere(base, wanted);
}

Maybe unsqueeze(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank() + 1);
    if (!d) return std::nullopt;
    TensorType t = base;
    SymInt stride = base.strides && *d < base.rank() ? base.sizes[*d] * (*base.strides)[*d] : SymInt(1);
    insertDim(t, *d, SymInt(1), stride);
    return one(std::move(t));
}

Maybe identity(const InferContext&, const TensorType& base) { return one(base); }

/// diagonal(self, offset, dim1, dim2); linalg_diagonal has the same order, keyword-only.
Maybe diagonal(const InferContext& c, const TensorType& base) {
    auto offset = c.value(1).asInt();
    auto a = wrapDim(c.value(2), base.rank()), b = wrapDim(c.value(3), base.rank());
    if (!offset || !a || !b || *a == *b || base.rank() < 2) return std::nullopt;
    const bool right = *offset >= 0;
    const SymInt first = right ? base.sizes[*a] : base.sizes[*a] + *offset, second = right ? base.sizes[*b] - *offset : base.sizes[*b];
    const SymInt length = max(min(first, second), SymInt(0));
    TensorType t = base;
    if (length.constant() != 0) shift(t, right ? SymInt(*offset) : SymInt(0) - *offset, right ? *b : *a);
    const SymInt stride = base.strides ? (*base.strides)[*a] + (*base.strides)[*b] : SymInt(0);
    removeDim(t, std::max(*a, *b));
    removeDim(t, std::min(*a, *b));
    insertDim(t, t.rank(), length, stride);
    return one(std::move(t));
}

/// Addresses the storage, not the window of its operand: the offset is absolute; a missing one means the operand's own.
Maybe asStrided(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1)), strides = c.symInts(c.value(2));
    if (!sizes || !strides || sizes->size() != strides->size()) return std::nullopt;
    TensorType t = base;
    t.sizes = std::move(*sizes);
    t.strides = std::move(*strides);
    if (!c.value(3).isNone()) t.offset = c.symInt(c.value(3));
    return one(std::move(t));
}

Maybe pieces(const TensorType& base, std::size_t d, const std::vector<SymInt>& lengths) {
    ViewResult r;
    r.list = true;
    SymInt start = 0;
    for (const SymInt& length : lengths) {
        TensorType t = base;
        shift(t, start, d);
        t.sizes[d] = length;
        r.types.push_back(std::move(t));
        start = start + length;
    }
    return r;
}

/// Pieces of `length` along `d`, the last one shorter. How many there are may be settled by hints.
Maybe equalPieces(const InferContext& c, const TensorType& base, std::size_t d, const SymInt& length) {
    auto size = base.sizes[d].evaluate(c.graph.symbols), step = length.evaluate(c.graph.symbols);
    if (!size || !step || *size < 0 || *step < 0 || (*step == 0 && *size != 0)) return std::nullopt;
    const std::int64_t n = *step == 0 ? 1 : std::max<std::int64_t>(1, (*size - 1) / *step + (*size > 0 ? 1 : 0));
    if (n > kMaxResults) return std::nullopt;
    std::vector<SymInt> lengths(static_cast<std::size_t>(n), length);
    lengths.back() = base.sizes[d] - length * (n - 1);
    return pieces(base, d, lengths);
}

Maybe split(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(2), base.rank());
    auto length = c.symInt(c.value(1));
    if (!d || *d >= base.rank() || !length) return std::nullopt;
    return equalPieces(c, base, *d, *length);
}

Maybe splitWithSizes(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(2), base.rank());
    auto lengths = c.symInts(c.value(1));
    if (!d || *d >= base.rank() || !lengths || lengths->size() > kMaxResults) return std::nullopt;
    return pieces(base, *d, *lengths);
}

Maybe chunk(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(2), base.rank());
    auto count = c.value(1).asInt();
    if (!d || *d >= base.rank() || !count || *count < 1 || *count > kMaxResults) return std::nullopt;
    if (base.sizes[*d].constant() == 0) return pieces(base, *d, std::vector<SymInt>(static_cast<std::size_t>(*count), SymInt(0)));
    return equalPieces(c, base, *d, ceilDivide(base.sizes[*d], SymInt(*count)));
}

Maybe sections(const TensorType& base, std::size_t d, std::int64_t n) {
    if (n < 1 || n > kMaxResults || !base.sizes[d].constant()) return std::nullopt;
    const std::int64_t size = *base.sizes[d].constant();
    std::vector<SymInt> lengths;
    for (std::int64_t i = 0; i < n; ++i) lengths.emplace_back(size / n + (i < size % n ? 1 : 0));
    return pieces(base, d, lengths);
}

Maybe splitAt(const InferContext& c, const TensorType& base, std::size_t d, std::vector<SymInt> indices) {
    if (indices.size() >= kMaxResults) return std::nullopt;
    ViewResult r;
    r.list = true;
    SymInt start = 0;
    indices.push_back(base.sizes[d]);
    for (const SymInt& index : indices) {
        auto from = clampIndex(c, start, base.sizes[d]), to = clampIndex(c, index, base.sizes[d]);
        if (!from || !to) return std::nullopt;
        TensorType t = base;
        shift(t, *from, d);
        t.sizes[d] = lessEqual(c, *to, *from) == Tri::Yes ? SymInt(0) : *to - *from;
        r.types.push_back(std::move(t));
        start = index;
    }
    return r;
}

Maybe tensorSplitSections(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(2), base.rank());
    auto count = c.symInt(c.value(1));
    if (!d || *d >= base.rank() || !count || !count->constant()) return std::nullopt;
    return sections(base, *d, *count->constant());
}

Maybe tensorSplitIndices(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(2), base.rank());
    auto indices = c.symInts(c.value(1));
    if (!d || *d >= base.rank() || !indices) return std::nullopt;
    return splitAt(c, base, *d, std::move(*indices));
}

Maybe unbind(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    if (!d || *d >= base.rank()) return std::nullopt;
    auto n = base.sizes[*d].evaluate(c.graph.symbols);
    if (!n || *n < 0 || *n > kMaxResults) return std::nullopt;
    ViewResult r;
    r.list = true;
    for (std::int64_t i = 0; i < *n; ++i) {
        TensorType t = base;
        shift(t, SymInt(i), *d);
        removeDim(t, *d);
        r.types.push_back(std::move(t));
    }
    return r;
}

Maybe unfold(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    auto size = c.symInt(c.value(2)), step = c.symInt(c.value(3));
    if (!d || !size || !step || (step->constant() && *step->constant() < 1)) return std::nullopt;
    TensorType t = base;
    if (base.rank() == 0) {
        insertDim(t, 0, *size, SymInt(1));
        return one(std::move(t));
    }
    t.sizes[*d] = floorDiv(base.sizes[*d] - *size, *step) + 1;
    const SymInt stride = base.strides ? (*base.strides)[*d] : SymInt(0);
    if (t.strides) (*t.strides)[*d] = stride * *step;
    insertDim(t, t.rank(), *size, stride);
    return one(std::move(t));
}

/// hsplit, vsplit, dsplit: tensor_split along a fixed dimension.
template <std::size_t D>
std::size_t splitDim(const TensorType& base) {
    return D == 1 && base.rank() == 1 ? 0 : D;
}

template <std::size_t D>
Maybe fixedDimSections(const InferContext& c, const TensorType& base) {
    auto count = c.value(1).asInt();
    const std::size_t d = splitDim<D>(base);
    if (d >= base.rank() || !count || *count < 1 || *count > kMaxResults) return std::nullopt;
    return sections(base, d, *count);
}

template <std::size_t D>
Maybe fixedDimIndices(const InferContext& c, const TensorType& base) {
    auto indices = c.symInts(c.value(1));
    const std::size_t d = splitDim<D>(base);
    if (d >= base.rank() || !indices) return std::nullopt;
    return splitAt(c, base, d, std::move(*indices));
}

/// A fresh value by contract, although the schema says alias: a write to it is no write to the constant.
Maybe liftFresh(const InferContext&, const TensorType& base) { return one(base, Tri::No); }

}  // namespace

void registerViews(InferTable& table) {
    table.addView("aten::select.int", select);
    table.addView("aten::slice.Tensor", slice);
    table.addView("aten::narrow", narrow);
    table.addView("aten::narrow.Tensor", narrow, false);
    for (const char* op : {"aten::permute", "prims::transpose"}) table.addView(op, permute);
    for (const char* op : {"aten::transpose.int", "aten::transpose_", "aten::swapdims", "aten::swapdims_", "aten::swapaxes", "aten::swapaxes_"})
        table.addView(op, transpose);
    for (const char* op : {"aten::t", "aten::t_"}) table.addView(op, matrixTranspose);
    for (const char* op : {"aten::mT", "aten::mT.a", "aten::adjoint", "aten::mH", "aten::mH.a"}) table.addView(op, transposeLastTwo);
    for (const char* op : {"aten::numpy_T", "aten::numpy_T.a", "aten::matrix_H", "aten::matrix_H.a"}) table.addView(op, reverseDims);
    for (const char* op : {"aten::movedim.intlist", "aten::movedim.int", "aten::moveaxis.intlist", "aten::moveaxis.int"}) table.addView(op, moveDims);
    for (const char* op : {"aten::expand", "aten::broadcast_to"}) table.addView(op, expand);
    table.addView("aten::expand_as", expandAs);
    table.addView("prims::broadcast_in_dim", broadcastInDim);
    for (const char* op : {"aten::squeeze", "aten::squeeze_"}) table.addView(op, squeezeAll);
    for (const char* op : {"aten::squeeze.dim", "aten::squeeze.dims", "aten::squeeze_.dim", "aten::squeeze_.dims", "prims::squeeze"})
        table.addView(op, squeezeDims);
    for (const char* op : {"aten::unsqueeze", "aten::unsqueeze_"}) table.addView(op, unsqueeze);
    for (const char* op : {"aten::alias", "aten::detach", "aten::detach_", "aten::lift", "aten::data", "aten::_fw_primal", "aten::_make_dual",
                           "aten::positive", "prims::view_of", "prims::conj", "aten::_conj", "aten::conj", "aten::_neg_view"})
        table.addView(op, identity);
    table.addView("aten::lift_fresh", liftFresh);
    for (const char* op : {"aten::diagonal", "aten::linalg_diagonal"}) table.addView(op, diagonal);
    for (const char* op : {"aten::as_strided", "aten::as_strided_", "prims::as_strided"}) table.addView(op, asStrided);
    for (const char* op : {"aten::split.Tensor", "aten::unsafe_split.Tensor"}) table.addView(op, split);
    for (const char* op : {"aten::split_with_sizes", "aten::split.sizes", "aten::unsafe_split_with_sizes"}) table.addView(op, splitWithSizes);
    for (const char* op : {"aten::chunk", "aten::unsafe_chunk"}) table.addView(op, chunk);
    table.addView("aten::tensor_split.sections", tensorSplitSections);
    table.addView("aten::tensor_split.indices", tensorSplitIndices);
    table.addView("aten::hsplit.int", fixedDimSections<1>);
    table.addView("aten::vsplit.int", fixedDimSections<0>);
    table.addView("aten::dsplit.int", fixedDimSections<2>);
    table.addView("aten::hsplit.array", fixedDimIndices<1>);
    table.addView("aten::vsplit.array", fixedDimIndices<0>);
    table.addView("aten::dsplit.array", fixedDimIndices<2>);
    table.addView("aten::unbind.int", unbind);
    table.addView("aten::unfold", unfold);
}

}  // namespace aliascope
