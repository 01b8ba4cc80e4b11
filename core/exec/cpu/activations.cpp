// Activation functions and their derivatives. The derivative of f takes the gradient of f's result first, as ATen's `*_backward` do.

#include <numbers>

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"

namespace aliascope::exec {
namespace {

#define ALC_FUNCTOR(NAME, ...)           \
    struct NAME {                        \
        template <std::floating_point C> \
        C operator()(__VA_ARGS__) const; \
    };                                   \
    template <std::floating_point C>     \
    C NAME::operator()(__VA_ARGS__) const

template <std::floating_point C>
C sigmoidOf(C x) {
    return 1 / (1 + std::exp(-x));
}
template <std::floating_point C>
C softplusOf(C x) {
    return std::log1p(std::exp(x));
}
template <std::floating_point C>
C clampOf(C x, C low, C high) {
    return x < low ? low : x > high ? high : x;
}

// --- gelu ----------------------------------------------------------------------------------------------------------------------------------

template <class C>
constexpr C kSqrtHalf = std::numbers::sqrt2_v<C> / 2;
template <class C>
constexpr C kTanhScale = std::numbers::sqrt2_v<C>* std::numbers::inv_sqrtpi_v<C>;  // sqrt(2 / pi)
template <class C>
constexpr C kTanhCube = C(0.044715);

ALC_FUNCTOR(Gelu, C x) { return x * (C(0.5) * (1 + std::erf(x * kSqrtHalf<C>))); }
ALC_FUNCTOR(GeluTanh, C x) { return C(0.5) * x * (1 + std::tanh(kTanhScale<C> * (x + kTanhCube<C> * x * x * x))); }
ALC_FUNCTOR(GeluBackward, C g, C x) {
    const C cdf = C(0.5) * (1 + std::erf(x * kSqrtHalf<C>)), pdf = std::exp(C(-0.5) * x * x) * kTanhScale<C> / 2;
    return g * (cdf + x * pdf);
}
ALC_FUNCTOR(GeluTanhBackward, C g, C x) {
    const C t = std::tanh(kTanhScale<C> * (x + kTanhCube<C> * x * x * x));
    const C slope = kTanhScale<C> * (1 + 3 * kTanhCube<C> * x * x);
    return g * (C(0.5) * (1 + t) + C(0.5) * x * (1 - t * t) * slope);
}

template <class Exact, class Tanh, std::size_t... I>
void gelu(OpCall& call) {
    const std::string_view form = call.arg("approximate").text().view();
    if (form == "tanh")
        pointwise<Tanh, MeetRule::Promoted, I...>(call);
    else if (form.empty() || form == "none")
        pointwise<Exact, MeetRule::Promoted, I...>(call);
    else
        failUnsupported("approximate " + std::string(form) + " is neither none nor tanh");
}

// --- sigmoid, silu, mish -----------------------------------------------------------------------------------------------------------------------

ALC_FUNCTOR(SigmoidBackward, C g, C y) { return g * (1 - y) * y; }
ALC_FUNCTOR(TanhBackward, C g, C y) { return g * (1 - y * y); }
ALC_FUNCTOR(Silu, C x) { return x / (1 + std::exp(-x)); }
ALC_FUNCTOR(SiluBackward, C g, C x) {
    const C s = sigmoidOf(x);
    return g * s * (1 + x * (1 - s));
}
ALC_FUNCTOR(Mish, C x) { return x * std::tanh(softplusOf(x)); }
ALC_FUNCTOR(MishBackward, C g, C x) {
    const C t = std::tanh(softplusOf(x));
    return g * (t + x * sigmoidOf(x) * (1 - t * t));
}
ALC_FUNCTOR(LogSigmoid, C x) { return std::fmin(x, C(0)) - std::log1p(std::exp(-std::fabs(x))); }
ALC_FUNCTOR(LogSigmoidBackward, C g, C x) {
    const C z = std::exp(-std::fabs(x));
    return x < 0 ? g * (1 - z / (1 + z)) : g * (z / (1 + z));
}
ALC_FUNCTOR(ExpOfMinusAbs, C x) { return std::exp(-std::fabs(x)); }
ALC_FUNCTOR(LogitBackward, C g, C x) { return x < 0 || x > 1 ? std::numeric_limits<C>::quiet_NaN() : g / (x * (1 - x)); }
ALC_FUNCTOR(LogitClampedBackward, C g, C x, C eps) { return x < eps || x > 1 - eps ? C(0) : g / (x * (1 - x)); }

void logitBackward(OpCall& call) {
    if (call.args.at(2).isNone())
        pointwise<LogitBackward, MeetRule::Promoted, 0, 1>(call);
    else
        pointwise<LogitClampedBackward, MeetRule::Promoted, 0, 1, 2>(call);
}

/// log_sigmoid_forward gives a buffer beside the result: exp(-|x|) on the CPU, nothing on CUDA.
void logSigmoidForward(OpCall& call) {
    const std::array operands{pointwiseOperand(call, 0)};
    pointwiseApply<LogSigmoid>(call.out(0), operands, call.tensor(0).dtype);
    if (call.out(1).sizes == call.out(0).sizes) pointwiseApply<ExpOfMinusAbs>(call.out(1), operands, call.tensor(0).dtype);
}

// --- elu and its like ----------------------------------------------------------------------------------------------------------------------

ALC_FUNCTOR(Elu, C x, C alpha, C scale, C inputScale) { return x < 0 ? std::expm1(x * inputScale) * (alpha * scale) : x * scale; }
ALC_FUNCTOR(Celu, C x, C alpha) { return x < 0 ? std::expm1(x * (1 / alpha)) * alpha : x; }
ALC_FUNCTOR(Selu, C x) { return Elu()(x, C(1.6732632423543772848170429916717), C(1.0507009873554804934193349852946), C(1)); }
ALC_FUNCTOR(EluBackward, C g, C alpha, C scale, C inputScale, C isResult, C x) {
    if (x > 0) return g * scale;
    return isResult != 0 ? g * inputScale * (x + alpha * scale) : g * inputScale * (alpha * scale) * std::exp(x * inputScale);
}
ALC_FUNCTOR(Softplus, C x, C beta, C threshold) { return x * beta > threshold ? x : softplusOf(x * beta) / beta; }
ALC_FUNCTOR(SoftplusBackward, C g, C x, C beta, C threshold) {
    const C z = std::exp(x * beta);
    return x * beta > threshold ? g : g * z / (z + 1);
}

// --- piecewise linear ones -------------------------------------------------------------------------------------------------------------------

ALC_FUNCTOR(Hardsigmoid, C x) { return clampOf(x + 3, C(0), C(6)) / 6; }
ALC_FUNCTOR(HardsigmoidBackward, C g, C x) { return x > -3 && x < 3 ? g / 6 : C(0); }
ALC_FUNCTOR(Hardswish, C x) { return x * clampOf(x + 3, C(0), C(6)) / 6; }
ALC_FUNCTOR(HardswishBackward, C g, C x) { return x <= -3 ? C(0) : x < 3 ? g * (x / 3 + C(0.5)) : g; }
ALC_FUNCTOR(LeakyRelu, C x, C slope) { return x > 0 ? x : x * slope; }
ALC_FUNCTOR(LeakyReluBackward, C g, C x, C slope) { return x > 0 ? g : g * slope; }
ALC_FUNCTOR(Hardshrink, C x, C lambda) { return x >= -lambda && x <= lambda ? C(0) : x; }
ALC_FUNCTOR(Softshrink, C x, C lambda) { return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * 0; }
ALC_FUNCTOR(ShrinkBackward, C g, C x, C lambda) { return x >= -lambda && x <= lambda ? C(0) : g; }
#undef ALC_FUNCTOR

struct Hardtanh {
    template <class C>
    C operator()(C x, C low, C high) const {
        return x < low ? low : x > high ? high : x;
    }
};
struct HardtanhBackward {
    template <class C>
    C operator()(C g, C x, C low, C high) const {
        return x <= low || x >= high ? C(0) : g;
    }
};
struct Threshold {
    template <class C>
    C operator()(C x, C threshold, C value) const {
        return x <= threshold ? value : x;
    }
};
struct ThresholdBackward {
    template <class C>
    C operator()(C g, C x, C threshold) const {
        return x <= threshold ? C(0) : g;
    }
};
struct Prelu {
    template <std::floating_point C>
    C operator()(C x, C weight) const {
        return x > 0 ? x : weight * x;
    }
};
struct PreluBackwardSelf {
    template <std::floating_point C>
    C operator()(C g, C x, C weight) const {
        return x > 0 ? g : weight * g;
    }
};
struct PreluBackwardWeight {
    template <std::floating_point C>
    C operator()(C g, C x) const {
        return x > 0 ? C(0) : x * g;
    }
};

/// _prelu_kernel_backward(grad, self, weight): both derivatives, element by element.
void preluBackward(OpCall& call) {
    const std::array all{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2)};
    pointwiseApply<PreluBackwardSelf>(call.out(0), all, call.tensor(1).dtype);
    pointwiseApply<PreluBackwardWeight>(call.out(1), std::array{all[0], all[1]}, call.tensor(1).dtype);
}

// --- gates -----------------------------------------------------------------------------------------------------------------------------------

struct Gate {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return a * sigmoidOf(b);
    }
};
struct GateValue {
    template <std::floating_point C>
    C operator()(C g, C b) const {
        return g * sigmoidOf(b);
    }
};
struct GateBackward {
    template <std::floating_point C>
    C operator()(C g, C a, C b) const {
        const C s = sigmoidOf(b);
        return (1 - s) * s * g * a;
    }
};

