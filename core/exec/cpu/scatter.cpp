// Writes at positions that tensors hold: copies of self in which elements are replaced, added to or reduced (executor.md 2.3, indexing). All of
// them are deterministic: elements are taken in the row-major order of the index, so that of several writes to one place the last stays.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/indexing_positions.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// dim, index and where its elements lie in a tensor with `out`'s strides.
struct ScatterPlaces {
    std::vector<std::int64_t> offsets;  ///< in the row-major order of the index
};

ScatterPlaces placesOf(const Tensor& out, const Tensor& index, std::int64_t dim) {
    ScatterPlaces places;
    if (index.numel() == 0) return places;
    const std::size_t rank = std::max<std::size_t>(1, out.rank());
    if (std::max<std::size_t>(1, index.rank()) != rank) failShape("index", shapeText(index.sizes), std::to_string(out.rank()) + " dimensions");
    const auto d = static_cast<std::size_t>(dim);
    const std::int64_t limit = out.rank() == 0 ? 1 : out.sizes[d], step = out.rank() == 0 ? 0 : out.strides[d];
    Shape strides(index.rank(), 0);
    for (std::size_t k = 0; k < std::min(out.rank(), index.rank()); ++k) {
        if (k == d) continue;
        if (index.sizes[k] > out.sizes[k]) failShape("index", shapeText(index.sizes), "no more than " + shapeText(out.sizes));
        strides[k] = out.strides[k];
    }
    const std::vector<std::int64_t> at = positionsIn(index, limit, false, "index");
    places.offsets.reserve(at.size());
    StridedLoop<1>(index.sizes, {strides}).forEach([&](const auto& k) { places.offsets.push_back(k[0] + at[places.offsets.size()] * step); });
    return places;
}

/// Elements of `source` at the index's positions, row-major.
Tensor sourceAt(const Tensor& source, const Tensor& index) {
    if (source.rank() == index.rank())
        for (std::size_t d = 0; d < index.rank(); ++d)
            if (index.sizes[d] > source.sizes[d]) failShape("src", shapeText(source.sizes), "at least " + shapeText(index.sizes));
    if (source.rank() == index.rank()) return restrided(source, index.sizes, source.strides, source.offset);
    if (index.numel() > 1 || source.numel() < index.numel()) failShape("src", shapeText(source.sizes), "at least " + shapeText(index.sizes));
    return restrided(source, index.sizes, Shape(index.rank(), 0), source.offset);
}

enum class Reduce : std::uint8_t { Replace, Sum, Product, Mean, Largest, Smallest };

Reduce reduceNamed(Name name) {
    if (name == "add" || name == "sum") return Reduce::Sum;
    if (name == "multiply" || name == "prod") return Reduce::Product;
    if (name == "mean") return Reduce::Mean;
    if (name == "amax") return Reduce::Largest;
    if (name == "amin") return Reduce::Smallest;
    failUnsupported("\"" + name.str() + "\" is no reduction");
}

template <class C>
bool isNan(C x) {
    if constexpr (std::is_floating_point_v<C>)
        return std::isnan(x);
    else
        return false;
}

template <class C>
C combine(Reduce how, C a, C b) {
    switch (how) {
        case Reduce::Replace:
            return b;
        case Reduce::Sum:
        case Reduce::Mean:
            return wrappingAdd(a, b);
        case Reduce::Product:
            return wrappingMultiply(a, b);
        case Reduce::Largest:
            return isNan(a) || isNan(b) ? (isNan(a) ? a : b) : std::max(a, b);
        case Reduce::Smallest:
            return isNan(a) || isNan(b) ? (isNan(a) ? a : b) : std::min(a, b);
    }
    return b;
}

template <class C>
C identity(Reduce how) {
    constexpr bool floating = std::is_floating_point_v<C>;
    const C most = floating ? std::numeric_limits<C>::infinity() : std::numeric_limits<C>::max();
    const C least = floating ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
    switch (how) {
        case Reduce::Product:
            return 1;
        case Reduce::Largest:
            return least;
        case Reduce::Smallest:
            return most;
        default:
            return 0;
    }
}

template <class C>
C quotient(C sum, std::int64_t n) {
    if constexpr (std::is_floating_point_v<C>) {
        return sum / static_cast<C>(n);
    } else {
        const C q = sum / n;
        return q - (sum % n != 0 && (sum < 0) != (n < 0));
    }
}

/// Row-major offsets of `out`'s places, in a dense copy of it.
Tensor denseLike(const Tensor& out) { return restrided(out, out.sizes, contiguousStrides(out.sizes), 0); }

