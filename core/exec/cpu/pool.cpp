// Max and average pools over fixed windows, and their gradients (executor.md 2.3, conv_pool).

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/normalize_statistics.h"
#include "core/exec/cpu/pool_window.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

void checkRank(const Tensor& t, std::size_t dims) {
    if (t.rank() != dims + 1 && t.rank() != dims + 2)
        failShape("self", shapeText(t.sizes), std::to_string(dims + 1) + " or " + std::to_string(dims + 2) + " dimensions");
}

/// A gradient has as many planes as what was pooled.
void checkPlanes(const Tensor& grad, const Tensor& self, std::size_t dims) {
    const auto planes = [&](const Tensor& t) { return Shape(t.sizes.begin(), t.sizes.end() - static_cast<std::ptrdiff_t>(dims)); };
    if (grad.rank() != self.rank() || planes(grad) != planes(self)) failShape("grad_output", shapeText(grad.sizes), "the planes of " + shapeText(self.sizes));
}

/// Where the first maximum of a window lies: number in the plane and in the window. NaN wins over everything, the first one.
struct Maximum {
    std::int64_t plane = 0, window = 0;
};

template <class C>
Maximum maximumAt(const C* plane, const Spatial& size, const Window& w, const Spatial& out) {
    Maximum best;
    bool found = false;
    C largest{};
    for (std::int64_t i = 0; i < w.kernel[0]; ++i) {
        const std::int64_t z = out[0] * w.stride[0] - w.padding[0] + i * w.dilation[0];
        if (z < 0 || z >= size[0]) continue;
        for (std::int64_t j = 0; j < w.kernel[1]; ++j) {
            const std::int64_t y = out[1] * w.stride[1] - w.padding[1] + j * w.dilation[1];
            if (y < 0 || y >= size[1]) continue;
            for (std::int64_t k = 0; k < w.kernel[2]; ++k) {
                const std::int64_t x = out[2] * w.stride[2] - w.padding[2] + k * w.dilation[2];
                if (x < 0 || x >= size[2]) continue;
                const std::int64_t at = (z * size[1] + y) * size[2] + x;
                const C value = plane[at];
                if (found && !(value > largest) && !(value != value && largest == largest)) continue;
                found = true;
                largest = value;
                best = {at, (i * w.kernel[1] + j) * w.kernel[2] + k};
            }
        }
    }
    return best;
}

enum class Indices : std::uint8_t { InPlane, InWindow };

template <std::size_t Dims, Indices Kind>
void maxPool(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    checkRank(self, Dims);
    const Window w = Window::of(call, Dims, 1, 2, 3, 4);
    const Spatial in = spatialSizes(self.sizes, Dims), to = spatialSizes(out.sizes, Dims);
    if (product(in) == 0 && out.numel() > 0) failShape("self", shapeText(self.sizes), "1 or more in every pooled dimension");
    dispatchCompute(self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> values(out);
        OptionalResult<std::int64_t> indices(call.outputs.size() > 1 ? call.out(1) : Tensor());
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p) {
            const C* plane = x.data() + p * product(in);
            forEachPosition(to, [&](const Spatial& at) {
                const Maximum m = maximumAt(plane, in, w, at);
                values[i] = plane[m.plane];
                if (indices) indices[i] = Kind == Indices::InPlane ? m.plane : m.window;
                ++i;
            });
        }
        values.store();
        indices.store();
    });
}

/// _low_memory_max_pool_offsets_to_indices(offsets, kernel_size, input_size, stride, padding, dilation): from the window to the plane.
template <std::size_t Dims>
void offsetsToIndices(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Window w = Window::of(call, Dims, 1, 3, 4, 5);
    const Spatial in = spatialArgument(call.ints(2), Dims, 1, "input_size"), size = spatialSizes(self.sizes, Dims);
    const Dense<std::int64_t> offsets(self);
    DenseResult<std::int64_t> indices(out);
    std::int64_t i = 0;
    for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p)
        forEachPosition(size, [&](const Spatial& at) {
            const std::int64_t offset = offsets[i];
            const Spatial inWindow = {offset / (w.kernel[1] * w.kernel[2]), offset / w.kernel[2] % w.kernel[1], offset % w.kernel[2]};
            std::int64_t index = 0;
            for (std::size_t d = 0; d < 3; ++d) index = index * in[d] + at[d] * w.stride[d] - w.padding[d] + inWindow[d] * w.dilation[d];
            indices[i++] = index;
        });
    indices.store();
}