/// Half `which` of `t` along `dim`.
Tensor half(const Tensor& t, std::int64_t dim, int which) {
    Tensor out = t;
    const auto d = static_cast<std::size_t>(dim);
    if (t.rank() == 0 || t.sizes[d] % 2 != 0) failShape("self", shapeText(t.sizes), "an even size in dimension " + std::to_string(dim));
    out.sizes[d] /= 2;
    out.offset += which * out.sizes[d] * out.strides[d];
    return out;
}

void glu(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const std::int64_t dim = call.dim(1, in.rank());
    const Tensor a = half(in, dim, 0), b = half(in, dim, 1);
    pointwiseApply<Gate>(call.out(), std::array{pointwiseOperand(a), pointwiseOperand(b)}, in.dtype);
}

void gluBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &in = call.tensor(1);
    const std::int64_t dim = call.dim(2, in.rank());
    const Tensor a = half(in, dim, 0), b = half(in, dim, 1);
    pointwiseApply<GateValue>(half(call.out(), dim, 0), std::array{pointwiseOperand(grad), pointwiseOperand(b)}, in.dtype);
    pointwiseApply<GateBackward>(half(call.out(), dim, 1), std::array{pointwiseOperand(grad), pointwiseOperand(a), pointwiseOperand(b)}, in.dtype);
}

