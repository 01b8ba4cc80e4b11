// Layer, group and root-mean-square norms and their gradients. Statistics are sums in f64 in both precisions, two passes.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/normalize_statistics.h"

namespace aliascope::exec {
namespace {

std::int64_t productOf(Shape::const_iterator begin, Shape::const_iterator end) {
    std::int64_t n = 1;
    for (; begin != end; ++begin) n *= *begin;
    return n;
}

/// `layer_norm` and its like give the first result only.
Tensor resultOrNone(const OpCall& call, std::size_t i) { return i < call.outputs.size() ? call.outputs[i] : Tensor(); }

/// Elements of a row that is normalised: the product of `normalized_shape`, which ends the input's shape.
std::int64_t rowLength(const Tensor& input, const Shape& normalized) {
    if (normalized.empty() || normalized.size() > input.rank() ||
        !std::equal(normalized.begin(), normalized.end(), input.sizes.end() - static_cast<std::ptrdiff_t>(normalized.size())))
        failShape("normalized_shape", shapeText(normalized), "the last sizes of " + shapeText(input.sizes));
    return productOf(normalized.begin(), normalized.end());
}

template <class C>
struct Affine {
    std::optional<Dense<C>> weight, bias;
    Affine(const Tensor* w, const Tensor* b, std::int64_t length) {
        check(w, length, "weight");
        check(b, length, "bias");
        if (w) weight.emplace(*w);
        if (b) bias.emplace(*b);
    }
    static void check(const Tensor* t, std::int64_t length, std::string_view argument) {
        if (t && t->numel() != length) failShape(argument, shapeText(t->sizes), std::to_string(length) + " elements");
    }
    C scale(std::int64_t i) const { return weight ? (*weight)[i] : C(1); }
    C shift(std::int64_t i) const { return bias ? (*bias)[i] : C(0); }
};

void layerNorm(OpCall& call) {
    const Tensor& input = call.tensor(0);
    const std::int64_t length = rowLength(input, call.ints(1)), rows = length ? input.numel() / length : 0;
    const double eps = call.number(4);
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Affine<C> affine(call.optionalTensor(2), call.optionalTensor(3), length);
        const Dense<C> x(input);
        DenseResult<C> y(call.out());
        OptionalResult<C> mean(resultOrNone(call, 1)), rstd(resultOrNone(call, 2));
        for (std::int64_t r = 0; r < rows; ++r) {
            const C* row = x.data() + r * length;
            const Moments m = momentsOf(row, length);
            const double inverse = 1 / std::sqrt(m.variance(0) + eps);
            for (std::int64_t i = 0; i < length; ++i)
                y[r * length + i] = static_cast<C>((static_cast<double>(row[i]) - m.mean) * inverse) * affine.scale(i) + affine.shift(i);
            if (mean) mean[r] = static_cast<C>(m.mean);
            if (rstd) rstd[r] = static_cast<C>(inverse);
        }
        y.store(), mean.store(), rstd.store();
    });
}

/// Sums of the two gradients that every normalisation's backward needs over one group: g and g * xhat, g already scaled.
struct GradSums {
    double g = 0, gx = 0;
};

/// native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask).
void layerNormBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &input = call.tensor(1);
    const std::int64_t length = rowLength(input, call.ints(2)), rows = length ? input.numel() / length : 0;
    checkGradient(grad, input.sizes);
    checkStatistics(call.tensor(3), rows, "mean");
    checkStatistics(call.tensor(4), rows, "rstd");
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Affine<C> affine(call.optionalTensor(5), nullptr, length);
        const Dense<C> g(grad), x(input), mean(call.tensor(3)), rstd(call.tensor(4));
        OptionalResult<C> dx(call.out(0));
        std::vector<double> dw(static_cast<std::size_t>(length), 0), db(static_cast<std::size_t>(length), 0);
        for (std::int64_t r = 0; r < rows; ++r) {
            const C *gr = g.data() + r * length, *xr = x.data() + r * length;
            const double mu = static_cast<double>(mean[r]), inverse = static_cast<double>(rstd[r]);
            GradSums sums;
            for (std::int64_t i = 0; i < length; ++i) {
                const double hat = (static_cast<double>(xr[i]) - mu) * inverse, gi = static_cast<double>(gr[i]),
                             scaled = gi * static_cast<double>(affine.scale(i));
                sums.g += scaled;
                sums.gx += scaled * hat;
                dw[static_cast<std::size_t>(i)] += gi * hat;
                db[static_cast<std::size_t>(i)] += gi;
            }
            if (!dx) continue;
            for (std::int64_t i = 0; i < length; ++i) {
                const double hat = (static_cast<double>(xr[i]) - mu) * inverse,
                             scaled = static_cast<double>(gr[i]) * static_cast<double>(affine.scale(i));
                dx[r * length + i] = static_cast<C>(inverse * (scaled - (sums.g + hat * sums.gx) / static_cast<double>(length)));
            }
        }
        dx.store();
        storeSums<C>(call.out(1), dw);
        storeSums<C>(call.out(2), db);
    });
}

