// View operators that regroup dimensions or reinterpret elements, and operators that are a view or a copy depending on layout (schemas.md 5.1).

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

using Maybe = std::optional<ViewResult>;

bool knownEmpty(const std::vector<SymInt>& sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [](const SymInt& s) { return s.constant() == 0; });
}

/// `numel / rest`, for a size given as -1. Factors that stand on both sides are cancelled first, so that symbols need no division rule.
std::optional<SymInt> inferredSize(std::vector<SymInt> factors, const std::vector<SymInt>& others) {
    SymInt rest = 1;
    for (const SymInt& o : others) {
        auto same = std::find(factors.begin(), factors.end(), o);
        if (same != factors.end()) {
            factors.erase(same);
        } else {
            rest = rest * o;
        }
    }
    SymInt numel = 1;
    for (const SymInt& f : factors) numel = numel * f;
    if (rest.constant() == 1) return numel;
    if (rest.constant() == 0) return std::nullopt;
    return floorDiv(numel, rest);
}

/// Sizes with -1 filled in.
std::optional<std::vector<SymInt>> fillSizes(const TensorType& base, std::vector<SymInt> sizes) {
    auto open = std::find_if(sizes.begin(), sizes.end(), [](const SymInt& s) { return s.constant() == -1; });
    if (open == sizes.end()) return sizes;
    std::vector<SymInt> others;
    for (auto it = sizes.begin(); it != sizes.end(); ++it) {
        if (it == open) continue;
        if (it->constant() && *it->constant() < 0) return std::nullopt;
        others.push_back(*it);
    }
    auto size = inferredSize(base.sizes, others);
    if (!size) return std::nullopt;
    *open = *size;
    return sizes;
}

/// `view`: an impossible layout is an error when it runs, never a copy.
Maybe viewTo(const TensorType& base, std::vector<SymInt> sizes) {
    auto filled = fillSizes(base, std::move(sizes));
    if (!filled) return std::nullopt;
    TensorType t = base;
    t.strides = reshapeStrides(base, *filled);
    t.sizes = std::move(*filled);
    return one(std::move(t));
}

Maybe reshapeTo(const TensorType& base, std::vector<SymInt> sizes) {
    auto filled = fillSizes(base, std::move(sizes));
    if (!filled) return std::nullopt;
    TensorType t = base;
    bool decided = false;
    t.strides = reshapeStrides(base, *filled, &decided);
    t.sizes = std::move(*filled);
    if (t.strides) return one(std::move(t));
    if (!decided) return one(std::move(t), Tri::Unknown);
    t.strides = TensorType::contiguousStrides(t.sizes);
    t.offset = SymInt(0);
    return one(std::move(t), Tri::No);
}

Maybe view(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1));
    return sizes ? viewTo(base, std::move(*sizes)) : std::nullopt;
}

Maybe reshape(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1));
    return sizes ? reshapeTo(base, std::move(*sizes)) : std::nullopt;
}

Maybe viewAs(const InferContext& c, const TensorType& base) {
    const TensorType* other = c.tensor(1);
    return other ? viewTo(base, other->sizes) : std::nullopt;
}

Maybe reshapeAs(const InferContext& c, const TensorType& base) {
    const TensorType* other = c.tensor(1);
    return other ? reshapeTo(base, other->sizes) : std::nullopt;
}

std::vector<SymInt> joined(const TensorType& base, std::size_t from, std::size_t to) {
    std::vector<SymInt> sizes;
    for (std::size_t i = 0; i < base.rank(); ++i) {
        if (i > from && i <= to) {
            sizes.back() = sizes.back() * base.sizes[i];
        } else {
            sizes.push_back(base.sizes[i]);
        }
    }
    if (sizes.empty()) sizes.emplace_back(1);
    return sizes;
}

