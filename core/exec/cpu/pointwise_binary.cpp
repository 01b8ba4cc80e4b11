// Arithmetic of two and three operands.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"

namespace aliascope::exec {
namespace {

/// Signed overflow wraps around.
template <class C, class Op>
C wrapping(C a, C b, Op op) {
    if constexpr (std::is_integral_v<C>)
        return static_cast<C>(op(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    else
        return op(a, b);
}
template <class C>
C plus(C a, C b) {
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
}
template <class C>
C minus(C a, C b) {
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
}
template <class C>
C times(C a, C b) {
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

struct Add {
    template <class C>
    C operator()(C a, C b) const {
        return plus(a, b);
    }
};
struct AddScaled {
    template <class C>
    C operator()(C a, C b, C alpha) const {
        return plus(a, times(alpha, b));
    }
};
struct Subtract {
    template <class C>
    C operator()(C a, C b) const {
        return minus(a, b);
    }
};
struct SubtractScaled {
    template <class C>
    C operator()(C a, C b, C alpha) const {
        return minus(a, times(alpha, b));
    }
};
struct SubtractFrom {
    template <class C>
    C operator()(C a, C b, C alpha) const {
        return minus(b, times(alpha, a));
    }
};
struct Multiply {
    template <class C>
    C operator()(C a, C b) const {
        return times(a, b);
    }
};
struct Divide {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return a / b;
    }
};

/// Largest multiple of b that is not beyond a, divided by b: Python's `//`.
template <std::floating_point C>
C floorDivide(C a, C b) {
    if (b == 0) return a / b;
    const C rest = std::fmod(a, b);
    C quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(C(0), a / b);
    const C floor = std::floor(quotient);
    return quotient - floor > C(0.5) ? floor + 1 : floor;
}

template <std::floating_point C>
C remainderOf(C a, C b) {
    const C rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

// Integers: divisors are checked before, -1 is set apart because the quotient of the smallest number overflows.
std::int64_t truncDivide(std::int64_t a, std::int64_t b) { return b == -1 ? minus<std::int64_t>(0, a) : a / b; }
std::int64_t truncRest(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }
std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = truncRest(a, b);
    return truncDivide(a, b) - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
}
std::int64_t remainderOf(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = truncRest(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

struct FloorDivide {
    template <class C>
    C operator()(C a, C b) const {
        return floorDivide(a, b);
    }
};
struct TruncDivide {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::trunc(a / b);
    }
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return truncDivide(a, b); }
};
struct Remainder {
    template <class C>
    C operator()(C a, C b) const {
        return remainderOf(a, b);
    }
};
struct Fmod {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::fmod(a, b);
    }
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return truncRest(a, b); }
};

/// Integer quotients by F, after a look for zeros among the divisors.
template <class F>
void quotient(OpCall& call) {
    constexpr std::size_t indices[] = {0, 1};
    if (const DType meet = meetingType(call, indices, 2, MeetRule::Promoted); !info(meet).floating && call.out().numel() > 0) {
        auto zeroAt = [](std::string pos) { failExec("DIVISION_BY_ZERO", {{"pos", std::move(pos)}}); };
        if (const Tensor* divisor = call.args[1].tensor()) {
            std::int64_t pos = 0;
            StridedLoop<1>(divisor->sizes, {divisor}, LoopOrder::Logical).forEach([&](const auto& at) {
                if (readInteger(*divisor, at[0]) == 0) zeroAt("element " + std::to_string(pos));
                ++pos;
            });
        } else if (call.number(1) == 0) {
            zeroAt("the number");
        }
    }
    pointwise<F, MeetRule::Promoted, 0, 1>(call);
}

/// div(self, other, rounding_mode).
void divideMode(OpCall& call) {
    const std::string_view mode = call.args.at(2).text().view();
    if (mode == "trunc")
        quotient<TruncDivide>(call);
    else if (mode == "floor")
        quotient<FloorDivide>(call);
    else if (call.args[2].isNone())
        pointwise<Divide, MeetRule::Floating, 0, 1>(call);
    else
        failUnsupported("rounding_mode " + std::string(mode) + " is none of None, trunc, floor");
}

/// `alpha` of 1, as nearly always, costs nothing.
template <class Plain, class Scaled>
void scaled(OpCall& call) {
    if (call.args.size() < 3 || call.number(2) == 1)
        pointwise<Plain, MeetRule::Promoted, 0, 1>(call);
    else
        pointwise<Scaled, MeetRule::Promoted, 0, 1, 2>(call);
}

// --- powers --------------------------------------------------------------------------------------------------------------------------------

struct Power {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::pow(a, b);
    }
    /// 0 for negative exponents, except of 1 and -1.
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
        std::int64_t out = 1;
        for (; b; b >>= 1, a = times(a, a))
            if (b & 1) out = times(out, a);
        return out;
    }
};
struct PowerSquare {
    template <class C>
    C operator()(C a) const {
        return times(a, a);
    }
};
struct PowerCube {
    template <class C>
    C operator()(C a) const {
        return times(times(a, a), a);
    }
};
struct PowerHalf {
    template <std::floating_point C>
    C operator()(C a) const {
        return std::sqrt(a);
    }
};
struct PowerMinusHalf {
    template <std::floating_point C>
    C operator()(C a) const {
        return 1 / std::sqrt(a);
    }
};
struct PowerMinusOne {
    template <std::floating_point C>
    C operator()(C a) const {
        return 1 / a;
    }
};
struct PowerMinusTwo {
    template <std::floating_point C>
    C operator()(C a) const {
        return 1 / (a * a);
    }
};