/// _fused_rms_norm(input, normalized_shape, weight, eps) -> (output, rstd).
void rmsNorm(OpCall& call) {
    const Tensor& input = call.tensor(0);
    const std::int64_t length = rowLength(input, call.ints(1)), rows = length ? input.numel() / length : 0;
    const double eps = call.args.at(3).number().value_or(input.dtype == DType::F64 ? 0x1p-52 : 0x1p-23);
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Affine<C> affine(call.optionalTensor(2), nullptr, length);
        const Dense<C> x(input);
        DenseResult<C> y(call.out());
        OptionalResult<C> rstd(resultOrNone(call, 1));
        for (std::int64_t r = 0; r < rows; ++r) {
            const C* row = x.data() + r * length;
            double squares = 0;
            for (std::int64_t i = 0; i < length; ++i) squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
            const double inverse = 1 / std::sqrt(squares / static_cast<double>(length) + eps);
            for (std::int64_t i = 0; i < length; ++i) y[r * length + i] = static_cast<C>(static_cast<double>(row[i]) * inverse) * affine.scale(i);
            if (rstd) rstd[r] = static_cast<C>(inverse);
        }
        y.store(), rstd.store();
    });
}

/// N, C, H*W and groups of a group norm, checked against its input.
struct Groups {
    std::int64_t batch, channels, plane, groups;
    std::int64_t perGroup() const { return channels / groups; }
    Groups(const OpCall& call, const Tensor& input, std::size_t first)
        : Groups(input, call.integer(first), call.integer(first + 1), call.integer(first + 2), call.integer(first + 3)) {}
    Groups(const Tensor& input, std::int64_t batch, std::int64_t channels, std::int64_t plane, std::int64_t groups)
        : batch(batch), channels(channels), plane(plane), groups(groups) {
        std::int64_t n = 0;
        if (groups < 1 || channels < 0 || channels % groups != 0 || __builtin_mul_overflow(batch, channels, &n) ||
            __builtin_mul_overflow(n, plane, &n) || n != input.numel())
            failShape("input", shapeText(input.sizes), "N x C x HxW elements, C a multiple of the groups");
    }
};

void groupNorm(OpCall& call, const Groups& s, const Tensor* weight, const Tensor* bias, double eps) {
    const Tensor& input = call.tensor(0);
    const std::int64_t length = s.perGroup() * s.plane;
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Affine<C> affine(weight, bias, s.channels);
        const Dense<C> x(input);
        DenseResult<C> y(call.out());
        OptionalResult<C> mean(resultOrNone(call, 1)), rstd(resultOrNone(call, 2));
        for (std::int64_t r = 0; r < s.batch * s.groups; ++r) {
            const C* row = x.data() + r * length;
            const Moments m = momentsOf(row, length);
            const double inverse = 1 / std::sqrt(m.variance(0) + eps);
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t channel = r % s.groups * s.perGroup() + i / s.plane;
                y[r * length + i] = static_cast<C>((static_cast<double>(row[i]) - m.mean) * inverse) * affine.scale(channel) + affine.shift(channel);
            }
            if (mean) mean[r] = static_cast<C>(m.mean);
            if (rstd) rstd[r] = static_cast<C>(inverse);
        }
        y.store(), mean.store(), rstd.store();
    });
}

void nativeGroupNorm(OpCall& call) {
    groupNorm(call, Groups(call, call.tensor(0), 3), call.optionalTensor(1), call.optionalTensor(2), call.number(7));
}

