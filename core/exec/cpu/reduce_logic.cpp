// Reductions to truth values and counts.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

/// Number of elements of a line that are not 0 (NaN is not).
template <class C, std::size_t N>
std::int64_t nonZeros(const Lines<N>& lines, std::int64_t offset) {
    std::int64_t count = 0;
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t) {
        for (std::int64_t i = 0; i < n; ++i) count += x[i] != 0;
    });
    return count;
}

/// out = result(count of non-zeros, length) for every line.
template <class F>
void reduceCounts(OpCall& call, const std::vector<bool>& dims, F result) {
    const Tensor &in = call.tensor(0), &out = call.out();
    const Lines<1> lines(in, dims, {&out});
    dispatchCompute(in.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        lines.forEach([&](const auto& at) { writeInteger(out, at[0], result(nonZeros<C>(lines, at[1]), lines.length())); });
    });
}

constexpr auto kAny = [](std::int64_t count, std::int64_t) { return static_cast<std::int64_t>(count > 0); };
constexpr auto kAll = [](std::int64_t count, std::int64_t length) { return static_cast<std::int64_t>(count == length); };
constexpr auto kCount = [](std::int64_t count, std::int64_t) { return count; };

void anyAll(OpCall& call) { reduceCounts(call, allDims(call.tensor(0).rank()), kAny); }
void anySome(OpCall& call) { reduceCounts(call, reducedDims(call, 1, call.tensor(0).rank(), false), kAny); }
void allAll(OpCall& call) { reduceCounts(call, allDims(call.tensor(0).rank()), kAll); }
void allSome(OpCall& call) { reduceCounts(call, reducedDims(call, 1, call.tensor(0).rank(), false), kAll); }
void countSome(OpCall& call) { reduceCounts(call, reducedDims(call, 1, call.tensor(0).rank()), kCount); }

// --- whole tensors -----------------------------------------------------------------------------------------------------------------------------

/// equal, allclose give a Python bool: a 0-d tensor here.
std::vector<TensorType> oneBool(const OpCall& call) {
    TensorType t;
    t.dtype = DType::B8;
    t.device = call.tensor(0).device;
    t.strides.emplace();
    return {t};
}

template <class F>
bool everyPair(const Tensor& a, const Tensor& b, const Shape& shape, F f) {
    bool all = true;
    StridedLoop<2>(shape, {&a, &b}).forEach([&](const auto& at) { all = all && f(at); });
    return all;
}

/// equal(self, other): same sizes, and elements that compare equal (NaN never).
void equal(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    const bool floating = info(a.dtype).floating || info(b.dtype).floating;
    const bool same = a.sizes == b.sizes && everyPair(a, b, a.sizes, [&](const auto& at) {
                          return floating ? readDouble(a, at[0]) == readDouble(b, at[1]) : readInteger(a, at[0]) == readInteger(b, at[1]);
                      });
    writeInteger(call.out(), 0, same);
}

void allClose(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    const double rtol = call.number(2), atol = call.number(3);
    const bool equalNan = call.flag(4);
    const bool close = everyPair(a, b, broadcastShapes(a.sizes, b.sizes), [&](const auto& at) {
        const double x = readDouble(a, at[0]), y = readDouble(b, at[1]);
        if (std::isnan(x) || std::isnan(y)) return equalNan && std::isnan(x) && std::isnan(y);
        return x == y || (std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= atol + rtol * std::fabs(y));
    });
    writeInteger(call.out(), 0, close);
}

}  // namespace

void registerReduceLogic(KernelTable& t) {
    t.add("aten::any", anyAll);
    t.add("aten::all", allAll);
    for (const char* op : {"aten::any.dim", "aten::any.dims"}) t.add(op, anySome);
    for (const char* op : {"aten::all.dim", "aten::all.dims"}) t.add(op, allSome);
    for (const char* op : {"aten::count_nonzero", "aten::count_nonzero.dim_IntList"}) t.add(op, countSome);
    t.add("aten::equal", equal).resultTypes = oneBool;
    t.add("aten::allclose", allClose).resultTypes = oneBool;
}

}  // namespace aliascope::exec
