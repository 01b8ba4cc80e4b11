// grid_sampler: values of an image or volume at places that a grid names, from -1 to 1 in every dimension.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pool_window.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

enum class Interpolation : std::uint8_t { Linear, Nearest, Cubic };
enum class Outside : std::uint8_t { Zeros, Border, Reflection };

struct Sampling {
    Interpolation interpolation = Interpolation::Linear;
    Outside outside = Outside::Zeros;
    bool corners = false;

    /// From [-1, 1] to positions: the corners are the first and last position, or half a position outside them.
    template <class C>
    C position(C at, std::int64_t size) const {
        const C n = static_cast<C>(size);
        return corners ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2;
    }
    template <class C>
    C reflected(C at, std::int64_t size) const {
        const C low = corners ? 0 : C(-0.5), span = corners ? static_cast<C>(size - 1) : static_cast<C>(size);
        if (span == 0) return 0;
        const C distance = std::fabs(at - low), rest = std::fmod(distance, span);
        return std::fmod(std::floor(distance / span), C(2)) == 0 ? rest + low : span - rest + low;
    }
    /// A position moved inside, unless outside counts as 0.
    template <class C>
    C bounded(C at, std::int64_t size) const {
        if (outside == Outside::Zeros) return at;
        if (outside == Outside::Reflection) at = reflected(at, size);
        return std::clamp<C>(std::isnan(at) ? 0 : at, 0, static_cast<C>(size - 1));
    }
};

Sampling samplingOf(const OpCall& call) {
    const std::int64_t interpolation = call.integer(2), outside = call.integer(3);
    if (interpolation < 0 || interpolation > 2 || outside < 0 || outside > 2) failUnsupported("its interpolation or padding mode is unknown");
    return {static_cast<Interpolation>(interpolation), static_cast<Outside>(outside), call.flag(4)};
}

/// Sources of one dimension of a place, -1 where they are outside, and their weights.
template <class C>
struct AxisTaps {
    int count = 0;
    std::array<std::int64_t, 4> source{};
    std::array<C, 4> weight{};
    void add(C at, C w, std::int64_t size) {
        const bool inside = at >= 0 && at <= static_cast<C>(size - 1);
        source[static_cast<std::size_t>(count)] = inside ? static_cast<std::int64_t>(at) : -1;
        weight[static_cast<std::size_t>(count++)] = w;
    }
};

template <class C>
AxisTaps<C> axisTaps(const Sampling& s, C grid, std::int64_t size) {
    AxisTaps<C> taps;
    const C place = s.position(grid, size);
    if (s.interpolation == Interpolation::Nearest) {
        taps.add(std::nearbyint(s.bounded(place, size)), 1, size);
    } else if (s.interpolation == Interpolation::Linear) {
        const C at = s.bounded(place, size), low = std::floor(at), share = at - low;
        taps.add(low, 1 - share, size);
        taps.add(low + 1, share, size);
    } else {
        constexpr C a = C(-0.75);
        const auto near = [](C x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
        const auto far = [](C x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
        const C low = std::floor(place), t = place - low;
        const C weights[] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
        for (int k = 0; k < 4; ++k) taps.add(s.bounded(low - 1 + static_cast<C>(k), size), weights[k], size);
    }
    return taps;
}

template <std::size_t Dims>
void gridSample(OpCall& call) {
    const Tensor &input = call.tensor(0), &grid = call.tensor(1), &out = call.out();
    const Sampling s = samplingOf(call);
    if (s.interpolation == Interpolation::Cubic && Dims != 2) failUnsupported("cubic interpolation is of two dimensions only");
    const Spatial in = spatialSizes(input.sizes, Dims);
    const std::int64_t channels = input.sizes[1], places = planesOf(out.sizes, Dims) ? out.numel() / planesOf(out.sizes, Dims) : 0;
    if (input.numel() == 0 && out.numel() > 0) failShape("input", shapeText(input.sizes), "1 or more in every dimension");
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<C>)
            failDType(input.dtype);
        else {
            const Dense<C> x(input), g(grid);
            DenseResult<C> y(out);
            for (std::int64_t n = 0; n < input.sizes[0]; ++n)
                for (std::int64_t p = 0; p < places; ++p) {
                    const C* at = g.data() + (n * places + p) * static_cast<std::int64_t>(Dims);
                    std::array<AxisTaps<C>, 3> taps;
                    for (std::size_t d = 0; d < 3; ++d) {
                        if (d + Dims >= 3)
                            taps[d] = axisTaps<C>(s, at[2 - d], in[d]);  // the grid names the last dimension first
                        else
                            taps[d].add(0, 1, 1);
                    }
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const C* plane = x.data() + (n * channels + c) * product(in);
                        C sum = 0;
                        for (int i = 0; i < taps[0].count; ++i)
                            for (int j = 0; j < taps[1].count; ++j)
                                for (int k = 0; k < taps[2].count; ++k) {
                                    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j), e = static_cast<std::size_t>(k);
                                    if (taps[0].source[a] < 0 || taps[1].source[b] < 0 || taps[2].source[e] < 0) continue;
                                    sum += plane[(taps[0].source[a] * in[1] + taps[1].source[b]) * in[2] + taps[2].source[e]] * taps[0].weight[a] *
                                           taps[1].weight[b] * taps[2].weight[e];
                                }
                        y[(n * channels + c) * places + p] = sum;
                    }
                }
            y.store();
        }
    });
}

template <std::size_t Dims>
std::vector<TensorType> gridSampleTypes(const OpCall& call) {
    const Tensor &input = call.tensor(0), &grid = call.tensor(1);
    if (input.rank() != Dims + 2) failShape("input", shapeText(input.sizes), std::to_string(Dims + 2) + " dimensions");
    if (grid.rank() != Dims + 2 || grid.sizes[0] != input.sizes[0] || grid.sizes.back() != static_cast<std::int64_t>(Dims))
        failShape("grid", shapeText(grid.sizes), "[batch, places.., " + std::to_string(Dims) + "]");
    Shape sizes = {input.sizes[0], input.sizes[1]};
    sizes.insert(sizes.end(), grid.sizes.begin() + 1, grid.sizes.end() - 1);
    return {rowMajor(input, sizes)};
}

}  // namespace

void registerGridSample(KernelTable& table) {
    table.add("aten::grid_sampler_2d", gridSample<2>, ToleranceClass::Reduction).resultTypes = gridSampleTypes<2>;
    table.add("aten::grid_sampler_3d", gridSample<3>, ToleranceClass::Reduction).resultTypes = gridSampleTypes<3>;
}

}  // namespace aliascope::exec
