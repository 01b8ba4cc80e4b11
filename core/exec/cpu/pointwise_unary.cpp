// Functions of one operand.

#include <numbers>

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"

namespace aliascope::exec {
namespace {

template <class C>
constexpr C kPi = std::numbers::pi_v<C>;

// --- exact ones ----------------------------------------------------------------------------------------------------------------------------

struct Identity {
    template <class C>
    C operator()(C x) const {
        return x;
    }
};
struct Negate {
    template <std::floating_point C>
    C operator()(C x) const {
        return -x;
    }
    std::int64_t operator()(std::int64_t x) const { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x)); }
};
struct Absolute {
    template <std::floating_point C>
    C operator()(C x) const {
        return std::fabs(x);
    }
    std::int64_t operator()(std::int64_t x) const { return x < 0 ? Negate()(x) : x; }
};
struct Square {
    template <class C>
    C operator()(C x) const {
        if constexpr (std::is_integral_v<C>)
            return static_cast<C>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x));
        else
            return x * x;
    }
};
struct Relu {
    template <class C>
    C operator()(C x) const {
        return x > 0 || isNaN(x) ? x : C(0);
    }
};
struct Relu6 {
    template <class C>
    C operator()(C x) const {
        return isNaN(x) ? x : x > 0 ? (x > 6 ? C(6) : x) : C(0);
    }
};
struct Sign {
    template <class C>
    C operator()(C x) const {
        return static_cast<C>((x > 0) - (x < 0));
    }
};
struct BitwiseNot {
    std::int64_t operator()(std::int64_t x) const { return ~x; }
};

/// Rounding functions; integers stay.
template <auto FloatFn>
struct Rounding {
    float operator()(float x) const { return static_cast<float>(FloatFn(x)); }  // exact: whole numbers of f32 are whole in f64
    double operator()(double x) const { return FloatFn(x); }
    std::int64_t operator()(std::int64_t x) const { return x; }
};
double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double truncOf(double x) { return std::trunc(x); }
double roundOf(double x) { return std::nearbyint(x); }
struct Fraction {
    template <std::floating_point C>
    C operator()(C x) const {
        return x - std::trunc(x);
    }
};

/// round(x, decimals): powers of ten with negative exponents are not exact, so the sign of `decimals` decides between * and /.
struct RoundScaled {
    template <std::floating_point C>
    C operator()(C x, C power) const {
        return std::nearbyint(x * power) / power;
    }
};
struct RoundTens {
    template <std::floating_point C>
    C operator()(C x, C power) const {
        return std::nearbyint(x / power) * power;
    }
};

void roundDecimals(OpCall& call) {
    const std::int64_t decimals = call.integer(1);
    const Tensor& self = call.tensor(0);
    if (!info(self.dtype).floating) return copyElements(call.out(), self);
    std::array<PointwiseOperand, 2> operands{pointwiseOperand(self), {}};
    operands[1].real = std::pow(10.0, static_cast<double>(decimals < 0 ? -decimals : decimals));
    if (decimals < 0)
        pointwiseApply<RoundTens>(call.out(), operands, self.dtype);
    else
        pointwiseApply<RoundScaled>(call.out(), operands, self.dtype);
}

// --- transcendental ones --------------------------------------------------------------------------------------------------------------------

#define ALC_FLOAT_FUNCTION(NAME, EXPRESSION)   \
    struct NAME {                              \
        template <std::floating_point C>       \
        C operator()(C x) const {              \
            return static_cast<C>(EXPRESSION); \
        }                                      \
    }