/// Copies self, then writes `source[i]` to `places[i]` for all i; sums are kept in the wide type and rounded once.
void reduceInto(OpCall& call, const ScatterPlaces& places, const Tensor& source, Reduce how, bool includeSelf, double alpha = 1) {
    const Tensor& out = call.out();
    copyElements(out, call.tensor(0));
    if (places.offsets.empty()) return;
    dispatchSums(call, out.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        DenseResult<C> to(out);
        if (!isDense<C>(out)) Dense<C>::load(out, to.data());
        const Dense<C> from(source);
        if (!includeSelf)
            for (std::int64_t at : places.offsets) to[at] = identity<C>(how);
        std::vector<std::int64_t> count;
        if (how == Reduce::Mean) count.assign(static_cast<std::size_t>(out.numel()), includeSelf ? 1 : 0);
        for (std::size_t i = 0; i < places.offsets.size(); ++i) {
            const std::int64_t at = places.offsets[i];
            const C value = from[static_cast<std::int64_t>(i)];
            to[at] = combine<C>(how, to[at], alpha == 1 ? value : wrappingMultiply(static_cast<C>(alpha), value));
            if (!count.empty()) ++count[static_cast<std::size_t>(at)];
        }
        for (std::size_t i = 0; i < count.size(); ++i)
            if (count[i] > 1) to[static_cast<std::int64_t>(i)] = quotient(to[static_cast<std::int64_t>(i)], count[i]);
        to.store();
    });
}

void scatterSource(OpCall& call) {
    const Tensor& out = call.out();
    const Tensor& index = call.tensor(2);
    const ScatterPlaces places = placesOf(out, index, call.dim(1, out.rank()));
    copyElements(out, call.tensor(0));
    if (places.offsets.empty()) return;
    const Tensor source = sourceAt(call.tensor(3), index);
    if (source.dtype != out.dtype) failUnsupported("self and src have different types");
    noteDuplicates(call, places.offsets);
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        std::size_t i = 0;
        StridedLoop<1>(source.sizes, {source.strides}).forEach([&](const auto& k) { out.as<U>()[places.offsets[i++]] = source.as<U>()[k[0]]; });
    });
}

void scatterValue(OpCall& call) {
    const Tensor& out = call.out();
    const ScatterPlaces places = placesOf(out, call.tensor(2), call.dim(1, out.rank()));
    copyElements(out, call.tensor(0));
    if (places.offsets.empty()) return;
    fillScalar(restrided(out, {}, {}, out.offset + places.offsets[0]), call.args.at(3));
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U value = out.as<U>()[places.offsets[0]];
        for (std::int64_t at : places.offsets) out.as<U>()[at] = value;
    });
}

void scatterReduced(OpCall& call, Reduce how, bool includeSelf) {
    const Tensor& out = call.out();
    const Tensor& index = call.tensor(2);
    const ScatterPlaces places = placesOf(denseLike(out), index, call.dim(1, out.rank()));
    const Tensor source = index.numel() ? sourceAt(call.tensor(3), index) : call.tensor(3);
    if (source.dtype != out.dtype) failUnsupported("self and src have different types");
    reduceInto(call, places, source, how, includeSelf);
}

void scatterAdd(OpCall& call) { scatterReduced(call, Reduce::Sum, true); }
void scatterReduce(OpCall& call) { scatterReduced(call, reduceNamed(call.arg("reduce").text()), true); }
void scatterReduceTwo(OpCall& call) {
    scatterReduced(call, reduceNamed(call.arg("reduce").text()), call.arg("include_self").boolean().value_or(true));
}

void scatterValueReduce(OpCall& call) {
    const Tensor& out = call.out();
    const Reduce how = reduceNamed(call.arg("reduce").text());
    const ScatterPlaces places = placesOf(denseLike(out), call.tensor(2), call.dim(1, out.rank()));
    copyElements(out, call.tensor(0));
    dispatchSums(call, out.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        DenseResult<C> to(out);
        if (!isDense<C>(out)) Dense<C>::load(out, to.data());
        const C value = static_cast<C>(call.number(3));
        for (std::int64_t at : places.offsets) to[at] = combine<C>(how, to[at], value);
        to.store();
    });
}