template <class F>
void powerAs(OpCall& call, DType meet) {
    std::array<PointwiseOperand, 1> base{pointwiseOperand(call, 0)};
    markRounding(base.data(), 1, meet, MeetRule::Promoted);
    pointwiseApply<F>(call.out(), base, meet);
}

void powerOfScalar(OpCall& call) {
    constexpr std::size_t indices[] = {0, 1};
    const DType meet = meetingType(call, indices, 2, MeetRule::Promoted);
    const double exponent = call.number(1);
    if (!info(meet).floating && exponent < 0) failUnsupported("integers to negative integer powers are not allowed");
    if (exponent == 2) return powerAs<PowerSquare>(call, meet);
    if (exponent == 3) return powerAs<PowerCube>(call, meet);
    if (info(meet).floating) {
        if (exponent == 0.5) return powerAs<PowerHalf>(call, meet);
        if (exponent == -0.5) return powerAs<PowerMinusHalf>(call, meet);
        if (exponent == -1) return powerAs<PowerMinusOne>(call, meet);
        if (exponent == -2) return powerAs<PowerMinusTwo>(call, meet);
    }
    pointwise<Power, MeetRule::Promoted, 0, 1>(call);
}

void power(OpCall& call) {
    if (call.args.at(1).tensor())
        pointwise<Power, MeetRule::Promoted, 0, 1>(call);
    else
        powerOfScalar(call);
}

/// float_power computes and returns f64.
void floatPower(OpCall& call) {
    const std::array<PointwiseOperand, 2> operands{pointwiseOperand(call, 0), pointwiseOperand(call, 1)};
    pointwiseApply<Power>(call.out(), operands, DType::F64);
}

// --- larger and smaller ----------------------------------------------------------------------------------------------------------------------

struct Maximum {
    template <class C>
    C operator()(C a, C b) const {
        return isNaN(a) ? a : isNaN(b) || b > a ? b : a;
    }
};
struct Minimum {
    template <class C>
    C operator()(C a, C b) const {
        return isNaN(a) ? a : isNaN(b) || b < a ? b : a;
    }
};
struct Fmax {
    template <class C>
    C operator()(C a, C b) const {
        return isNaN(a) || b > a ? b : a;
    }
};
struct Fmin {
    template <class C>
    C operator()(C a, C b) const {
        return isNaN(a) || b < a ? b : a;
    }
};
/// min(max(x, low), high): where the bounds cross, the upper one wins.
struct Clamp {
    template <class C>
    C operator()(C x, C low, C high) const {
        return Minimum()(Maximum()(x, low), high);
    }
};