ALC_FLOAT_FUNCTION(Exp, std::exp(x));
ALC_FLOAT_FUNCTION(Exp2, std::exp2(x));
ALC_FLOAT_FUNCTION(Expm1, std::expm1(x));
ALC_FLOAT_FUNCTION(Log, std::log(x));
ALC_FLOAT_FUNCTION(Log2, std::log2(x));
ALC_FLOAT_FUNCTION(Log10, std::log10(x));
ALC_FLOAT_FUNCTION(Log1p, std::log1p(x));
ALC_FLOAT_FUNCTION(Sqrt, std::sqrt(x));
ALC_FLOAT_FUNCTION(Rsqrt, 1 / std::sqrt(x));
ALC_FLOAT_FUNCTION(Cbrt, std::cbrt(x));
ALC_FLOAT_FUNCTION(Reciprocal, 1 / x);
ALC_FLOAT_FUNCTION(Sin, std::sin(x));
ALC_FLOAT_FUNCTION(Cos, std::cos(x));
ALC_FLOAT_FUNCTION(Tan, std::tan(x));
ALC_FLOAT_FUNCTION(Sinh, std::sinh(x));
ALC_FLOAT_FUNCTION(Cosh, std::cosh(x));
ALC_FLOAT_FUNCTION(Tanh, std::tanh(x));
ALC_FLOAT_FUNCTION(Asin, std::asin(x));
ALC_FLOAT_FUNCTION(Acos, std::acos(x));
ALC_FLOAT_FUNCTION(Atan, std::atan(x));
ALC_FLOAT_FUNCTION(Asinh, std::asinh(x));
ALC_FLOAT_FUNCTION(Acosh, std::acosh(x));
ALC_FLOAT_FUNCTION(Atanh, std::atanh(x));
ALC_FLOAT_FUNCTION(Sigmoid, 1 / (1 + std::exp(-x)));
ALC_FLOAT_FUNCTION(Erf, std::erf(x));
ALC_FLOAT_FUNCTION(Erfc, std::erfc(x));
ALC_FLOAT_FUNCTION(Lgamma, std::lgamma(x));
ALC_FLOAT_FUNCTION(Deg2rad, x* C(std::numbers::pi / 180));
ALC_FLOAT_FUNCTION(Rad2deg, x* C(180 / std::numbers::pi));
ALC_FLOAT_FUNCTION(Sinc, x == 0 ? C(1) : std::sin(kPi<C> * x) / (kPi<C> * x));
ALC_FLOAT_FUNCTION(Angle, isNaN(x) ? x : x < 0 ? kPi<C> : C(0));
ALC_FLOAT_FUNCTION(Entropy, isNaN(x) ? x : x > 0 ? -x * std::log(x) : x == 0 ? C(0) : -std::numeric_limits<C>::infinity());
#undef ALC_FLOAT_FUNCTION

/// Inverse of erf: a first guess (Giles 2012), then Newton steps in f64.
double inverseErf(double x) {
    if (isNaN(x) || std::fabs(x) > 1) return std::numeric_limits<double>::quiet_NaN();
    if (std::fabs(x) == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
    const double a = std::log1p(-x * x), b = 2 / (std::numbers::pi * 0.147) + a / 2;
    double y = std::copysign(std::sqrt(std::sqrt(b * b - a / 0.147) - b), x);
    for (int step = 0; step < 4; ++step) {
        // erfc keeps the digits that erf loses near 1.
        const double error = std::fabs(y) < 0.5 ? std::erf(y) - x : std::copysign(1.0, x) * (1 - std::fabs(x) - std::erfc(std::fabs(y)));
        const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-y * y);
        if (slope == 0) break;
        const double newton = error / slope;
        y -= newton / (1 + y * newton);
    }
    return y;
}
struct Erfinv {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(inverseErf(x));
    }
};

struct Logit {
    template <std::floating_point C>
    C operator()(C x) const {
        return std::log(x / (1 - x));
    }
};
struct LogitClamped {
    template <std::floating_point C>
    C operator()(C x, C eps) const {
        return Logit()(x < eps ? eps : x > 1 - eps ? 1 - eps : x);
    }
};

void logit(OpCall& call) {
    if (call.args.at(1).isNone())
        pointwise<Logit, MeetRule::Floating, 0>(call);
    else
        pointwise<LogitClamped, MeetRule::Floating, 0, 1>(call);
}

// --- tests -----------------------------------------------------------------------------------------------------------------------------------

struct IsNaN {
    template <class C>
    C operator()(C x) const {
        return static_cast<C>(isNaN(x));
    }
};
struct IsInf {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(std::isinf(x));
    }
    std::int64_t operator()(std::int64_t) const { return 0; }
};
struct IsFinite {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(std::isfinite(x));
    }
    std::int64_t operator()(std::int64_t) const { return 1; }
};
struct IsPosInf {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(std::isinf(x) && x > 0);
    }
    std::int64_t operator()(std::int64_t) const { return 0; }
};
struct IsNegInf {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(std::isinf(x) && x < 0);
    }
    std::int64_t operator()(std::int64_t) const { return 0; }
};
struct SignBit {
    template <std::floating_point C>
    C operator()(C x) const {
        return static_cast<C>(std::signbit(x));
    }
    std::int64_t operator()(std::int64_t x) const { return x < 0; }
};
struct LogicalNot {
    template <class C>
    C operator()(C x) const {
        return static_cast<C>(x == 0);
    }
};  // of NaN: false
struct One {
    template <class C>
    C operator()(C) const {
        return C(1);
    }
};

// --- others ----------------------------------------------------------------------------------------------------------------------------------

