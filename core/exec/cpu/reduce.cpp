// Sums, products, means, variances, norms, and what counts.

#include "core/exec/cpu/reduce.h"

#include "core/exec/cpu/families.h"

namespace aliascope::exec {

std::vector<bool> allDims(std::size_t rank) { return std::vector<bool>(rank, true); }

std::vector<bool> oneDim(std::int64_t dim, std::size_t rank) {
    std::vector<bool> dims(rank, false);
    if (rank > 0) dims[static_cast<std::size_t>(dim)] = true;
    return dims;
}

std::vector<bool> reducedDims(const OpCall& call, std::size_t i, std::size_t rank, bool emptyMeansAll) {
    if (i >= call.args.size() || call.args[i].isNone()) return allDims(rank);
    const Shape named = call.ints(i);
    if (named.empty() && emptyMeansAll) return allDims(rank);
    std::vector<bool> dims(rank, false);
    const auto limit = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
    for (std::int64_t d : named) {
        if (d < -limit || d >= limit) failShape("dim", std::to_string(d), "a dimension of " + std::to_string(rank));
        if (rank > 0) dims[static_cast<std::size_t>(d < 0 ? d + limit : d)] = true;
    }
    return dims;
}

namespace {

/// One result per line: out = value(lines, offset).
template <class F>
void reduceTo(const Tensor& out, const Tensor& in, const std::vector<bool>& dims, F value) {
    const Lines<1> lines(in, dims, {&out});
    lines.forEach([&](const auto& at) {
        const auto result = value(lines, at[1]);
        storeBlock(out, at[0], 0, 1, &result);
    });
}

/// `self` as the type that `dtype=` asks for, where that changes its values (executor.md 2.3: converts the input first).
bool narrowsFloats(DType from, DType to) { return info(from).floating && info(to).floating && itemSize(to) < itemSize(from); }

template <class C>
C rounded(C x, DType to) {
    if (to == DType::BF16) return convertElement<C>(convertElement<BFloat16>(x));
    if (to == DType::F16) return convertElement<C>(convertElement<Half>(x));
    return x;
}

void sumDims(OpCall& call, const std::vector<bool>& dims) {
    const Tensor &in = call.tensor(0), &out = call.out();
    dispatchSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        if (narrowsFloats(in.dtype, out.dtype))
            reduceTo(out, in, dims,
                     [&](const auto& l, std::int64_t at) { return sumLine<A, C>(l, at, [&](C x) { return A(rounded(x, out.dtype)); }); });
        else
            reduceTo(out, in, dims, [](const auto& l, std::int64_t at) { return sumLine<A, C>(l, at, [](C x) { return A(x); }); });
    });
}
void sumAll(OpCall& call) { sumDims(call, allDims(call.tensor(0).rank())); }
void sumSome(OpCall& call) { sumDims(call, reducedDims(call, 1, call.tensor(0).rank())); }

void nansum(OpCall& call) {
    const Tensor &in = call.tensor(0), &out = call.out();
    dispatchSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        reduceTo(out, in, reducedDims(call, 1, in.rank()), [](const auto& l, std::int64_t at) {
            return sumLine<A, C>(l, at, [](C x) {
                if constexpr (std::is_floating_point_v<C>)
                    if (std::isnan(x)) return A(0);
                return A(x);
            });
        });
    });
}

void meanDims(OpCall& call, const std::vector<bool>& dims) {
    const Tensor &in = call.tensor(0), &out = call.out();
    dispatchFloatSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        reduceTo(out, in, dims,
                 [&](const auto& l, std::int64_t at) { return sumLine<A, C>(l, at, [&](C x) { return A(x); }) / static_cast<A>(l.length()); });
    });
}
void meanAll(OpCall& call) { meanDims(call, allDims(call.tensor(0).rank())); }
void meanSome(OpCall& call) { meanDims(call, reducedDims(call, 1, call.tensor(0).rank())); }

