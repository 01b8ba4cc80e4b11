// Running sums, products, extremes and logarithms of sums of exponentials along a dimension.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

std::int64_t strideAlong(const Tensor& t, std::int64_t dim) { return t.rank() ? t.strides[static_cast<std::size_t>(dim)] : 1; }

/// out[i] = join(out[i-1], in[i]) along the dimension of argument 1, kept as A between elements.
template <class A, class C, class Join>
void scanAs(const Tensor& out, const Tensor& in, std::int64_t dim, A identity, Join join) {
    requireSizes("result", out, in.sizes);
    const Lines<1> lines(in, oneDim(dim, in.rank()), {&out});
    const std::int64_t stride = strideAlong(out, dim);
    A results[kBlock];
    lines.forEach([&](const auto& at) {
        A running = identity;
        lines.template blocks<C>(at[1], [&](const C* x, std::int64_t n, std::int64_t first) {
            for (std::int64_t i = 0; i < n; ++i) results[i] = running = join(running, static_cast<A>(x[i]));
            storeBlock(out, at[0] + first * stride, stride, n, results);
        });
    });
}

template <class Join>
void scan(OpCall& call, int identity) {
    const Tensor& in = call.tensor(0);
    dispatchSums(call, call.out().dtype, [&](auto c, auto a) {
        using A = typename decltype(a)::type;
        scanAs<A, typename decltype(c)::type>(call.out(), in, call.dim(1, in.rank()), A(identity), Join());
    });
}
void cumsum(OpCall& call) { scan<Plus>(call, 0); }
void cumprod(OpCall& call) { scan<Times>(call, 1); }

void logCumSumExp(OpCall& call) {
    const Tensor& in = call.tensor(0);
    dispatchFloatSums(call, in.dtype, [&](auto c, auto a) {
        using A = typename decltype(a)::type;
        scanAs<A, typename decltype(c)::type>(call.out(), in, call.dim(1, in.rank()), -std::numeric_limits<A>::infinity(), [](A sum, A x) {
            if (std::isnan(sum) || std::isnan(x)) return sum + x;
            const A low = std::min(sum, x), high = std::max(sum, x);
            return low == high && std::isinf(low) ? high : high + std::log1p(std::exp(low - high));
        });
    });
}

/// cummax, cummin: the extreme so far and where it is, the last of equal ones; NaN stays.
template <bool Largest>
void cumulativeExtreme(OpCall& call) {
    const Tensor &in = call.tensor(0), &values = call.out(0), &indices = call.out(1);
    requireSizes("values", values, in.sizes);
    requireSizes("indices", indices, in.sizes);
    const std::int64_t dim = call.dim(1, in.rank()), valueStride = strideAlong(values, dim), indexStride = strideAlong(indices, dim);
    const Lines<2> lines(in, oneDim(dim, in.rank()), {&values, &indices});
    dispatchCompute(in.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        C extremes[kBlock];
        std::int64_t places[kBlock];
        lines.forEach([&](const auto& at) {
            C best{};
            std::int64_t place = -1;
            auto replaces = [&](C x) { return place < 0 || isNaN(x) || (!isNaN(best) && (Largest ? x >= best : x <= best)); };
            lines.template blocks<C>(at[2], [&](const C* x, std::int64_t n, std::int64_t first) {
                for (std::int64_t i = 0; i < n; ++i) {
                    if (replaces(x[i])) {
                        best = x[i];
                        place = first + i;
                    }
                    extremes[i] = best;
                    places[i] = place;
                }
                storeBlock(values, at[0] + first * valueStride, valueStride, n, extremes);
                storeBlock(indices, at[1] + first * indexStride, indexStride, n, places);
            });
        });
    });
}

}  // namespace

void registerScan(KernelTable& t) {
    t.add("aten::cumsum", cumsum, ToleranceClass::Reduction);
    t.add("aten::cumprod", cumprod, ToleranceClass::Reduction);
    t.add("aten::logcumsumexp", logCumSumExp, ToleranceClass::Reduction);
    t.add("aten::cummax", cumulativeExtreme<true>);
    t.add("aten::cummin", cumulativeExtreme<false>);
}

}  // namespace aliascope::exec