struct NanToNum {
    template <std::floating_point C>
    C operator()(C x, C nan, C positive, C negative) const {
        return isNaN(x) ? nan : std::isinf(x) ? (x > 0 ? positive : negative) : x;
    }
};

double largest(DType d) {
    switch (d) {
        case DType::F64:
            return std::numeric_limits<double>::max();
        case DType::F16:
            return 65504;
        case DType::BF16:
            return toFloat(BFloat16{0x7F7F});
        default:
            return std::numeric_limits<float>::max();
    }
}

void nanToNum(OpCall& call) {
    const Tensor& self = call.tensor(0);
    if (!info(self.dtype).floating) return copyElements(call.out(), self);
    std::array<PointwiseOperand, 4> operands{pointwiseOperand(self), {}, {}, {}};
    const double defaults[] = {0, largest(self.dtype), -largest(self.dtype)};
    for (std::size_t k = 0; k < 3; ++k) operands[k + 1].real = call.args.at(k + 1).isNone() ? defaults[k] : call.number(k + 1);
    pointwiseApply<NanToNum>(call.out(), operands, self.dtype);
}

/// frexp(self): mantissa in [0.5, 1) and exponent.
void frexp(OpCall& call) {
    const Tensor &self = call.tensor(0), &mantissa = call.out(0), &exponent = call.out(1);
    if (!info(self.dtype).floating) failDType(self.dtype);
    StridedLoop<3>(mantissa.sizes, {&mantissa, &exponent, &self}).forEach([&](const auto& at) {
        int e = 0;
        const double x = readDouble(self, at[2]);
        writeDouble(mantissa, at[0], std::isfinite(x) ? std::frexp(x, &e) : x);
        writeInteger(exponent, at[1], e);
    });
}

/// bitwise_not of bool is logical.
void bitwiseNot(OpCall& call) {
    if (call.tensor(0).dtype == DType::B8)
        pointwise<LogicalNot, MeetRule::Promoted, 0>(call);
    else
        pointwise<BitwiseNot, MeetRule::Promoted, 0>(call);
}

struct Entry {
    const char* op;
    KernelFn run;
};

constexpr MeetRule P = MeetRule::Promoted, F = MeetRule::Floating;

constexpr Entry kExact[] = {
    {"neg", pointwise<Negate, P, 0>},
    {"positive", pointwise<Identity, P, 0>},
    {"conj_physical", pointwise<Identity, P, 0>},
    {"_conj_physical", pointwise<Identity, P, 0>},
    {"abs", pointwise<Absolute, P, 0>},
    {"absolute", pointwise<Absolute, P, 0>},
    {"relu", pointwise<Relu, P, 0>},
    {"relu6", pointwise<Relu6, P, 0>},
    {"sign", pointwise<Sign, P, 0>},
    {"sgn", pointwise<Sign, P, 0>},
    {"floor", pointwise<Rounding<floorOf>, P, 0>},
    {"ceil", pointwise<Rounding<ceilOf>, P, 0>},
    {"trunc", pointwise<Rounding<truncOf>, P, 0>},
    {"fix", pointwise<Rounding<truncOf>, P, 0>},
    {"round", pointwise<Rounding<roundOf>, P, 0>},
    {"frac", pointwise<Fraction, P, 0>},
    {"bitwise_not", bitwiseNot},
    {"logical_not", pointwise<LogicalNot, P, 0>},
    {"isnan", pointwise<IsNaN, P, 0>},
    {"isinf", pointwise<IsInf, P, 0>},
    {"isfinite", pointwise<IsFinite, P, 0>},
    {"isposinf", pointwise<IsPosInf, P, 0>},
    {"isneginf", pointwise<IsNegInf, P, 0>},
    {"signbit", pointwise<SignBit, P, 0>},
    {"isreal", pointwise<One, P, 0>},
    {"nan_to_num", nanToNum},
    {"angle", pointwise<Angle, F, 0>},
};
constexpr Entry kRounded[] = {
    {"square", pointwise<Square, P, 0>},   {"sqrt", pointwise<Sqrt, F, 0>},       {"reciprocal", pointwise<Reciprocal, F, 0>},
    {"deg2rad", pointwise<Deg2rad, F, 0>}, {"rad2deg", pointwise<Rad2deg, F, 0>}, {"round.decimals", roundDecimals},
};
constexpr Entry kTranscendental[] = {
    {"exp", pointwise<Exp, F, 0>},       {"exp2", pointwise<Exp2, F, 0>},   {"expm1", pointwise<Expm1, F, 0>},
    {"log", pointwise<Log, F, 0>},       {"log2", pointwise<Log2, F, 0>},   {"log10", pointwise<Log10, F, 0>},
    {"log1p", pointwise<Log1p, F, 0>},   {"rsqrt", pointwise<Rsqrt, F, 0>}, {"sin", pointwise<Sin, F, 0>},
    {"cos", pointwise<Cos, F, 0>},       {"tan", pointwise<Tan, F, 0>},     {"sinh", pointwise<Sinh, F, 0>},
    {"cosh", pointwise<Cosh, F, 0>},     {"tanh", pointwise<Tanh, F, 0>},   {"asin", pointwise<Asin, F, 0>},
    {"acos", pointwise<Acos, F, 0>},     {"atan", pointwise<Atan, F, 0>},   {"asinh", pointwise<Asinh, F, 0>},
    {"acosh", pointwise<Acosh, F, 0>},   {"atanh", pointwise<Atanh, F, 0>}, {"sigmoid", pointwise<Sigmoid, F, 0>},
    {"erf", pointwise<Erf, F, 0>},       {"erfc", pointwise<Erfc, F, 0>},   {"erfinv", pointwise<Erfinv, F, 0>},
    {"lgamma", pointwise<Lgamma, F, 0>}, {"sinc", pointwise<Sinc, F, 0>},   {"special_entr", pointwise<Entropy, F, 0>},
};

