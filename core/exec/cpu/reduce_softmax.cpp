// Softmax, its logarithm and their derivatives, and the sums of exponentials that they rest on. The maximum of a line is subtracted first.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

/// Largest element of a line, NaN if there is one, -inf of an empty line.
template <class C, std::size_t N>
C largestOf(const Lines<N>& lines, std::int64_t offset) {
    C largest = -std::numeric_limits<C>::infinity();
    bool nan = false;
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t) {
        const C block = joinBlock<C, decltype([](C a, C b) { return b > a ? b : a; })>(x, n, largest, [](C v) { return v; });
        largest = block;
        for (std::int64_t i = 0; i < n; ++i) nan |= x[i] != x[i];
    });
    return nan ? std::numeric_limits<C>::quiet_NaN() : largest;
}

template <class A, class C, std::size_t N>
A sumOfExponentials(const Lines<N>& lines, std::int64_t offset, A shift) {
    return sumLine<A, C>(lines, offset, [shift](C x) { return std::exp(A(x) - shift); });
}

/// logsumexp(self, dim): all -inf gives -inf.
void logSumExp(OpCall& call) {
    const Tensor &in = call.tensor(0), &out = call.out();
    const Lines<1> lines(in, reducedDims(call, 1, in.rank()), {&out});
    dispatchFloatSums(call, out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        lines.forEach([&](const auto& at) {
            const auto largest = static_cast<A>(largestOf<C>(lines, at[1]));
            const A shift = std::isinf(largest) ? A(0) : largest;
            const A result = shift + std::log(sumOfExponentials<A, C>(lines, at[1], shift));
            storeBlock(out, at[0], 0, 1, &result);
        });
    });
}

/// prepare_softmax_online(x, dim): the maximum, and the sum of exponentials of the distances from it.
void prepareSoftmax(OpCall& call) {
    const Tensor &in = call.tensor(0), &largest = call.out(0), &sum = call.out(1);
    const Lines<2> lines(in, oneDim(call.dim(1, in.rank()), in.rank()), {&largest, &sum});
    dispatchFloatSums(call, in.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        lines.forEach([&](const auto& at) {
            const C top = largestOf<C>(lines, at[2]);
            const A total = sumOfExponentials<A, C>(lines, at[2], static_cast<A>(top));
            storeBlock(largest, at[0], 0, 1, &top);
            storeBlock(sum, at[1], 0, 1, &total);
        });
    });
}

/// How a tensor's lines along `dim` are walked.
struct Along {
    std::vector<bool> dims;
    std::int64_t stride;
};

Along along(const Tensor& t, std::int64_t dim) { return {oneDim(dim, t.rank()), t.rank() ? t.strides[static_cast<std::size_t>(dim)] : 1}; }

/// out = map(x, largest, sum of exponentials) along `dim`.
template <class Map>
void mapSoftmax(OpCall& call, std::int64_t dim, Map map) {
    const Tensor &in = call.tensor(0), &out = call.out();
    requireSizes("result", out, in.sizes);
    if (out.numel() == 0) return;
    const Lines<1> lines(in, along(in, dim).dims, {&out});
    const std::int64_t stride = along(out, dim).stride;
    dispatchFloatSums(call, info(in.dtype).floating ? in.dtype : out.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        lines.forEach([&](const auto& at) {
            const auto top = static_cast<A>(largestOf<C>(lines, at[1]));
            const A sum = sumOfExponentials<A, C>(lines, at[1], top);
            A results[kBlock];
            lines.template blocks<C>(at[1], [&](const C* x, std::int64_t n, std::int64_t first) {
                map(x, n, top, sum, results);
                storeBlock(out, at[0] + first * stride, stride, n, results);
            });
        });
    });
}