/// clamp(self, min, max), either of which may be None.
void clamp(OpCall& call) {
    const bool low = !call.args.at(1).isNone(), high = !call.args.at(2).isNone();
    if (low && high)
        pointwise<Clamp, MeetRule::Promoted, 0, 1, 2>(call);
    else if (low)
        pointwise<Maximum, MeetRule::Promoted, 0, 1>(call);
    else if (high)
        pointwise<Minimum, MeetRule::Promoted, 0, 2>(call);
    else
        failUnsupported("at least one of min and max must be given");
}

// --- the others ----------------------------------------------------------------------------------------------------------------------------

struct Lerp {
    template <std::floating_point C>
    C operator()(C a, C b, C w) const {
        return std::fabs(w) < C(0.5) ? a + w * (b - a) : b - (b - a) * (1 - w);
    }
};
struct AddProduct {
    template <class C>
    C operator()(C a, C b, C c, C value) const {
        return plus(a, times(times(value, b), c));
    }
};
struct AddQuotient {
    template <std::floating_point C>
    C operator()(C a, C b, C c, C value) const {
        return a + value * (b / c);
    }
};
struct Fma {
    template <std::floating_point C>
    C operator()(C a, C b, C c) const {
        return std::fma(a, b, c);
    }
};
struct Atan2 {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::atan2(a, b);
    }
};
struct Hypot {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::hypot(a, b);
    }
};
struct Copysign {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::copysign(a, b);
    }
};

struct Heaviside {
    template <class C>
    C operator()(C x, C atZero) const {
        return x == 0 ? atZero : static_cast<C>(x > 0);
    }
};
struct Xlogy {
    template <std::floating_point C>
    C operator()(C x, C y) const {
        return isNaN(y) ? y : x == 0 ? C(0) : x * std::log(y);
    }
};
struct Xlog1py {
    template <std::floating_point C>
    C operator()(C x, C y) const {
        return isNaN(y) ? y : x == 0 ? C(0) : x * std::log1p(y);
    }
};
struct Ldexp {
    template <std::floating_point C>
    C operator()(C x, C e) const {
        return x * std::exp2(e);
    }
};
struct LogAddExp {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        if (std::isinf(a) && a == b) return a;
        const C high = std::fmax(a, b);
        return isNaN(a) || isNaN(b) ? a + b : high + std::log1p(std::exp(-std::fabs(a - b)));
    }
};
struct LogAddExp2 {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        if (std::isinf(a) && a == b) return a;
        const C high = std::fmax(a, b);
        return isNaN(a) || isNaN(b) ? a + b : high + std::log1p(std::exp2(-std::fabs(a - b))) / C(0.6931471805599453094);
    }
};

std::int64_t greatestDivisor(std::int64_t a, std::int64_t b) {
    while (b != 0) {
        const std::int64_t rest = truncRest(a, b);
        a = b;
        b = rest;
    }
    return a < 0 ? minus<std::int64_t>(0, a) : a;
}
struct Gcd {
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return greatestDivisor(a, b); }
};
struct Lcm {
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const std::int64_t divisor = greatestDivisor(a, b);
        if (divisor == 0) return 0;
        const std::int64_t product = times(truncDivide(a, divisor), b);
        return product < 0 ? minus<std::int64_t>(0, product) : product;
    }
};

using Run = ToleranceClass;
constexpr MeetRule P = MeetRule::Promoted, F = MeetRule::Floating;

}  // namespace