/// Position `index[i]` of `dim` for all the other dimensions: the places that slice i of `source` goes to, row-major in `source`.
ScatterPlaces slicePlaces(const Tensor& out, const Tensor& source, const Tensor& index, std::size_t d, std::string_view argument) {
    if (index.rank() > 1) failShape("index", shapeText(index.sizes), "1 dimension");
    const std::vector<std::int64_t> at = positionsIn(index, out.rank() ? out.sizes[d] : 1, false, "index");
    Shape want = out.sizes;
    if (out.rank()) want[d] = static_cast<std::int64_t>(at.size());
    if (source.sizes != want && !(out.rank() <= 1 && source.numel() == static_cast<std::int64_t>(at.size())))
        failShape(argument, shapeText(source.sizes), shapeText(want));
    ScatterPlaces places;
    if (out.rank() == 0) {
        places.offsets.assign(at.size(), 0);
        return places;
    }
    Shape strides = out.strides, counter(out.rank(), 0);
    strides[d] = 0;
    counter[d] = 1;
    StridedLoop<2>(want, {strides, counter}).forEach([&](const auto& k) {
        places.offsets.push_back(k[0] + at[static_cast<std::size_t>(k[1])] * out.strides[d]);
    });
    return places;
}

void indexAdd(OpCall& call) {
    const Tensor& out = call.out();
    const auto d = static_cast<std::size_t>(call.dim(1, out.rank()));
    reduceInto(call, slicePlaces(denseLike(out), call.tensor(3), call.tensor(2), d, "source"), call.tensor(3), Reduce::Sum, true,
               call.arg("alpha").number().value_or(1));
}

void indexReduce(OpCall& call) {
    const Tensor& out = call.out();
    const auto d = static_cast<std::size_t>(call.dim(1, out.rank()));
    reduceInto(call, slicePlaces(denseLike(out), call.tensor(3), call.tensor(2), d, "source"), call.tensor(3), reduceNamed(call.arg("reduce").text()),
               call.arg("include_self").boolean().value_or(true));
}

void indexCopy(OpCall& call) {
    const Tensor &out = call.out(), &source = call.tensor(3);
    const auto d = static_cast<std::size_t>(call.dim(1, out.rank()));
    if (source.dtype != out.dtype) failUnsupported("self and source have different types");
    const ScatterPlaces places = slicePlaces(out, source, call.tensor(2), d, "source");
    noteDuplicates(call, places.offsets);
    copyElements(out, call.tensor(0));
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        std::size_t i = 0;
        StridedLoop<1>(source.sizes, {source.strides}).forEach([&](const auto& k) { out.as<U>()[places.offsets[i++]] = source.as<U>()[k[0]]; });
    });
}

/// index_fill(self, dim, index, value): a number, or a tensor without dimensions.
void indexFill(OpCall& call) {
    const Tensor &out = call.out(), &index = call.tensor(2);
    const auto d = static_cast<std::size_t>(call.dim(1, out.rank()));
    const std::vector<std::int64_t> at = positionsIn(index, out.rank() ? out.sizes[d] : 1, true, "index");
    copyElements(out, call.tensor(0));
    for (std::int64_t i : at) {
        const Tensor place = out.rank() ? selected(out, d, i) : out;
        if (const Tensor* value = call.args.at(3).tensor())
            copyElements(place, *value);
        else
            fillScalar(place, call.args.at(3));
    }
}

/// put(self, index, source, accumulate): positions in self's row-major order; negative ones wrap.
void put(OpCall& call) {
    const Tensor &out = call.out(), &index = call.tensor(1), &source = call.tensor(2);
    if (index.numel() != source.numel()) failShape("source", shapeText(source.sizes), std::to_string(index.numel()) + " elements");
    ScatterPlaces places{positionsIn(index, out.numel(), true, "index")};
    if (!call.flag(3)) noteDuplicates(call, places.offsets);
    reduceInto(call, places, source, call.flag(3) ? Reduce::Sum : Reduce::Replace, true);
}

}  // namespace

void registerScatter(KernelTable& table) {
    table.add("aten::scatter.src", scatterSource);
    table.add("aten::scatter.value", scatterValue);
    table.add("aten::scatter_add", scatterAdd, ToleranceClass::Reduction);
    table.add("aten::scatter.reduce", scatterReduce, ToleranceClass::Reduction);
    table.add("aten::scatter.value_reduce", scatterValueReduce, ToleranceClass::Reduction);
    table.add("aten::scatter_reduce.two", scatterReduceTwo, ToleranceClass::Reduction);
    table.add("aten::index_add", indexAdd, ToleranceClass::Reduction);
    table.add("aten::index_reduce", indexReduce, ToleranceClass::Reduction);
    table.add("aten::index_copy", indexCopy);
    for (const char* op : {"aten::index_fill.int_Scalar", "aten::index_fill.int_Tensor"}) table.add(op, indexFill);
    table.add("aten::put", put);
}

}  // namespace aliascope::exec