constexpr auto kSoftmax = []<class C, class A>(const C* x, std::int64_t n, A top, A sum, A* out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = std::exp(A(x[i]) - top) / sum;
};
constexpr auto kLogSoftmax = []<class C, class A>(const C* x, std::int64_t n, A top, A sum, A* out) {
    const A logSum = std::log(sum);
    for (std::int64_t i = 0; i < n; ++i) out[i] = A(x[i]) - top - logSum;
};
/// Rows of -inf become 0.
constexpr auto kSafeSoftmax = []<class C, class A>(const C* x, std::int64_t n, A top, A sum, A* out) {
    if (top == -std::numeric_limits<A>::infinity())
        std::fill_n(out, n, A(0));
    else
        kSoftmax(x, n, top, sum, out);
};

void softmax(OpCall& call) { mapSoftmax(call, call.dim(1, call.tensor(0).rank()), kSoftmax); }
void logSoftmax(OpCall& call) { mapSoftmax(call, call.dim(1, call.tensor(0).rank()), kLogSoftmax); }
void safeSoftmax(OpCall& call) { mapSoftmax(call, call.dim(1, call.tensor(0).rank()), kSafeSoftmax); }

/// Derivatives: grad_output, output, dim. `term` is what is summed along the line, `map` makes a result from gradient, output and that sum.
template <class Term, class Map>
void softmaxBackward(OpCall& call, Term term, Map map) {
    const Tensor &grad = call.tensor(0), &output = call.tensor(1), &out = call.out();
    requireSizes("output", output, grad.sizes);
    requireSizes("result", out, grad.sizes);
    if (out.numel() == 0) return;
    const std::int64_t dim = call.dim(2, grad.rank());
    const Lines<2> lines(grad, along(grad, dim).dims, {&out, &output});
    const std::int64_t stride = along(out, dim).stride, outputStride = along(output, dim).stride;
    dispatchFloatSums(call, grad.dtype, [&](auto c, auto a) {
        using C = typename decltype(c)::type;
        using A = typename decltype(a)::type;
        C buffer[kBlock];
        A terms[kBlock], results[kBlock];
        lines.forEach([&](const auto& at) {
            auto outputBlock = [&](std::int64_t first, std::int64_t n) {
                return loadBlock(output, at[1] + first * outputStride, outputStride, n, buffer);
            };
            PairwiseTree<A, Plus> tree;
            lines.template blocks<C>(at[2], [&](const C* g, std::int64_t n, std::int64_t first) {
                const C* y = outputBlock(first, n);
                for (std::int64_t i = 0; i < n; ++i) terms[i] = term(A(g[i]), A(y[i]));
                tree.add(joinBlock<A, Plus>(terms, n, A(0), [](A x) { return x; }));
            });
            const A sum = tree.result(A(0));
            lines.template blocks<C>(at[2], [&](const C* g, std::int64_t n, std::int64_t first) {
                const C* y = outputBlock(first, n);
                for (std::int64_t i = 0; i < n; ++i) results[i] = map(A(g[i]), A(y[i]), sum);
                storeBlock(out, at[0] + first * stride, stride, n, results);
            });
        });
    });
}

void softmaxDerivative(OpCall& call) {
    softmaxBackward(
        call, [](auto g, auto y) { return g * y; }, [](auto g, auto y, auto sum) { return (g - sum) * y; });
}
void logSoftmaxDerivative(OpCall& call) {
    softmaxBackward(
        call, [](auto g, auto) { return g; }, [](auto g, auto y, auto sum) { return g - std::exp(y) * sum; });
}

}  // namespace

void registerSoftmax(KernelTable& t) {
    constexpr auto R = ToleranceClass::Reduction;
    t.add("aten::logsumexp", logSumExp, R);
    t.add("prims::prepare_softmax_online", prepareSoftmax, R);
    for (const char* op : {"aten::_softmax", "aten::softmax.int"}) t.add(op, softmax, R);
    for (const char* op : {"aten::_log_softmax", "aten::log_softmax.int"}) t.add(op, logSoftmax, R);
    t.add("aten::_safe_softmax", safeSoftmax, R);
    t.add("aten::_softmax_backward_data", softmaxDerivative, R);
    t.add("aten::_log_softmax_backward_data", logSoftmaxDerivative, R);
}

}  // namespace aliascope::exec