void offsetsToIndicesOf(OpCall& call) {
    const std::size_t dims = call.ints(2).size();
    if (dims == 2) return offsetsToIndices<2>(call);
    if (dims == 3) return offsetsToIndices<3>(call);
    failShape("input_size", std::to_string(dims) + " values", "2 or 3");
}

void lowMemoryMaxPool(OpCall& call) {
    const std::size_t dims = call.ints(1).size();
    if (dims == 2) return maxPool<2, Indices::InWindow>(call);
    if (dims == 3) return maxPool<3, Indices::InWindow>(call);
    failShape("kernel_size", std::to_string(dims) + " values", "2 or 3");
}

[[noreturn]] void failPlace(std::int64_t position, std::int64_t value, std::int64_t limit) {
    failExec("INDEX_OUT_OF_RANGE",
             {{"value", std::to_string(value)}, {"pos", std::to_string(position)}, {"arg", "indices"}, {"limit", std::to_string(limit)}});
}

/// Gradients go to the places of the maxima, summed in the order of the windows. `Index`: the parameter that holds the places.
template <std::size_t Dims, std::size_t Index>
void maxPoolBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &self = call.tensor(1), &index = call.tensor(Index);
    checkRank(self, Dims);
    checkPlanes(grad, self, Dims);
    if (index.sizes != grad.sizes) failShape("indices", shapeText(index.sizes), shapeText(grad.sizes));
    const std::int64_t plane = product(spatialSizes(self.sizes, Dims)), pooled = product(spatialSizes(grad.sizes, Dims));
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> from(grad);
        const Dense<std::int64_t> at(index);
        DenseResult<C> to(call.out(), C(0));
        for (std::int64_t i = 0; i < grad.numel(); ++i) {
            if (at[i] < 0 || at[i] >= plane) failPlace(i, at[i], plane);
            C& sum = to[i / pooled * plane + at[i]];
            sum = wrappingAdd(sum, from[i]);
        }
        to.store();
    });
}

/// max_unpool2d, max_unpool3d (self, indices, output_size, …): values back to the places of the maxima, zeros elsewhere.
template <std::size_t Dims>
void maxUnpool(OpCall& call) {
    const Tensor &self = call.tensor(0), &index = call.tensor(1), &out = call.out();
    if (index.sizes != self.sizes) failShape("indices", shapeText(index.sizes), shapeText(self.sizes));
    const std::int64_t plane = product(spatialSizes(out.sizes, Dims)), pooled = product(spatialSizes(self.sizes, Dims));
    dispatchCompute(self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> from(self);
        const Dense<std::int64_t> at(index);
        DenseResult<C> to(out, C(0));
        for (std::int64_t i = 0; i < self.numel(); ++i) {
            if (at[i] < 0 || at[i] >= plane) failPlace(i, at[i], plane);
            to[i / pooled * plane + at[i]] = from[i];
        }
        to.store();
    });
}

template <std::size_t Dims>
std::vector<TensorType> maxUnpoolTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    checkRank(self, Dims);
    const Shape asked = call.ints(2);
    if (asked.size() != Dims || std::any_of(asked.begin(), asked.end(), [](std::int64_t n) { return n < 0 || n > (std::int64_t{1} << 31); }))
        failShape("output_size", shapeText(asked), std::to_string(Dims) + " sizes");
    Shape sizes = self.sizes;
    std::copy(asked.begin(), asked.end(), sizes.end() - static_cast<std::ptrdiff_t>(Dims));
    return {rowMajor(self, sizes)};
}

/// Bounds of an average window, and what its sum is divided by.
struct AverageWindow {
    Spatial begin, end;
    std::int64_t divisor = 1;
};