/// native_dropout_backward(grad, mask, scale).
struct DropoutBackward {
    template <std::floating_point C>
    C operator()(C g, C mask, C scale) const {
        return g * (mask != 0 ? scale : C(0));
    }
};
void dropoutBackward(OpCall& call) {
    pointwiseApply<DropoutBackward>(call.out(), std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2)},
                                    call.out().dtype);
}

constexpr MeetRule P = MeetRule::Promoted;

}  // namespace

void registerActivations(KernelTable& t) {
    constexpr auto exact = ToleranceClass::Exact, rounded = ToleranceClass::Rounded, transcendental = ToleranceClass::Transcendental;
    constexpr auto cancelling = ToleranceClass::Reduction;  // terms as large as the operand may cancel: an error relative to them, not to the result
    auto add = [&t](std::string_view op, KernelFn run, ToleranceClass c) { addPointwise(t, "aten::" + std::string(op), run, c); };
    add("gelu", gelu<Gelu, GeluTanh, 0>, cancelling);
    add("gelu_backward", gelu<GeluBackward, GeluTanhBackward, 0, 1>, cancelling);
    add("sigmoid_backward", pointwise<SigmoidBackward, P, 0, 1>, cancelling);
    add("tanh_backward", pointwise<TanhBackward, P, 0, 1>, cancelling);
    add("silu", pointwise<Silu, P, 0>, transcendental);
    add("silu_backward", pointwise<SiluBackward, P, 0, 1>, cancelling);
    add("mish", pointwise<Mish, P, 0>, cancelling);
    add("mish_backward", pointwise<MishBackward, P, 0, 1>, cancelling);
    add("log_sigmoid", pointwise<LogSigmoid, P, 0>, cancelling);
    add("log_sigmoid_backward", pointwise<LogSigmoidBackward, P, 0, 1>, transcendental);
    add("logit_backward", logitBackward, cancelling);
    add("elu", pointwise<Elu, P, 0, 1, 2, 3>, transcendental);
    add("elu_backward", pointwise<EluBackward, P, 0, 1, 2, 3, 4, 5>, transcendental);
    add("celu", pointwise<Celu, P, 0, 1>, transcendental);
    add("selu", pointwise<Selu, P, 0>, transcendental);
    add("softplus", pointwise<Softplus, P, 0, 1, 2>, cancelling);
    add("softplus_backward", pointwise<SoftplusBackward, P, 0, 1, 2, 3>, transcendental);
    add("hardsigmoid", pointwise<Hardsigmoid, P, 0>, transcendental);
    add("hardsigmoid_backward", pointwise<HardsigmoidBackward, P, 0, 1>, transcendental);
    add("hardswish", pointwise<Hardswish, P, 0>, transcendental);
    add("hardswish_backward", pointwise<HardswishBackward, P, 0, 1>, transcendental);
    add("leaky_relu", pointwise<LeakyRelu, P, 0, 1>, rounded);
    add("leaky_relu_backward", pointwise<LeakyReluBackward, P, 0, 1, 2>, rounded);
    add("hardshrink", pointwise<Hardshrink, P, 0, 1>, exact);
    add("softshrink", pointwise<Softshrink, P, 0, 1>, rounded);
    for (const char* op : {"hardshrink_backward", "softshrink_backward"}) add(op, pointwise<ShrinkBackward, P, 0, 1, 2>, exact);
    add("hardtanh", pointwise<Hardtanh, P, 0, 1, 2>, exact);
    add("hardtanh_backward", pointwise<HardtanhBackward, P, 0, 1, 2, 3>, exact);
    add("threshold", pointwise<Threshold, P, 0, 1, 2>, exact);
    add("threshold_backward", pointwise<ThresholdBackward, P, 0, 1, 2>, exact);
    for (const char* op : {"prelu", "_prelu_kernel"}) add(op, pointwise<Prelu, P, 0, 1>, rounded);
    t.add("aten::_prelu_kernel_backward", preluBackward, rounded);
    t.add("aten::log_sigmoid_forward", logSigmoidForward, cancelling);
    t.add("aten::glu", glu, transcendental);
    t.add("aten::glu_backward", gluBackward, transcendental);
    add("native_dropout_backward", dropoutBackward, rounded);
}

}  // namespace aliascope::exec
