// Largest, smallest, middle and most frequent elements. NaN is larger than everything and wins where PyTorch propagates it.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

/// Order of sorting: NaN last.
template <class C>
bool before(C a, C b) {
    return a < b || (isNaN(b) && !isNaN(a));
}

template <class C>
struct Extreme {
    C value{};
    std::int64_t index = -1;  ///< -1: none yet
};

/// The first largest (or smallest) element of a line; the first NaN if there is one.
template <bool Largest, class C, std::size_t N>
Extreme<C> extremeOf(const Lines<N>& lines, std::int64_t offset) {
    Extreme<C> best;
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t first) {
        if (best.index >= 0 && isNaN(best.value)) return;
        for (std::int64_t i = 0; i < n; ++i) {
            if (best.index >= 0 && !(Largest ? x[i] > best.value : x[i] < best.value) && !isNaN(x[i])) continue;
            best = {x[i], first + i};
            if (isNaN(x[i])) return;
        }
    });
    return best;
}

void refuseEmpty(std::int64_t length, const Tensor& out) {
    if (length == 0 && out.numel() > 0) failUnsupported("a reduction without identity over a dimension of size 0");
}

/// Calls `f(offsets, extreme)` for every line.
template <bool Largest, std::size_t N, class F>
void forEachExtreme(const Tensor& in, const std::vector<bool>& dims, const std::array<const Tensor*, N>& outs, F f) {
    const Lines<N> lines(in, dims, outs);
    refuseEmpty(lines.length(), *outs[0]);
    dispatchCompute(in.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        lines.forEach([&](const auto& at) { f(at, extremeOf<Largest, C>(lines, at[N])); });
    });
}

template <bool Largest>
void extremeInto(const Tensor& out, const Tensor& in, const std::vector<bool>& dims) {
    forEachExtreme<Largest, 1>(in, dims, {&out}, [&](const auto& at, const auto& best) { storeBlock(out, at[0], 0, 1, &best.value); });
}
template <bool Largest>
void extremeAll(OpCall& call) {
    extremeInto<Largest>(call.out(), call.tensor(0), allDims(call.tensor(0).rank()));
}
template <bool Largest>
void extremeSome(OpCall& call) {
    extremeInto<Largest>(call.out(), call.tensor(0), reducedDims(call, 1, call.tensor(0).rank()));
}

void aminmax(OpCall& call) {
    const auto dims = reducedDims(call, 1, call.tensor(0).rank());
    extremeInto<false>(call.out(0), call.tensor(0), dims);
    extremeInto<true>(call.out(1), call.tensor(0), dims);
}

/// argmax(self, dim): None is the index in the flattened tensor.
template <bool Largest>
void argExtreme(OpCall& call) {
    const Tensor &in = call.tensor(0), &out = call.out();
    forEachExtreme<Largest, 1>(in, reducedDims(call, 1, in.rank()), {&out},
                               [&](const auto& at, const auto& best) { writeInteger(out, at[0], best.index); });
}

/// max.dim(self, dim): values and indices.
template <bool Largest>
void extremeWithIndex(OpCall& call) {
    const Tensor &in = call.tensor(0), &values = call.out(0), &indices = call.out(1);
    forEachExtreme<Largest, 2>(in, oneDim(call.dim(1, in.rank()), in.rank()), {&values, &indices}, [&](const auto& at, const auto& best) {
        storeBlock(values, at[0], 0, 1, &best.value);
        writeInteger(indices, at[1], best.index);
    });
}

// --- chosen by rank ----------------------------------------------------------------------------------------------------------------------------

template <class C>
struct Ranked {
    C value;
    std::int64_t index;
};

/// A line with indices, in sorted order; equal ones by index.
template <class C, std::size_t N>
void sortedLine(const Lines<N>& lines, std::int64_t offset, std::vector<Ranked<C>>& out) {
    out.clear();
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t first) {
        for (std::int64_t i = 0; i < n; ++i) out.push_back({x[i], first + i});
    });
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return before(a.value, b.value); });
}