AverageWindow averageWindow(const Window& w, const Spatial& in, const Spatial& at, bool countPadding, std::int64_t override) {
    AverageWindow a;
    std::int64_t padded = 1, inside = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t begin = at[d] * w.stride[d] - w.padding[d], end = std::min(begin + w.kernel[d], in[d] + w.padding[d]);
        padded *= end - begin;
        a.begin[d] = std::max<std::int64_t>(0, begin);
        a.end[d] = std::max(a.begin[d], std::min(end, in[d]));
        inside *= a.end[d] - a.begin[d];
    }
    a.divisor = override ? override : countPadding ? padded : inside;
    return a;
}

template <class F>
void forEachIn(const AverageWindow& a, const Spatial& in, F&& f) {
    for (std::int64_t z = a.begin[0]; z < a.end[0]; ++z)
        for (std::int64_t y = a.begin[1]; y < a.end[1]; ++y)
            for (std::int64_t x = a.begin[2]; x < a.end[2]; ++x) f((z * in[1] + y) * in[2] + x);
}

template <class C>
C averageOf(C sum, std::int64_t divisor) {
    if constexpr (std::is_integral_v<C>)
        return divisor ? sum / divisor : 0;
    else
        return sum / static_cast<C>(divisor);
}

/// Parameters of average pools start at `First`: kernel, stride, padding, ceil_mode, count_include_pad, divisor_override.
template <std::size_t Dims, std::size_t First>
struct AverageCall {
    Window window;
    bool countPadding;
    std::int64_t override;
    explicit AverageCall(const OpCall& call)
        : window(Window::of(call, Dims, First, First + 1, First + 2, -1)),
          countPadding(call.args.at(First + 4).boolean().value_or(true)),
          override(call.args.at(First + 5).integer().value_or(0)) {}
};

/// Averages of the windows that `windowAt(in, out, at)` gives.
template <std::size_t Dims, class WindowAt>
void averageOver(OpCall& call, WindowAt&& windowAt) {
    const Tensor &self = call.tensor(0), &out = call.out();
    checkRank(self, Dims);
    const Spatial in = spatialSizes(self.sizes, Dims), to = spatialSizes(out.sizes, Dims);
    dispatchSums(call, self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> values(out);
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p) {
            const C* plane = x.data() + p * product(in);
            forEachPosition(to, [&](const Spatial& at) {
                const AverageWindow a = windowAt(in, to, at);
                C sum = 0;
                forEachIn(a, in, [&](std::int64_t k) { sum = wrappingAdd(sum, plane[k]); });
                values[i++] = averageOf(sum, a.divisor);
            });
        }
        values.store();
    });
}

/// The gradient: every position gives its window equal shares.
template <std::size_t Dims, class WindowAt>
void shareOver(OpCall& call, WindowAt&& windowAt) {
    const Tensor &grad = call.tensor(0), &self = call.tensor(1);
    checkRank(self, Dims);
    checkPlanes(grad, self, Dims);
    const Spatial in = spatialSizes(self.sizes, Dims), from = spatialSizes(grad.sizes, Dims);
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> g(grad);
        DenseResult<C> values(call.out(), C(0));
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p) {
            C* plane = values.data() + p * product(in);
            forEachPosition(from, [&](const Spatial& at) {
                const AverageWindow a = windowAt(in, from, at);
                const C share = averageOf(g[i++], a.divisor);
                forEachIn(a, in, [&](std::int64_t k) { plane[k] = wrappingAdd(plane[k], share); });
            });
        }
        values.store();
    });
}

template <std::size_t Dims>
void averagePool(OpCall& call) {
    checkRank(call.tensor(0), Dims);
    const AverageCall<Dims, 1> how(call);
    averageOver<Dims>(call, [&](const Spatial& in, const Spatial&, const Spatial& at) { return averageWindow(how.window, in, at, how.countPadding, how.override); });
}

template <std::size_t Dims>
void averagePoolBackward(OpCall& call) {
    checkRank(call.tensor(1), Dims);
    checkPlanes(call.tensor(0), call.tensor(1), Dims);
    const AverageCall<Dims, 2> how(call);
    shareOver<Dims>(call, [&](const Spatial& in, const Spatial&, const Spatial& at) { return averageWindow(how.window, in, at, how.countPadding, how.override); });
}

// --- adaptive --------------------------------------------------------------------------------------------------------------------------------

