// Convolution, transposed or not, in one to three dimensions, and its gradients (executor.md 2.3, conv_pool), as matrix products over the unfolded
// side. A convolution takes a large side (its input) to a small one; the transposed form and the gradient go the other way.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/matmul_gemm.h"
#include "core/exec/cpu/normalize_statistics.h"
#include "core/exec/cpu/pool_window.h"

namespace aliascope::exec {
namespace {

/// Small position s and kernel position k meet large position s * stride - padding + k * dilation. The weight is
/// [small channels, large channels / groups, kernel].
struct ConvShape {
    std::size_t dims = 0;
    Window window;
    std::int64_t batch = 0, groups = 1, smallChannels = 0, largeChannels = 0;
    Spatial small, large;
    bool transposed = false;

    std::int64_t smallEach() const { return smallChannels / groups; }
    std::int64_t largeEach() const { return largeChannels / groups; }
    std::int64_t unfolded() const { return largeEach() * product(window.kernel); }
    /// The unfolded side is the side itself.
    bool isPointwise() const {
        return product(window.kernel) == 1 && window.stride == Spatial{1, 1, 1} && window.padding == Spatial{0, 0, 0} && small == large;
    }
};

/// Parameters stride, padding, dilation, transposed, output_padding, groups start at `first`; `input` is x, `output` its result or that's gradient.
ConvShape convShape(const OpCall& call, const Tensor& input, const Tensor& weight, const Tensor& output, std::size_t first) {
    ConvShape s;
    if (input.rank() < 3 || input.rank() > 5) failShape("input", shapeText(input.sizes), "3 to 5 dimensions");
    if (weight.rank() != input.rank()) failShape("weight", shapeText(weight.sizes), std::to_string(input.rank()) + " dimensions");
    if (output.rank() != input.rank()) failShape("grad_output", shapeText(output.sizes), std::to_string(input.rank()) + " dimensions");
    s.dims = input.rank() - 2;
    s.window.kernel = spatialSizes(weight.sizes, s.dims);
    s.window.stride = spatialArgument(call.ints(first), s.dims, 1, "stride");
    s.window.padding = spatialArgument(call.ints(first + 1), s.dims, 0, "padding");
    s.window.dilation = spatialArgument(call.ints(first + 2), s.dims, 1, "dilation");
    s.transposed = call.flag(first + 3);
    s.groups = call.integer(first + 5);
    s.batch = input.sizes[0];
    const Tensor &small = s.transposed ? input : output, &large = s.transposed ? output : input;
    s.smallChannels = small.sizes[1];
    s.largeChannels = large.sizes[1];
    s.small = spatialSizes(small.sizes, s.dims);
    s.large = spatialSizes(large.sizes, s.dims);
    for (std::size_t d = 0; d < 3; ++d)
        if (s.window.stride[d] < 1 || s.window.dilation[d] < 1 || s.window.padding[d] < 0)
            failShape("stride", shapeText(call.ints(first)), "strides and dilations of at least 1, no negative padding");
    const bool divides = s.groups >= 1 && s.smallChannels % s.groups == 0 && s.largeChannels % s.groups == 0;
    if (!divides || weight.sizes[0] != s.smallChannels || weight.sizes[1] != s.largeEach() || output.sizes[0] != s.batch)
        failShape("weight", shapeText(weight.sizes),
                  "the channels of input " + shapeText(input.sizes) + " in " + std::to_string(s.groups) + " groups");
    return s;
}

/// Calls `f(unfolded index, large index)` for all kernel positions that meet the large side; the others are padding.
template <class F>
void forEachMeeting(const ConvShape& s, std::int64_t channels, F&& f) {
    const std::int64_t plane = product(s.small);
    std::int64_t row = 0;
    for (std::int64_t c = 0; c < channels; ++c)
        forEachPosition(s.window.kernel, [&](const Spatial& k) {
            std::int64_t at = row++ * plane;
            for (std::int64_t z = 0; z < s.small[0]; ++z) {
                const std::int64_t lz = z * s.window.stride[0] - s.window.padding[0] + k[0] * s.window.dilation[0];
                for (std::int64_t y = 0; y < s.small[1]; ++y, at += s.small[2]) {
                    const std::int64_t ly = y * s.window.stride[1] - s.window.padding[1] + k[1] * s.window.dilation[1];
                    if (lz < 0 || lz >= s.large[0] || ly < 0 || ly >= s.large[1]) continue;
                    const std::int64_t base = ((c * s.large[0] + lz) * s.large[1] + ly) * s.large[2];
                    const std::int64_t shift = k[2] * s.window.dilation[2] - s.window.padding[2];
                    for (std::int64_t x = 0; x < s.small[2]; ++x) {
                        const std::int64_t lx = x * s.window.stride[2] + shift;
                        if (lx >= 0 && lx < s.large[2]) f(at + x, base + lx);
                    }
                }
            }
        });
}

/// One group of one sample: matrices over the small positions.
template <class C>
class ConvGroups {
public:
    ConvGroups(const ConvShape& s, Precision precision) : s_(s), precision_(precision) {
        if (!s.isPointwise()) buffer_.resize(static_cast<std::size_t>(s.unfolded() * product(s.small)));
    }