/// Calls `pick(sorted line)` for every line; the picked element goes to `values`, its index to `indices` (may be null).
template <class Pick>
void pickByRank(const Tensor& in, const std::vector<bool>& dims, const Tensor& values, const Tensor* indices, Pick pick) {
    const Lines<2> lines(in, dims, {&values, indices ? indices : &values});
    dispatchCompute(in.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        std::vector<Ranked<C>> sorted;
        lines.forEach([&](const auto& at) {
            sortedLine(lines, at[2], sorted);
            const Ranked<C> picked = pick(sorted);
            storeBlock(values, at[0], 0, 1, &picked.value);
            if (indices) writeInteger(*indices, at[1], picked.index);
        });
    });
}

/// Lower middle; NaN if there is one. nanmedian looks at the others only.
template <bool IgnoreNaN>
constexpr auto kMedian = []<class C>(const std::vector<Ranked<C>>& sorted) -> Ranked<C> {
    if (sorted.empty()) return {std::is_integral_v<C> ? std::numeric_limits<C>::min() : std::numeric_limits<C>::quiet_NaN(), 0};
    std::size_t n = sorted.size();
    while (n > 0 && isNaN(sorted[n - 1].value)) --n;
    if (n == 0 || (!IgnoreNaN && n < sorted.size())) return sorted[n];
    return sorted[(n - 1) / 2];
};

template <bool IgnoreNaN>
void medianAll(OpCall& call) {
    const Tensor& in = call.tensor(0);
    pickByRank(in, allDims(in.rank()), call.out(), nullptr, kMedian<IgnoreNaN>);
}

template <bool IgnoreNaN>
void medianDim(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const auto dims = oneDim(call.dim(1, in.rank()), in.rank());
    refuseEmpty(Lines<1>(in, dims, {&call.out(0)}).length(), call.out(0));
    pickByRank(in, dims, call.out(0), &call.out(1), kMedian<IgnoreNaN>);
}

/// The most frequent element, the smallest of several; its last index.
void mode(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const auto dims = oneDim(call.dim(1, in.rank()), in.rank());
    refuseEmpty(Lines<1>(in, dims, {&call.out(0)}).length(), call.out(0));
    pickByRank(in, dims, call.out(0), &call.out(1), []<class C>(const std::vector<Ranked<C>>& sorted) {
        std::size_t best = 0, longest = 0;
        for (std::size_t start = 0, i = 0; i < sorted.size(); ++i) {
            if (sorted[i].value != sorted[start].value) start = i;
            if (i - start + 1 > longest) {
                longest = i - start + 1;
                best = i;
            }
        }
        return sorted[best];
    });
}

/// kthvalue(self, k, dim): the k-th smallest, from 1.
void kthValue(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const auto dims = oneDim(call.dim(2, in.rank()), in.rank());
    const std::int64_t k = call.integer(1), length = Lines<1>(in, dims, {&call.out(0)}).length();
    if (k < 1 || k > length)
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(k)}, {"pos", "0"}, {"arg", "k"}, {"limit", std::to_string(length)}});
    pickByRank(in, dims, call.out(0), &call.out(1), [k](const auto& sorted) { return sorted[static_cast<std::size_t>(k - 1)]; });
}

}  // namespace

void registerReduceOrder(KernelTable& t) {
    t.add("aten::max", extremeAll<true>);
    t.add("aten::min", extremeAll<false>);
    for (const char* op : {"aten::amax", "prims::amax"}) t.add(op, extremeSome<true>);
    for (const char* op : {"aten::amin", "prims::amin"}) t.add(op, extremeSome<false>);
    t.add("aten::aminmax", aminmax);
    t.add("aten::argmax", argExtreme<true>);
    t.add("aten::argmin", argExtreme<false>);
    t.add("aten::max.dim", extremeWithIndex<true>);
    t.add("aten::min.dim", extremeWithIndex<false>);
    t.add("aten::median", medianAll<false>);
    t.add("aten::nanmedian", medianAll<true>);
    t.add("aten::median.dim", medianDim<false>);
    t.add("aten::nanmedian.dim", medianDim<true>);
    t.add("aten::mode", mode);
    t.add("aten::kthvalue", kthValue);
}

}  // namespace aliascope::exec