void productDims(OpCall& call, const std::vector<bool>& dims) {
    dispatchSums(call, call.out().dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        reduceTo(call.out(), call.tensor(0), dims, [](const auto& l, std::int64_t at) {
            PairwiseTree<A, Times> tree;
            l.template blocks<C>(
                at, [&](const C* x, std::int64_t n, std::int64_t) { tree.add(joinBlock<A, Times>(x, n, A(1), [](C v) { return A(v); })); });
            return tree.result(A(1));
        });
    });
}
void productAll(OpCall& call) { productDims(call, allDims(call.tensor(0).rank())); }
void productSome(OpCall& call) { productDims(call, reducedDims(call, 1, call.tensor(0).rank())); }

// --- variance --------------------------------------------------------------------------------------------------------------------------------

/// Results of a variance: which of them the operator gives.
enum class Spread : std::uint8_t { Variance, Deviation };

/// Two passes: the mean, then the squares of the distances from it. `mean` may be null.
void spread(OpCall& call, Spread kind, const std::vector<bool>& dims, double correction, bool withMean) {
    const Tensor &in = call.tensor(0), &out = call.out(0), &mean = withMean ? call.out(1) : out;
    dispatchFloatSums(call, in.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        const Lines<2> lines(in, dims, {&out, &mean});
        const auto n = static_cast<A>(lines.length());
        const A divisor = std::max(A(0), n - static_cast<A>(correction));
        lines.forEach([&](const auto& at) {
            const A center = sumLine<A, C>(lines, at[2], [](C x) { return A(x); }) / n;
            const A squares = sumLine<A, C>(lines, at[2], [center](C x) { return (A(x) - center) * (A(x) - center); });
            const A variance = squares / divisor;
            if (withMean) storeBlock(mean, at[1], 0, 1, &center);
            const A result = kind == Spread::Deviation ? std::sqrt(variance) : variance;
            storeBlock(out, at[0], 0, 1, &result);
        });
    });
}

/// var.correction(self, dim, correction=None -> 1).
template <Spread Kind, bool WithMean>
void spreadCorrection(OpCall& call) {
    const RuntimeValue& correction = call.arg("correction");
    spread(call, Kind, reducedDims(call, 1, call.tensor(0).rank()), correction.number().value_or(1), WithMean);
}
template <Spread Kind, bool WithMean>
void spreadAll(OpCall& call) {
    spread(call, Kind, allDims(call.tensor(0).rank()), call.flag(1) ? 1 : 0, WithMean);
}
template <Spread Kind, bool WithMean>
void spreadDims(OpCall& call) {
    spread(call, Kind, reducedDims(call, 1, call.tensor(0).rank()), call.flag(2) ? 1 : 0, WithMean);
}

// --- norms -------------------------------------------------------------------------------------------------------------------------------

/// The p-norm of a line of map(x): the largest for infinity, the count of non-zeros for 0.
template <class A, class C, std::size_t N, class Map>
A normOfLine(const Lines<N>& lines, std::int64_t offset, double p, Map map) {
    if (std::isinf(p)) {
        A extreme = p > 0 ? A(0) : std::numeric_limits<A>::infinity();
        lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t) {
            for (std::int64_t i = 0; i < n; ++i) {
                const A v = std::fabs(map(x[i]));
                if (v != v || (p > 0 ? v > extreme : v < extreme)) extreme = v;
                if (v != v) break;
            }
        });
        return extreme;
    }
    if (p == 0) return sumLine<A, C>(lines, offset, [&](C x) { return A(map(x) != 0); });
    if (p == 1) return sumLine<A, C>(lines, offset, [&](C x) { return std::fabs(map(x)); });
    if (p == 2) return std::sqrt(sumLine<A, C>(lines, offset, [&](C x) { return map(x) * map(x); }));
    const auto power = static_cast<A>(p);
    return std::pow(sumLine<A, C>(lines, offset, [&](C x) { return std::pow(std::fabs(map(x)), power); }), 1 / power);
}