    /// small += weight x unfold(large)
    void toSmall(const C* weight, const C* large, C* small) {
        gemm<C>(precision_, C(1), weights(weight), unfold(large), C(1), rowMajorMatrix(small, s_.smallEach(), product(s_.small)));
    }
    /// large += fold(weight^T x small)
    void toLarge(const C* weight, const C* small, C* large) {
        const MatrixView<const C> from = rowMajorMatrix(small, s_.smallEach(), product(s_.small));
        if (s_.isPointwise())
            return gemm<C>(precision_, C(1), weights(weight).transposed(), from, C(1), rowMajorMatrix(large, s_.unfolded(), product(s_.small)));
        gemm<C>(precision_, C(1), weights(weight).transposed(), from, C(0), rowMajorMatrix(buffer_.data(), s_.unfolded(), product(s_.small)));
        forEachMeeting(s_, s_.largeEach(), [&](std::int64_t u, std::int64_t l) { large[l] += buffer_[static_cast<std::size_t>(u)]; });
    }
    /// weight gradient += small x unfold(large)^T
    void toWeight(const C* small, const C* large, C* weight) {
        gemm<C>(precision_, C(1), rowMajorMatrix(small, s_.smallEach(), product(s_.small)), unfold(large).transposed(), C(1),
                rowMajorMatrix(weight, s_.smallEach(), s_.unfolded()));
    }

private:
    MatrixView<const C> weights(const C* weight) const { return rowMajorMatrix(weight, s_.smallEach(), s_.unfolded()); }
    MatrixView<const C> unfold(const C* large) {
        if (s_.isPointwise()) return rowMajorMatrix(large, s_.unfolded(), product(s_.small));
        std::fill(buffer_.begin(), buffer_.end(), C(0));
        forEachMeeting(s_, s_.largeEach(), [&](std::int64_t u, std::int64_t l) { buffer_[static_cast<std::size_t>(u)] = large[l]; });
        return rowMajorMatrix<const C>(buffer_.data(), s_.unfolded(), product(s_.small));
    }