/// Operators of prims that compute the same; prims knows no promotion, operands have the same type already.
constexpr Entry kPrims[] = {
    {"neg", pointwise<Negate, P, 0>},
    {"abs", pointwise<Absolute, P, 0>},
    {"sign", pointwise<Sign, P, 0>},
    {"floor", pointwise<Rounding<floorOf>, P, 0>},
    {"ceil", pointwise<Rounding<ceilOf>, P, 0>},
    {"trunc", pointwise<Rounding<truncOf>, P, 0>},
    {"round", pointwise<Rounding<roundOf>, P, 0>},
    {"bitwise_not", bitwiseNot},
    {"isfinite", pointwise<IsFinite, P, 0>},
    {"signbit", pointwise<SignBit, P, 0>},
    {"exp", pointwise<Exp, F, 0>},
    {"exp2", pointwise<Exp2, F, 0>},
    {"expm1", pointwise<Expm1, F, 0>},
    {"log", pointwise<Log, F, 0>},
    {"log2", pointwise<Log2, F, 0>},
    {"log10", pointwise<Log10, F, 0>},
    {"log1p", pointwise<Log1p, F, 0>},
    {"sqrt", pointwise<Sqrt, F, 0>},
    {"rsqrt", pointwise<Rsqrt, F, 0>},
    {"cbrt", pointwise<Cbrt, F, 0>},
    {"reciprocal", pointwise<Reciprocal, F, 0>},
    {"sin", pointwise<Sin, F, 0>},
    {"cos", pointwise<Cos, F, 0>},
    {"tan", pointwise<Tan, F, 0>},
    {"sinh", pointwise<Sinh, F, 0>},
    {"cosh", pointwise<Cosh, F, 0>},
    {"tanh", pointwise<Tanh, F, 0>},
    {"asin", pointwise<Asin, F, 0>},
    {"acos", pointwise<Acos, F, 0>},
    {"atan", pointwise<Atan, F, 0>},
    {"asinh", pointwise<Asinh, F, 0>},
    {"acosh", pointwise<Acosh, F, 0>},
    {"atanh", pointwise<Atanh, F, 0>},
    {"erf", pointwise<Erf, F, 0>},
    {"erfc", pointwise<Erfc, F, 0>},
    {"erf_inv", pointwise<Erfinv, F, 0>},
    {"lgamma", pointwise<Lgamma, F, 0>},
};

}  // namespace

void registerPointwiseUnary(KernelTable& t) {
    const std::string aten = "aten::", prims = "prims::";
    for (const Entry& e : kExact) addPointwise(t, aten + e.op, e.run, ToleranceClass::Exact);
    for (const Entry& e : kRounded) addPointwise(t, aten + e.op, e.run, ToleranceClass::Rounded);
    for (const Entry& e : kTranscendental) addPointwise(t, aten + e.op, e.run, ToleranceClass::Transcendental);
    for (const Entry& e : kPrims) addPointwise(t, prims + e.op, e.run, ToleranceClass::Transcendental);
    addPointwise(t, "aten::logit", logit, ToleranceClass::Reduction);  // near 1/2 a logarithm of nearly 1, whose argument is rounded
    t.add("aten::frexp.Tensor", frexp);
}

}  // namespace aliascope::exec