Maybe flatten(const InferContext& c, const TensorType& base) {
    auto from = wrapDim(c.value(1), base.rank()), to = wrapDim(c.value(2), base.rank());
    if (!from || !to || *to < *from) return std::nullopt;
    return base.rank() > 0 && *from == *to ? one(base) : reshapeTo(base, joined(base, *from, *to));
}

/// prims::collapse_view(a, start, end): dims start to end, both included, become one.
Maybe collapseView(const InferContext& c, const TensorType& base) {
    auto from = wrapDim(c.value(1), base.rank()), to = wrapDim(c.value(2), base.rank());
    if (!from || !to || *to < *from) return std::nullopt;
    return viewTo(base, joined(base, *from, *to));
}

Maybe ravel(const InferContext&, const TensorType& base) { return reshapeTo(base, {base.numel()}); }

Maybe splitDimTo(const TensorType& base, std::size_t d, const std::vector<SymInt>& parts) {
    TensorType dim = base;
    dim.sizes = {base.sizes[d]};
    auto filled = fillSizes(dim, parts);
    if (!filled) return std::nullopt;
    std::vector<SymInt> sizes(base.sizes.begin(), base.sizes.begin() + static_cast<std::ptrdiff_t>(d));
    sizes.insert(sizes.end(), filled->begin(), filled->end());
    sizes.insert(sizes.end(), base.sizes.begin() + static_cast<std::ptrdiff_t>(d) + 1, base.sizes.end());
    return viewTo(base, std::move(sizes));
}

Maybe unflatten(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    auto parts = c.symInts(c.value(2));
    if (!d || *d >= base.rank() || !parts) return std::nullopt;
    return splitDimTo(base, *d, *parts);
}

/// prims::split_dim(a, dim, outer_length).
Maybe splitDim(const InferContext& c, const TensorType& base) {
    auto d = wrapDim(c.value(1), base.rank());
    auto outer = c.symInt(c.value(2));
    if (!d || *d >= base.rank() || !outer) return std::nullopt;
    return splitDimTo(base, *d, {*outer, SymInt(-1)});
}

Maybe reshapeAlias(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1)), strides = c.symInts(c.value(2));
    if (!sizes || !strides || sizes->size() != strides->size()) return std::nullopt;
    TensorType t = base;
    t.sizes = std::move(*sizes);
    t.strides = std::move(*strides);
    return one(std::move(t));
}

// --- the same bytes as other elements --------------------------------------------------------------------------------------------------------

/// Scales sizes and strides from items of `from` bytes to items of `to` bytes along the last dimension.
Maybe reinterpret(const TensorType& base, DType dtype, int from, int to) {
    TensorType t = base;
    setDType(t, dtype);
    if (from == to) return one(std::move(t));
    if (from == 0 || to == 0 || base.rank() == 0) return std::nullopt;
    const std::size_t last = base.rank() - 1;
    if (from > to) {
        const SymInt k = from / to;
        t.sizes[last] = t.sizes[last] * k;
        if (t.strides)
            for (std::size_t i = 0; i < last; ++i) (*t.strides)[i] = (*t.strides)[i] * k;
        if (t.offset) t.offset = *t.offset * k;
        return one(std::move(t));
    }
    const SymInt k = to / from;
    t.sizes[last] = floorDiv(t.sizes[last], k);
    if (t.strides)
        for (std::size_t i = 0; i < last; ++i) (*t.strides)[i] = floorDiv((*t.strides)[i], k);
    if (t.offset) t.offset = floorDiv(*t.offset, k);
    return one(std::move(t));
}

Maybe viewDType(const InferContext& c, const TensorType& base) {
    auto dtype = dtypeArgument(c.value(1));
    return dtype ? reinterpret(base, *dtype, itemSize(base.dtype), itemSize(*dtype)) : std::nullopt;
}

std::optional<DType> realPart(DType complex) {
    const DType real = realFor(complex);
    return real == complex ? std::nullopt : std::optional(real);
}

