// Upsampling: nearest, linear and cubic interpolation of the last dimensions, and the gradients. Every position of a result dimension is a few
// weighted positions of the source's; the dimensions are independent, so that a table for each describes all of it.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pool_window.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

enum class Method : std::uint8_t { Nearest, NearestExact, Linear, Cubic };

/// `per` sources and weights for every position.
struct Taps {
    std::int64_t per = 1;
    std::vector<std::int64_t> source;
    std::vector<float> weight;
    void add(std::int64_t at, float w) {
        source.push_back(at);
        weight.push_back(w);
    }
};

/// Source length of a step of one, in f32 as PyTorch computes it.
float stepOf(std::int64_t in, std::int64_t out, std::optional<double> scale) {
    return scale && *scale > 0 ? static_cast<float>(1 / *scale) : static_cast<float>(in) / static_cast<float>(out);
}

Taps nearestTaps(std::int64_t in, std::int64_t out, std::optional<double> scale, bool exact) {
    Taps taps;
    const float step = stepOf(in, out, scale);
    for (std::int64_t i = 0; i < out; ++i) {
        std::int64_t at = 0;
        if (exact)
            at = static_cast<std::int64_t>(std::floor((static_cast<float>(i) + 0.5F) * step));
        else if (in == out)
            at = i;
        else if (out == 2 * in)
            at = i / 2;
        else
            at = static_cast<std::int64_t>(std::floor(static_cast<float>(i) * step));
        taps.add(std::clamp<std::int64_t>(at, 0, in - 1), 1);
    }
    return taps;
}

/// Where position `i` lies in the source; of cubic ones also before its start.
float placeOf(std::int64_t i, std::int64_t in, std::int64_t out, std::optional<double> scale, bool corners, bool cubic) {
    if (corners) return out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1) * static_cast<float>(i) : 0;
    const float at = stepOf(in, out, scale) * (static_cast<float>(i) + 0.5F) - 0.5F;
    return cubic ? at : std::max(0.0F, at);
}

Taps linearTaps(std::int64_t in, std::int64_t out, std::optional<double> scale, bool corners) {
    Taps taps;
    taps.per = 2;
    for (std::int64_t i = 0; i < out; ++i) {
        if (in == out) {
            taps.add(i, 1), taps.add(i, 0);
            continue;
        }
        const float at = placeOf(i, in, out, scale, corners, false);
        const std::int64_t low = std::min(static_cast<std::int64_t>(at), in - 1);
        const float share = std::clamp(at - static_cast<float>(low), 0.0F, 1.0F);
        taps.add(low, 1 - share);
        taps.add(std::min(low + 1, in - 1), share);
    }
    return taps;
}

/// Cubic convolution with A = -0.75; sources beyond the ends are the ends.
Taps cubicTaps(std::int64_t in, std::int64_t out, std::optional<double> scale, bool corners) {
    constexpr float a = -0.75F;
    const auto near = [](float x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [](float x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    Taps taps;
    taps.per = 4;
    for (std::int64_t i = 0; i < out; ++i) {
        const float at = placeOf(i, in, out, scale, corners, true), floor = std::floor(at), t = at - floor;
        const float weights[] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
        for (std::int64_t k = 0; k < 4; ++k) taps.add(std::clamp<std::int64_t>(static_cast<std::int64_t>(floor) - 1 + k, 0, in - 1), weights[k]);
    }
    return taps;
}

/// A call of any of the operators: sizes of source and result, scales as far as they are given.
struct Resample {
    Spatial in, out;
    std::array<std::optional<double>, 3> scales;
    bool corners = false;
};

std::optional<double> scaleAt(const OpCall& call, std::size_t dims, std::size_t d) {
    static constexpr std::string_view names[] = {"scales_d", "scales_h", "scales_w"};
    if (const auto one = call.arg(dims == 1 ? "scales" : names[3 - dims + d]).number()) return *one;
    const RuntimeList* list = call.arg("scale_factors").list();
    return list && d < list->size() ? (*list)[d].number() : std::nullopt;
}

Resample resampleOf(const OpCall& call, const Shape& in, const Shape& out, std::size_t dims) {
    Resample r{spatialSizes(in, dims), spatialSizes(out, dims), {}, call.arg("align_corners").boolean().value_or(false)};
    for (std::size_t d = 0; d < dims; ++d) r.scales[3 - dims + d] = scaleAt(call, dims, d);
    for (std::size_t d = 0; d < 3; ++d)
        if (r.in[d] < 1 || r.out[d] < 1) failShape("input", shapeText(in), "1 or more in every resampled dimension");
    return r;
}

template <Method M>
Taps tapsOf(const Resample& r, std::size_t d) {
    if constexpr (M == Method::Linear)
        return linearTaps(r.in[d], r.out[d], r.scales[d], r.corners);
    else if constexpr (M == Method::Cubic)
        return cubicTaps(r.in[d], r.out[d], r.scales[d], r.corners);
    else
        return nearestTaps(r.in[d], r.out[d], r.scales[d], M == Method::NearestExact);
}

/// Dimensions that are not resampled take their only position as it is.
template <std::size_t Dims, Method M>
std::array<Taps, 3> allTaps(const Resample& r) {
    std::array<Taps, 3> taps;
    for (std::size_t d = 0; d < 3; ++d) {
        if (d + Dims >= 3)
            taps[d] = tapsOf<M>(r, d);
        else
            taps[d].add(0, 1);
    }
    return taps;
}

/// Calls `f(source in the plane, weight)` for all sources of a position.
template <class F>
void forEachTap(const std::array<Taps, 3>& taps, const Spatial& in, const Spatial& at, F&& f) {
    for (std::int64_t i = 0; i < taps[0].per; ++i) {
        const auto z = static_cast<std::size_t>(at[0] * taps[0].per + i);
        for (std::int64_t j = 0; j < taps[1].per; ++j) {
            const auto y = static_cast<std::size_t>(at[1] * taps[1].per + j);
            for (std::int64_t k = 0; k < taps[2].per; ++k) {
                const auto x = static_cast<std::size_t>(at[2] * taps[2].per + k);
                f((taps[0].source[z] * in[1] + taps[1].source[y]) * in[2] + taps[2].source[x],
                  taps[0].weight[z] * taps[1].weight[y] * taps[2].weight[x]);
            }
        }
    }
}

template <std::size_t Dims, Method M>
void upsample(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    if (self.rank() != Dims + 2) failShape("self", shapeText(self.sizes), std::to_string(Dims + 2) + " dimensions");
    if (out.numel() == 0) return;
    const Resample r = resampleOf(call, self.sizes, out.sizes, Dims);
    const auto taps = allTaps<Dims, M>(r);
    dispatchSums(call, self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        if (std::is_integral_v<C> && M != Method::Nearest && M != Method::NearestExact) failDType(self.dtype);
        const Dense<C> x(self);
        DenseResult<C> y(out);
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(self.sizes, Dims); ++p) {
            const C* plane = x.data() + p * product(r.in);
            forEachPosition(r.out, [&](const Spatial& at) {
                C sum = 0;
                forEachTap(taps, r.in, at, [&](std::int64_t source, float weight) { sum += plane[source] * static_cast<C>(weight); });
                y[i++] = sum;
            });
        }
        y.store();
    });
}