void registerPointwiseBinary(KernelTable& t) {
    for (const char* op : {"aten::add.Tensor", "aten::add.Scalar", "prims::add"}) addPointwise(t, op, scaled<Add, AddScaled>);
    for (const char* op : {"aten::sub.Tensor", "aten::sub.Scalar", "prims::sub"}) addPointwise(t, op, scaled<Subtract, SubtractScaled>);
    for (const char* op : {"aten::rsub.Tensor", "aten::rsub.Scalar"}) addPointwise(t, op, pointwise<SubtractFrom, P, 0, 1, 2>);
    for (const char* op : {"aten::mul.Tensor", "aten::mul.Scalar", "prims::mul"}) addPointwise(t, op, pointwise<Multiply, P, 0, 1>);
    for (const char* op : {"aten::div.Tensor", "aten::div.Scalar", "aten::true_divide.Tensor", "aten::true_divide.Scalar"})
        addPointwise(t, op, pointwise<Divide, F, 0, 1>);
    for (const char* op : {"aten::div.Tensor_mode", "aten::div.Scalar_mode"}) addPointwise(t, op, divideMode);
    for (const char* op : {"aten::floor_divide", "aten::floor_divide.Scalar"}) addPointwise(t, op, quotient<FloorDivide>);
    for (const char* op : {"aten::remainder.Tensor", "aten::remainder.Scalar", "aten::remainder.Scalar_Tensor", "prims::remainder"})
        addPointwise(t, op, quotient<Remainder>);
    for (const char* op : {"aten::fmod.Tensor", "aten::fmod.Scalar", "prims::fmod"}) addPointwise(t, op, quotient<Fmod>);
    for (const char* op : {"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor", "prims::pow"}) addPointwise(t, op, power, Run::Transcendental);
    addPointwise(t, "aten::pow.Scalar", pointwise<Power, P, 0, 1>, Run::Transcendental);
    for (const char* op : {"aten::float_power.Tensor_Tensor", "aten::float_power.Tensor_Scalar", "aten::float_power.Scalar"})
        addPointwise(t, op, floatPower, Run::Transcendental);

    for (const char* op : {"aten::maximum", "aten::max.other", "aten::clamp_min", "aten::clamp_min.Tensor", "prims::maximum"})
        addPointwise(t, op, pointwise<Maximum, P, 0, 1>, Run::Exact);
    for (const char* op : {"aten::minimum", "aten::min.other", "aten::clamp_max", "aten::clamp_max.Tensor", "prims::minimum"})
        addPointwise(t, op, pointwise<Minimum, P, 0, 1>, Run::Exact);
    for (const char* op : {"aten::fmax", "prims::fmax"}) addPointwise(t, op, pointwise<Fmax, P, 0, 1>, Run::Exact);
    for (const char* op : {"aten::fmin", "prims::fmin"}) addPointwise(t, op, pointwise<Fmin, P, 0, 1>, Run::Exact);
    for (const char* op : {"aten::clamp", "aten::clamp.Tensor"}) addPointwise(t, op, clamp, Run::Exact);

    for (const char* op : {"aten::lerp.Scalar", "aten::lerp.Tensor"}) addPointwise(t, op, pointwise<Lerp, P, 0, 1, 2>);
    addPointwise(t, "aten::addcmul", pointwise<AddProduct, P, 0, 1, 2, 3>);
    addPointwise(t, "aten::addcdiv", pointwise<AddQuotient, P, 0, 1, 2, 3>);
    addPointwise(t, "prims::fma", pointwise<Fma, P, 0, 1, 2>);
    for (const char* op : {"aten::atan2", "prims::atan2"}) addPointwise(t, op, pointwise<Atan2, F, 0, 1>, Run::Transcendental);
    for (const char* op : {"aten::hypot", "prims::hypot"}) addPointwise(t, op, pointwise<Hypot, P, 0, 1>, Run::Transcendental);
    for (const char* op : {"aten::copysign.Tensor", "aten::copysign.Scalar"}) addPointwise(t, op, pointwise<Copysign, F, 0, 1>, Run::Exact);
    addPointwise(t, "aten::heaviside", pointwise<Heaviside, P, 0, 1>, Run::Exact);
    for (const char* op : {"aten::xlogy.Tensor", "aten::xlogy.Scalar_Other", "aten::xlogy.Scalar_Self"})
        addPointwise(t, op, pointwise<Xlogy, F, 0, 1>, Run::Transcendental);
    addPointwise(t, "aten::special_xlog1py", pointwise<Xlog1py, F, 0, 1>, Run::Transcendental);
    addPointwise(t, "aten::ldexp.Tensor", pointwise<Ldexp, F, 0, 1>, Run::Transcendental);
    addPointwise(t, "aten::logaddexp", pointwise<LogAddExp, F, 0, 1>, Run::Reduction);
    addPointwise(t, "aten::logaddexp2", pointwise<LogAddExp2, F, 0, 1>, Run::Reduction);
    for (const char* op : {"aten::gcd", "prims::gcd"}) addPointwise(t, op, pointwise<Gcd, P, 0, 1>, Run::Exact);
    addPointwise(t, "aten::lcm", pointwise<Lcm, P, 0, 1>, Run::Exact);
}

}  // namespace aliascope::exec