void normDims(OpCall& call, double p, const std::vector<bool>& dims) {
    const Tensor &in = call.tensor(0), &out = call.out();
    dispatchFloatSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        reduceTo(out, in, dims, [p](const auto& l, std::int64_t at) { return normOfLine<A, C>(l, at, p, [](C x) { return A(x); }); });
    });
}
double orderOf(const OpCall& call) { return call.args.at(1).number().value_or(2); }
void normAll(OpCall& call) { normDims(call, orderOf(call), allDims(call.tensor(0).rank())); }
void normSome(OpCall& call) { normDims(call, orderOf(call), reducedDims(call, 2, call.tensor(0).rank())); }

/// dist(self, other, p): the norm of the difference, which is made in the workspace.
void dist(OpCall& call) {
    const Tensor &self = call.tensor(0), &other = call.tensor(1), &out = call.out();
    const double p = call.number(2);
    dispatchFloatSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        Tensor difference = call.workspace;
        difference.dtype = std::is_same_v<C, float> ? DType::F32 : DType::F64;
        difference.sizes = broadcastShapes(self.sizes, other.sizes);
        difference.strides = contiguousStrides(difference.sizes);
        C* next = difference.as<C>();
        StridedLoop<2>(difference.sizes, {&self, &other}, LoopOrder::Logical).forEach([&](const auto& at) {
            *next++ = static_cast<C>(readDouble(self, at[0]) - readDouble(other, at[1]));
        });
        const A result = normOfLine<A, C>(Lines<1>(difference, allDims(difference.rank()), {&out}), 0, p, [](C x) { return A(x); });
        storeBlock(out, 0, 0, 1, &result);
    });
}

std::int64_t distWorkspace(const OpCall& call) { return byteCount(broadcastShapes(call.tensor(0).sizes, call.tensor(1).sizes), sizeof(double)); }

}  // namespace

void registerReduce(KernelTable& t) {
    constexpr auto R = ToleranceClass::Reduction;
    t.add("aten::sum", sumAll, R);
    for (const char* op : {"aten::sum.dim_IntList", "prims::sum"}) t.add(op, sumSome, R);
    t.add("aten::nansum", nansum, R);
    t.add("aten::mean", meanAll, R);
    t.add("aten::mean.dim", meanSome, R);
    t.add("aten::prod", productAll, R);
    for (const char* op : {"aten::prod.dim_int", "prims::prod"}) t.add(op, productSome, R);

    t.add("aten::var.correction", spreadCorrection<Spread::Variance, false>, R);
    t.add("aten::std.correction", spreadCorrection<Spread::Deviation, false>, R);
    t.add("aten::var_mean.correction", spreadCorrection<Spread::Variance, true>, R);
    t.add("aten::std_mean.correction", spreadCorrection<Spread::Deviation, true>, R);
    t.add("prims::var", spreadCorrection<Spread::Variance, false>, R);
    t.add("aten::var", spreadAll<Spread::Variance, false>, R);
    t.add("aten::std", spreadAll<Spread::Deviation, false>, R);
    t.add("aten::var_mean", spreadAll<Spread::Variance, true>, R);
    t.add("aten::std_mean", spreadAll<Spread::Deviation, true>, R);
    t.add("aten::var.dim", spreadDims<Spread::Variance, false>, R);
    t.add("aten::std.dim", spreadDims<Spread::Deviation, false>, R);
    t.add("aten::var_mean.dim", spreadDims<Spread::Variance, true>, R);
    t.add("aten::std_mean.dim", spreadDims<Spread::Deviation, true>, R);

    for (const char* op : {"aten::norm.Scalar", "aten::norm.ScalarOpt_dtype"}) t.add(op, normAll, R);
    for (const char* op : {"aten::norm.ScalarOpt_dim", "aten::norm.ScalarOpt_dim_dtype", "aten::linalg_vector_norm"}) t.add(op, normSome, R);
    t.add("aten::dist", dist, R).workspace = distWorkspace;
}

}  // namespace aliascope::exec