std::optional<DType> complexWithParts(DType real) {
    switch (real) {
        case DType::F16:
            return DType::C32;
        case DType::F32:
            return DType::C64;
        case DType::F64:
            return DType::C128;
        default:
            return std::nullopt;
    }
}

void scaleSteps(TensorType& t, std::int64_t k) {
    if (t.strides)
        for (SymInt& s : *t.strides) s = s * k;
    if (t.offset) t.offset = *t.offset * k;
}

Maybe viewAsReal(const InferContext&, const TensorType& base) {
    auto part = realPart(base.dtype);
    if (!part) return std::nullopt;
    TensorType t = base;
    setDType(t, *part);
    scaleSteps(t, 2);
    t.sizes.emplace_back(2);
    if (t.strides) t.strides->emplace_back(1);
    return one(std::move(t));
}

Maybe viewAsComplex(const InferContext&, const TensorType& base) {
    auto whole = complexWithParts(base.dtype);
    if (!whole || base.rank() == 0) return std::nullopt;
    TensorType t = base;
    setDType(t, *whole);
    t.sizes.pop_back();
    if (t.strides) {
        t.strides->pop_back();
        for (SymInt& s : *t.strides) s = floorDiv(s, SymInt(2));
    }
    if (t.offset) t.offset = floorDiv(*t.offset, SymInt(2));
    return one(std::move(t));
}

template <int Part>
Maybe complexPart(const InferContext&, const TensorType& base) {
    auto part = realPart(base.dtype);
    if (!part) return Part == 0 ? one(base) : std::nullopt;  // `real` of a real tensor is the tensor
    TensorType t = base;
    setDType(t, *part);
    scaleSteps(t, 2);
    if (t.offset) t.offset = *t.offset + Part;
    return one(std::move(t));
}

// --- a view or a copy --------------------------------------------------------------------------------------------------------------------------

Maybe copyOf(TensorType t, std::optional<std::vector<SymInt>> strides) {
    t.strides = std::move(strides);
    t.offset = SymInt(0);
    return one(std::move(t), Tri::No);
}

/// Whether two strides are equal. PyTorch specialises sizes 0 and 1, so a product of symbolic sizes is neither.
Tri sameStride(const SymInt& a, const SymInt& b) {
    const Tri same = knownEqual(a, b);
    if (same != Tri::Unknown || a.isConst() == b.isConst()) return same;
    const SymInt &number = a.isConst() ? a : b, &other = a.isConst() ? b : a;
    SymbolTable sizes;
    for (Name symbol : other.symbols()) sizes[symbol].min = 2;
    return knownLessEqual(other, number, sizes) == Tri::No ? Tri::No : Tri::Unknown;
}

/// Whether `base` lies with these strides already; by symbols it may stay open.
Tri lies(const TensorType& base, const std::vector<SymInt>& strides) {
    if (!base.strides || strides.size() != base.rank()) return Tri::Unknown;
    Tri all = Tri::Yes;
    for (std::size_t i = 0; i < base.rank(); ++i) {
        const Tri same = base.sizes[i].constant() == 1 ? Tri::Yes : sameStride((*base.strides)[i], strides[i]);
        if (same == Tri::No) return Tri::No;
        if (same == Tri::Unknown) all = Tri::Unknown;
    }
    return all;
}

/// The tensor itself if it lies with these strides, else a copy that does.
Maybe laidOut(const TensorType& base, std::vector<SymInt> strides) {
    const Tri already = lies(base, strides);
    if (already == Tri::Yes) return one(base);
    if (already == Tri::No) return copyOf(base, std::move(strides));
    TensorType t = base;
    t.strides = std::move(strides);
    return one(std::move(t), Tri::Unknown);
}

Maybe contiguous(const InferContext& c, const TensorType& base) {
    const MemoryFormat format = memoryFormatArgument(c.value(1), MemoryFormat::Contiguous);
    auto wanted = stridesOf(base.sizes, format);
    return wanted ? laidOut(base, std::move(*wanted)) : copyOf(base, std::nullopt);
}