template <std::size_t Dims, Method M>
void upsampleBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &out = call.out();
    if (grad.rank() != Dims + 2 || out.rank() != Dims + 2) failShape("grad_output", shapeText(grad.sizes), std::to_string(Dims + 2) + " dimensions");
    if (grad.sizes[0] != out.sizes[0] || grad.sizes[1] != out.sizes[1])
        failShape("grad_output", shapeText(grad.sizes), "the planes of " + shapeText(out.sizes));
    fillScalar(out, 0.0);
    if (grad.numel() == 0) return;
    const Resample r = resampleOf(call, out.sizes, grad.sizes, Dims);
    const auto taps = allTaps<Dims, M>(r);
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> g(grad);
        DenseResult<C> x(out, C(0));
        std::int64_t i = 0;
        for (std::int64_t p = 0; p < planesOf(grad.sizes, Dims); ++p) {
            C* plane = x.data() + p * product(r.in);
            forEachPosition(r.out, [&](const Spatial& at) {
                forEachTap(taps, r.in, at, [&](std::int64_t source, float weight) { plane[source] += g[i] * static_cast<C>(weight); });
                ++i;
            });
        }
        x.store();
    });
}

/// `.vec` forms: sizes, or factors by which the source's sizes grow.
template <std::size_t Dims>
std::vector<TensorType> grownTypes(const OpCall& call) {
    const Tensor& input = call.tensor(0);
    if (input.rank() != Dims + 2) failShape("input", shapeText(input.sizes), std::to_string(Dims + 2) + " dimensions");
    Shape sizes = input.sizes;
    const Shape asked = call.ints(1);
    for (std::size_t d = 0; d < Dims; ++d) {
        const auto factor = scaleAt(call, Dims, d);
        if (asked.size() != Dims && !factor) failShape("output_size", shapeText(asked), std::to_string(Dims) + " sizes or factors");
        const double grown = asked.size() == Dims ? static_cast<double>(asked[d]) : std::floor(static_cast<double>(sizes[d + 2]) * *factor);
        if (!(grown >= 0 && grown < 0x1p40)) failShape("output_size", std::to_string(grown), "a size");
        sizes[d + 2] = static_cast<std::int64_t>(grown);
    }
    return {rowMajor(input, sizes)};
}

std::vector<TensorType> inputTypes(const OpCall& call) { return {rowMajor(call.tensor(0), call.ints(2))}; }

template <std::size_t Dims, Method M>
void add(KernelTable& table, const std::string& op) {
    // Nearest moves elements; the others weigh them.
    const ToleranceClass tolerance = M == Method::Nearest || M == Method::NearestExact ? ToleranceClass::Exact : ToleranceClass::Reduction;
    table.add(op, upsample<Dims, M>, tolerance);
    table.add(op + ".vec", upsample<Dims, M>, tolerance).resultTypes = grownTypes<Dims>;
    table.add(op + "_backward", upsampleBackward<Dims, M>, ToleranceClass::Reduction).resultTypes = inputTypes;
}

}  // namespace

void registerResample(KernelTable& table) {
    add<1, Method::Nearest>(table, "aten::upsample_nearest1d");
    add<2, Method::Nearest>(table, "aten::upsample_nearest2d");
    add<3, Method::Nearest>(table, "aten::upsample_nearest3d");
    add<1, Method::NearestExact>(table, "aten::_upsample_nearest_exact1d");
    add<2, Method::NearestExact>(table, "aten::_upsample_nearest_exact2d");
    add<3, Method::NearestExact>(table, "aten::_upsample_nearest_exact3d");
    add<1, Method::Linear>(table, "aten::upsample_linear1d");
    add<2, Method::Linear>(table, "aten::upsample_bilinear2d");
    add<3, Method::Linear>(table, "aten::upsample_trilinear3d");
    add<2, Method::Cubic>(table, "aten::upsample_bicubic2d");
}

}  // namespace aliascope::exec