/// group_norm(input, num_groups, weight, bias, eps).
void plainGroupNorm(OpCall& call) {
    const Tensor& input = call.tensor(0);
    if (input.rank() < 2) failShape("input", shapeText(input.sizes), "2 or more dimensions");
    const std::int64_t plane = productOf(input.sizes.begin() + 2, input.sizes.end());
    groupNorm(call, Groups(input, input.sizes[0], input.sizes[1], plane, call.integer(1)), call.optionalTensor(2), call.optionalTensor(3),
              call.number(4));
}

/// native_group_norm_backward(grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask).
void groupNormBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &input = call.tensor(1);
    const Groups s(call, input, 5);
    checkGradient(grad, input.sizes);
    checkStatistics(call.tensor(2), s.batch * s.groups, "mean");
    checkStatistics(call.tensor(3), s.batch * s.groups, "rstd");
    const std::int64_t length = s.perGroup() * s.plane;
    dispatchSums(call, input.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Affine<C> affine(call.optionalTensor(4), nullptr, s.channels);
        const Dense<C> g(grad), x(input), mean(call.tensor(2)), rstd(call.tensor(3));
        OptionalResult<C> dx(call.out(0));
        std::vector<double> dw(static_cast<std::size_t>(s.channels), 0), db(static_cast<std::size_t>(s.channels), 0);
        for (std::int64_t r = 0; r < s.batch * s.groups; ++r) {
            const double mu = static_cast<double>(mean[r]), inverse = static_cast<double>(rstd[r]);
            GradSums sums;
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t channel = r % s.groups * s.perGroup() + i / s.plane;
                const double hat = (static_cast<double>(x[r * length + i]) - mu) * inverse, gi = static_cast<double>(g[r * length + i]);
                const double scaled = gi * static_cast<double>(affine.scale(channel));
                sums.g += scaled;
                sums.gx += scaled * hat;
                dw[static_cast<std::size_t>(channel)] += gi * hat;
                db[static_cast<std::size_t>(channel)] += gi;
            }
            if (!dx) continue;
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t channel = r % s.groups * s.perGroup() + i / s.plane;
                const double hat = (static_cast<double>(x[r * length + i]) - mu) * inverse;
                const double scaled = static_cast<double>(g[r * length + i]) * static_cast<double>(affine.scale(channel));
                dx[r * length + i] = static_cast<C>(inverse * (scaled - (sums.g + hat * sums.gx) / static_cast<double>(length)));
            }
        }
        dx.store();
        storeSums<C>(call.out(1), dw);
        storeSums<C>(call.out(2), db);
    });
}

/// renorm(self, p, dim, maxnorm): slices along dim whose p-norm is above maxnorm are scaled down to it.
void renorm(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    if (self.rank() < 2) failShape("self", shapeText(self.sizes), "2 or more dimensions");
    const double p = call.number(1), most = call.number(3);
    const auto d = static_cast<std::size_t>(call.dim(2, self.rank()));
    for (std::int64_t i = 0; i < self.sizes[d]; ++i) {
        const Tensor from = selected(self, d, i), to = selected(out, d, i);
        dispatchSums(call, self.dtype, [&](auto tag) {
            using C = typename decltype(tag)::type;
            const Dense<C> x(from);
            DenseResult<C> y(to);
            double sum = 0;
            for (std::int64_t k = 0; k < from.numel(); ++k) {
                const double size = std::fabs(static_cast<double>(x[k]));
                if (std::isinf(p))
                    sum = std::max(sum, size);
                else
                    sum += p == 2 ? size * size : p == 1 ? size : std::pow(size, p);
            }
            const double norm = std::isinf(p) ? sum : p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p);
            const double scale = norm > most ? most / (norm + 1e-7) : 1;
            for (std::int64_t k = 0; k < from.numel(); ++k) y[k] = static_cast<C>(static_cast<double>(x[k]) * scale);
            y.store();
        });
    }
}

}  // namespace

void registerNormalize(KernelTable& table) {
    const auto add = [&](const char* op, KernelFn run) { table.add(op, run, ToleranceClass::Reduction); };
    for (const char* op : {"aten::native_layer_norm", "aten::layer_norm"}) add(op, layerNorm);
    add("aten::native_layer_norm_backward", layerNormBackward);
    for (const char* op : {"aten::_fused_rms_norm", "aten::rms_norm"}) add(op, rmsNorm);
    add("aten::native_group_norm", nativeGroupNorm);
    add("aten::group_norm", plainGroupNorm);
    add("aten::native_group_norm_backward", groupNormBackward);
    add("aten::renorm", renorm);
}

}  // namespace aliascope::exec