Tri both(Tri a, Tri b) {
    if (a == Tri::No || b == Tri::No) return Tri::No;
    return a == Tri::Yes && b == Tri::Yes ? Tri::Yes : Tri::Unknown;
}

Tri sameDType(const TensorType& a, const TensorType& b) {
    const auto known = [](const TensorType& t) { return t.dtype != DType::Unknown || t.dtypeName; };
    if (!known(a) || !known(b)) return Tri::Unknown;
    return a.dtype == b.dtype && a.dtypeName == b.dtypeName ? Tri::Yes : Tri::No;
}

Tri sameDevice(const TensorType& a, const TensorType& b) { return !a.device || !b.device ? Tri::Unknown : a.device == b.device ? Tri::Yes : Tri::No; }

/// `to`: the tensor itself when nothing changes and no copy is asked for.
Maybe convert(const InferContext& c, const TensorType& base) {
    TensorType t = base;
    Tri same = Tri::Yes;
    if (const Value* v = c.call.find("dtype"_n); v && !v->isNone()) {
        setDType(t, dtypeArgument(*v).value_or(DType::Unknown));
        same = both(same, sameDType(t, base));
    }
    if (const Value* v = c.call.find("device"_n); v && !v->isNone()) {
        t.device = deviceArgument(*v).value_or(Name());
        same = both(same, sameDevice(t, base));
    }
    if (c.call.find("other"_n)) {
        const TensorType* other = c.tensor(1);
        if (!other) return std::nullopt;
        t.dtype = other->dtype;
        t.dtypeName = other->dtypeName;
        t.device = other->device;
        same = both(same, both(sameDType(t, base), sameDevice(t, base)));
    }
    const Value* copy = c.call.find("copy"_n);
    const Value* layout = c.call.find("memory_format"_n);
    const MemoryFormat format = layout ? memoryFormatArgument(*layout, MemoryFormat::Preserve) : MemoryFormat::Preserve;
    auto strides = format == MemoryFormat::Preserve ? preservedStrides(base) : stridesOf(base.sizes, format);
    if (format != MemoryFormat::Preserve) same = both(same, strides ? lies(base, *strides) : Tri::Unknown);
    if (copy && copy->asBool().value_or(false)) same = Tri::No;
    if (same == Tri::Yes) return one(base);
    if (same == Tri::No) return copyOf(std::move(t), std::move(strides));
    if (!(strides == base.strides)) t.strides.reset();
    return one(std::move(t), Tri::Unknown);
}

Maybe identity(const InferContext&, const TensorType& base) { return one(base); }

/// prims::inductor_force_stride_order(input, stride): the input itself when it already lies so.
Maybe forceStrides(const InferContext& c, const TensorType& base) {
    auto strides = c.symInts(c.value(1));
    if (!strides || strides->size() != base.rank()) return std::nullopt;
    return laidOut(base, std::move(*strides));
}

/// dropout(input, p, train): the input itself outside training.
Maybe dropout(const InferContext& c, const TensorType& base) {
    auto train = c.value(2).asBool();
    if (!train) return one(base, Tri::Unknown);
    return *train ? copyOf(base, preservedStrides(base)) : one(base);
}

/// sum_to_size(self, size): the tensor itself when it has that size.
Maybe sumToSize(const InferContext& c, const TensorType& base) {
    auto sizes = c.symInts(c.value(1));
    if (!sizes) return std::nullopt;
    if (*sizes == base.sizes) return one(base);
    TensorType t = base;
    t.sizes = std::move(*sizes);
    return copyOf(t, TensorType::contiguousStrides(t.sizes));
}

Maybe undecidedIdentity(const InferContext&, const TensorType& base) { return one(base, Tri::Unknown); }

}  // namespace