    const ConvShape& s_;
    Precision precision_;
    std::vector<C> buffer_;
};

/// Calls `f(small offset, large offset, weight offset)` for every group of every sample.
template <class F>
void forEachGroup(const ConvShape& s, F&& f) {
    const std::int64_t small = s.smallEach() * product(s.small), large = s.largeEach() * product(s.large), weight = s.smallEach() * s.unfolded();
    for (std::int64_t n = 0; n < s.batch; ++n)
        for (std::int64_t g = 0; g < s.groups; ++g) f((n * s.groups + g) * small, (n * s.groups + g) * large, g * weight);
}

/// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups).
void convolution(OpCall& call) {
    const Tensor &input = call.tensor(0), &weight = call.tensor(1), &out = call.out();
    const Tensor* bias = call.optionalTensor(2);
    const ConvShape s = convShape(call, input, weight, out, 3);
    if (bias && bias->numel() != out.sizes[1]) failShape("bias", shapeText(bias->sizes), std::to_string(out.sizes[1]) + " elements");
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(input), w(weight);
        DenseResult<C> y(out, C(0));
        if (bias) {
            const Dense<C> b(*bias);
            const std::int64_t plane = planesOf(out.sizes, s.dims) ? out.numel() / planesOf(out.sizes, s.dims) : 0;
            for (std::int64_t p = 0; p < planesOf(out.sizes, s.dims); ++p) std::fill_n(y.data() + p * plane, plane, b[p % out.sizes[1]]);
        }
        ConvGroups<C> groups(s, call.precision);
        forEachGroup(s, [&](std::int64_t small, std::int64_t large, std::int64_t wAt) {
            if (s.transposed)
                groups.toLarge(w.data() + wAt, x.data() + small, y.data() + large);
            else
                groups.toSmall(w.data() + wAt, x.data() + large, y.data() + small);
        });
        y.store();
    });
}

/// conv1d, conv2d, conv3d (input, weight, bias, stride, padding, dilation, groups).
void convolutionNd(OpCall& call) {
    OpCall inner = call;
    const RuntimeValue groups = call.args.at(6);
    inner.args.resize(6);
    inner.args.insert(inner.args.end(), {RuntimeValue(false), RuntimeValue(RuntimeList{RuntimeValue(std::int64_t{0})}), groups});
    convolution(inner);
}

/// convolution_backward(grad_output, input, weight, bias_sizes, …, output_mask): gradients of input, weight and bias, None where not asked for.
void convolutionBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &input = call.tensor(1), &weight = call.tensor(2);
    const ConvShape s = convShape(call, input, weight, grad, 4);
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> g(grad), x(input), w(weight);
        std::optional<DenseResult<C>> dx, dw;
        if (call.out(0).storage) dx.emplace(call.out(0), C(0));
        if (call.out(1).storage) dw.emplace(call.out(1), C(0));
        ConvGroups<C> groups(s, call.precision);
        forEachGroup(s, [&](std::int64_t small, std::int64_t large, std::int64_t wAt) {
            if (s.transposed) {
                if (dx) groups.toSmall(w.data() + wAt, g.data() + large, dx->data() + small);
                if (dw) groups.toWeight(x.data() + small, g.data() + large, dw->data() + wAt);
            } else {
                if (dx) groups.toLarge(w.data() + wAt, g.data() + small, dx->data() + large);
                if (dw) groups.toWeight(g.data() + small, x.data() + large, dw->data() + wAt);
            }
        });
        if (dx) dx->store();
        if (dw) dw->store();
        if (!call.out(2).storage) return;
        std::vector<double> sums(static_cast<std::size_t>(grad.sizes[1]), 0);
        const std::int64_t planes = planesOf(grad.sizes, s.dims), plane = planes ? grad.numel() / planes : 0;
        for (std::int64_t p = 0; p < planes; ++p)
            for (std::int64_t i = 0; i < plane; ++i) sums[static_cast<std::size_t>(p % grad.sizes[1])] += static_cast<double>(g[p * plane + i]);
        storeSums<C>(call.out(2), sums);
    });
}

}  // namespace

void registerConvolution(KernelTable& table) {
    for (const char* op : {"aten::convolution", "aten::_convolution"}) table.add(op, convolution, ToleranceClass::Matmul);
    for (const char* op : {"aten::conv1d", "aten::conv2d", "aten::conv3d"}) table.add(op, convolutionNd, ToleranceClass::Matmul);
    table.add("aten::convolution_backward", convolutionBackward, ToleranceClass::Matmul);
}

}  // namespace aliascope::exec