/// Window of position `at`: from floor(at * in / out) to ceil((at + 1) * in / out).
AverageWindow adaptiveWindow(const Spatial& in, const Spatial& out, const Spatial& at) {
    AverageWindow a;
    for (std::size_t d = 0; d < 3; ++d) {
        a.begin[d] = at[d] * in[d] / out[d];
        a.end[d] = ((at[d] + 1) * in[d] + out[d] - 1) / out[d];
        a.divisor *= a.end[d] - a.begin[d];
    }
    return a;
}

template <std::size_t Dims>
void adaptiveAverage(OpCall& call) {
    averageOver<Dims>(call, adaptiveWindow);
}

template <std::size_t Dims>
void adaptiveAverageBackward(OpCall& call) {
    shareOver<Dims>(call, adaptiveWindow);
}

template <std::size_t Dims>
void adaptiveMax(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    checkRank(self, Dims);
    const Spatial in = spatialSizes(self.sizes, Dims), to = spatialSizes(out.sizes, Dims);
    dispatchCompute(self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> values(out);
        DenseResult<std::int64_t> indices(call.out(1));
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p) {
            const C* plane = x.data() + p * product(in);
            forEachPosition(to, [&](const Spatial& at) {
                std::int64_t best = -1;
                forEachIn(adaptiveWindow(in, to, at), in, [&](std::int64_t k) {
                    const bool nan = plane[k] != plane[k];
                    if (best < 0 || plane[k] > plane[best] || (nan && plane[best] == plane[best])) best = k;
                });
                values[i] = best < 0 ? C{} : plane[best];
                indices[i++] = best;
            });
        }
        values.store();
        indices.store();
    });
}

}  // namespace

void registerPool(KernelTable& table) {
    for (const char* op : {"aten::max_pool2d_with_indices", "aten::max_pool2d"}) table.add(op, maxPool<2, Indices::InPlane>);
    for (const char* op : {"aten::max_pool3d_with_indices", "aten::max_pool3d"}) table.add(op, maxPool<3, Indices::InPlane>);
    table.add("prims::_low_memory_max_pool_with_offsets", lowMemoryMaxPool);
    table.add("prims::_low_memory_max_pool_offsets_to_indices", offsetsToIndicesOf);
    table.add("aten::max_pool2d_with_indices_backward", maxPoolBackward<2, 7>, ToleranceClass::Reduction);
    table.add("aten::max_pool3d_with_indices_backward", maxPoolBackward<3, 7>, ToleranceClass::Reduction);
    table.add("aten::avg_pool2d", averagePool<2>, ToleranceClass::Reduction);
    table.add("aten::avg_pool3d", averagePool<3>, ToleranceClass::Reduction);
    table.add("aten::avg_pool2d_backward", averagePoolBackward<2>, ToleranceClass::Reduction);
    table.add("aten::avg_pool3d_backward", averagePoolBackward<3>, ToleranceClass::Reduction);
    for (const char* op : {"aten::_adaptive_avg_pool2d", "aten::adaptive_avg_pool2d"}) table.add(op, adaptiveAverage<2>, ToleranceClass::Reduction);
    for (const char* op : {"aten::_adaptive_avg_pool3d", "aten::adaptive_avg_pool3d"}) table.add(op, adaptiveAverage<3>, ToleranceClass::Reduction);
    table.add("aten::_adaptive_avg_pool2d_backward", adaptiveAverageBackward<2>, ToleranceClass::Reduction);
    table.add("aten::_adaptive_avg_pool3d_backward", adaptiveAverageBackward<3>, ToleranceClass::Reduction);
    table.add("aten::adaptive_max_pool2d_backward", maxPoolBackward<2, 2>, ToleranceClass::Reduction);
    table.add("aten::adaptive_max_pool3d_backward", maxPoolBackward<3, 2>, ToleranceClass::Reduction);
    table.add("aten::max_unpool2d", maxUnpool<2>).resultTypes = maxUnpoolTypes<2>;
    table.add("aten::max_unpool3d", maxUnpool<3>).resultTypes = maxUnpoolTypes<3>;
    table.add("aten::adaptive_max_pool2d", adaptiveMax<2>);
    table.add("aten::adaptive_max_pool3d", adaptiveMax<3>);
}

}  // namespace aliascope::exec