std::optional<std::vector<SymInt>> reshapeStrides(const TensorType& base, const std::vector<SymInt>& sizes, bool* decided) {
    bool ignored = false;
    bool& sure = decided ? *decided : ignored;
    sure = true;
    if (!base.strides) {
        sure = false;
        return std::nullopt;
    }
    if (base.sizes == sizes) return base.strides;
    if (knownEmpty(base.sizes)) return TensorType::contiguousStrides(sizes);
    if (base.rank() == 0) return std::vector<SymInt>(sizes.size(), SymInt(1));

    // PyTorch's computeStride: merge runs of old dims that lie without gaps, then lay the new dims over each run. With symbols, "too far" cannot
    // be seen, so that a run is filled until the products are equal.
    std::vector<SymInt> out(sizes.size());
    std::size_t view = sizes.size();
    SymInt runStep = base.strides->back(), runCount = 1;
    for (std::size_t d = base.rank(); d-- > 0;) {
        runCount = runCount * base.sizes[d];
        if (d > 0 && base.sizes[d - 1].constant() == 1) continue;
        if (d > 0) {
            const Tri adjacent = knownEqual((*base.strides)[d - 1], runCount * runStep);
            if (adjacent == Tri::Yes) continue;
            sure = sure && adjacent == Tri::No;
        }
        SymInt filled = 1;
        while (view > 0) {
            const bool unit = sizes[view - 1].constant() == 1;
            if (!unit && filled == runCount) break;
            if (!unit && filled.constant() && runCount.constant() && *filled.constant() >= *runCount.constant()) break;
            --view;
            out[view] = filled * runStep;
            filled = filled * sizes[view];
        }
        const Tri fits = knownEqual(filled, runCount);
        if (fits != Tri::Yes) {
            sure = sure && fits == Tri::No;
            return std::nullopt;
        }
        if (d > 0) {
            runStep = (*base.strides)[d - 1];
            runCount = 1;
        }
    }
    if (view > 0) return std::nullopt;
    sure = true;
    return out;
}

void registerReshapes(InferTable& table) {
    for (const char* op : {"aten::view", "aten::_unsafe_view"}) table.addView(op, view);
    table.addView("aten::reshape", reshape);
    table.addView("aten::view_as", viewAs, false);
    table.addView("aten::reshape_as", reshapeAs, false);
    table.addView("aten::flatten.using_ints", flatten, false);
    table.addView("aten::ravel", ravel, false);
    table.addView("aten::unflatten.int", unflatten, false);
    table.addView("aten::_reshape_alias", reshapeAlias);
    table.addView("prims::collapse_view", collapseView, false);
    table.addView("prims::split_dim", splitDim, false);
    for (const char* op : {"aten::view.dtype", "prims::view_of_dtype"}) table.addView(op, viewDType);
    table.addView("aten::view_as_real", viewAsReal);
    table.addView("aten::view_as_complex", viewAsComplex);
    for (const char* op : {"aten::real", "prims::real"}) table.addView(op, complexPart<0>, false);
    for (const char* op : {"aten::imag", "prims::imag"}) table.addView(op, complexPart<1>, false);
    table.addView("aten::contiguous", contiguous, false);
    for (const char* op : {"aten::to.device", "aten::to.dtype", "aten::to.dtype_layout", "aten::to.other", "aten::to.prim_Device",
                           "aten::to.prim_dtype", "aten::type_as"})
        table.addView(op, convert, false);
    for (const char* op : {"aten::resolve_conj", "aten::resolve_neg", "aten::conj_physical"}) table.addView(op, identity, false);
    for (const char* op : {"aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout"})
        table.addView(op, dropout, false);
    table.addView("aten::sum_to_size", sumToSize, false);
    table.addView("prims::inductor_force_stride_order", forceStrides, false);
    table.addView("aten::pin_memory", undecidedIdentity, false);
}

}  // namespace aliascope
