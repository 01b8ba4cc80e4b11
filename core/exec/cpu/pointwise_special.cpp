// Special functions, computed in f64 whatever the operands are, with one rounding. Polynomials stop at degrees beyond which recurrences would run
// for ever.

#include <numbers>

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"

namespace aliascope::exec {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

// --- gamma and zeta ----------------------------------------------------------------------------------------------------------------------

double digamma(double x) {
    if (x == 0) return std::copysign(kInfinity, -x);
    if (x < 0) {
        if (x == std::floor(x)) return kNaN;
        return digamma(1 - x) - kPi / std::tan(kPi * x);
    }
    double shift = 0;
    for (; x < 10; ++x) shift -= 1 / x;
    const double z = 1 / (x * x);
    const double series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
    return std::log(x) - 0.5 / x - series + shift;
}

/// Hurwitz' zeta(s, q): the first terms, then Euler and Maclaurin.
double zeta(double s, double q) {
    if (s == 1) return kInfinity;
    if (s < 1 || isNaN(s) || isNaN(q)) return kNaN;
    if (q <= 0) {
        if (q == std::floor(q)) return kInfinity;
        if (s != std::floor(s)) return kNaN;
    }
    double sum = 0;
    for (int n = 0; n < 10 || q < 10; ++n, ++q) {
        const double term = std::pow(q, -s);
        sum += term;
        if (q > 0 && std::fabs(term) < 1e-17 * std::fabs(sum)) return sum;
        if (n > 1000000) return kNaN;
    }
    constexpr double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
    double power = std::pow(q, -s);
    sum += power * q / (s - 1) + power / 2;
    double factor = s / 2;  // s (s+1) ... / (2k)!
    power /= q;
    for (int k = 1; k <= 8; ++k) {
        const double twice = 2.0 * k;
        sum += bernoulli[k - 1] * factor * power;
        factor *= (s + twice - 1) * (s + twice) / ((twice + 1) * (twice + 2));
        power /= q * q;
    }
    return sum;
}

double polygamma(double order, double x) {
    if (order == 0) return digamma(x);
    const double sign = std::fmod(order, 2) == 1 ? 1 : -1;
    return sign * std::tgamma(order + 1) * zeta(order + 1, x);
}

/// log of the multivariate gamma function of dimension p.
double multivariateLogGamma(double a, double p) {
    double sum = p * (p - 1) / 4 * std::log(kPi);
    for (double j = 0; j < p; ++j) sum += std::lgamma(a - j / 2);
    return sum;
}

constexpr int kMostTerms = 100000;

/// Regularised lower incomplete gamma function by its series, for x < a + 1.
double lowerBySeries(double a, double x) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < kMostTerms && std::fabs(term) > std::fabs(sum) * 1e-17; ++n) sum += term *= x / (a + n);
    return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

/// The upper one by its continued fraction (Lentz), for x >= a + 1.
double upperByFraction(double a, double x) {
    constexpr double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int i = 1; i < kMostTerms; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (std::fabs(d) < tiny ? tiny : d);
        c = std::fabs(c) < tiny ? tiny : c;
        h *= d * c;
        if (std::fabs(d * c - 1) < 1e-16) break;
    }
    return h * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

double incompleteGamma(double a, double x, bool upper) {
    if (isNaN(a) || isNaN(x) || a < 0 || x < 0) return kNaN;
    if (a == 0) return x > 0 ? (upper ? 0 : 1) : kNaN;
    if (x == 0) return upper ? 1 : 0;
    if (std::isinf(a)) return std::isinf(x) ? kNaN : upper ? 1 : 0;
    if (std::isinf(x)) return upper ? 0 : 1;
    if (x < a + 1) return upper ? 1 - lowerBySeries(a, x) : lowerBySeries(a, x);
    return upper ? upperByFraction(a, x) : 1 - upperByFraction(a, x);
}

// --- errors --------------------------------------------------------------------------------------------------------------------------------

/// exp(x^2) erfc(x).
double scaledErfc(double x) {
    if (x < 25) return x < -26.7 ? kInfinity : std::exp(x * x) * std::erfc(x);
    const double z = 1 / (2 * x * x);
    return std::numbers::inv_sqrtpi / x * (1 - z * (1 - 3 * z * (1 - 5 * z)));
}

double logNormal(double x) {
    const double t = x * std::numbers::sqrt2 / 2;
    return x < -1 ? std::log(scaledErfc(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2);
}

/// Quantile of the normal distribution: a first guess, then Newton.
double normalQuantile(double p) {
    if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
    if (!(p > 0 && p < 1)) return kNaN;
    const double tail = std::min(p, 1 - p), t = std::sqrt(-2 * std::log(tail));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int step = 0; step < 4; ++step) {
        const double error = std::erfc(x / std::numbers::sqrt2) / 2 - tail, density = std::exp(-x * x / 2) / std::sqrt(2 * kPi);
        const double newton = error / density;
        x += newton / (1 - x * newton / 2);
    }
    return p < 0.5 ? -x : x;
}

// --- Bessel ------------------------------------------------------------------------------------------------------------------------------

/// exp(-|x|) I_order(x) for order 0 and 1; asymptotic where I overflows.
double scaledBesselI(int order, double x) {
    const double a = std::fabs(x), sign = order == 1 && x < 0 ? -1 : 1;
    if (isNaN(x)) return x;
    if (a < 600) return sign * std::cyl_bessel_i(order, a) * std::exp(-a);
    const double mu = 4.0 * order * order, z = 1 / (8 * a);
    return sign * (1 - (mu - 1) * z * (1 - (mu - 9) * z / 2)) / std::sqrt(2 * kPi * a);
}
double besselI(int order, double x) {
    if (std::fabs(x) < 600) return (order == 1 && x < 0 ? -1 : 1) * std::cyl_bessel_i(order, std::fabs(x));
    return scaledBesselI(order, x) * std::exp(std::fabs(x));
}
/// exp(x) K_order(x).
double scaledBesselK(int order, double x) {
    if (x == 0) return kInfinity;
    if (!(x > 0)) return kNaN;
    if (x < 600) return std::cyl_bessel_k(order, x) * std::exp(x);
    const double mu = 4.0 * order * order, z = 1 / (8 * x);
    return (1 + (mu - 1) * z * (1 + (mu - 9) * z / 2)) * std::sqrt(kPi / (2 * x));
}
double besselK(int order, double x) { return x > 0 && x < 600 ? std::cyl_bessel_k(order, x) : scaledBesselK(order, x) * std::exp(-x); }

double sphericalBesselJ0(double x) {
    if (std::isinf(x)) return 0;
    if (std::fabs(x) < 1e-4) return 1 - x * x / 6;
    return std::sin(x) / x;
}

double airyAi(double x) {
    if (!std::isfinite(x)) return kNaN;
    if (x == 0) return 0.355028053887817239;
    const double a = std::fabs(x), z = 2.0 / 3 * a * std::sqrt(a);
    if (x > 0) return z > 600 ? 0 : std::sqrt(a / 3) / kPi * std::cyl_bessel_k(1.0 / 3, z);
    // J of order -1/3 from J and Y of order 1/3.
    const double j = std::cyl_bessel_j(1.0 / 3, z), y = std::cyl_neumann(1.0 / 3, z);
    return std::sqrt(a) / 3 * (1.5 * j - std::numbers::sqrt3 / 2 * y);
}

// --- polynomials ---------------------------------------------------------------------------------------------------------------------------

constexpr double kHighestDegree = 1e5;

/// Runs `next(k, x, p_k, p_(k-1))` from p_0 = 1 and p_1 = `first` on to the degree; 0 for negative ones.
template <class Next>
double polynomial(double x, double degree, double first, Next next) {
    const double n = std::trunc(degree);
    if (n > kHighestDegree) failUnsupported("polynomials of degree " + std::to_string(n));
    if (isNaN(n) || n < 0) return 0;
    double before = 1, value = first;
    if (n == 0) return before;
    for (double k = 1; k < n; ++k) {
        const double following = next(k, x, value, before);
        before = value;
        value = following;
    }
    return value;
}

double chebyshevStep(double, double x, double p, double q) { return 2 * x * p - q; }

/// T, U, V, W differ in p_1 only. Inside (-1, 1) T is a cosine, which loses less at high degrees.
double chebyshevT(double x, double n) {
    if (n > 6 && std::fabs(x) < 1) return std::cos(std::trunc(n) * std::acos(x));
    return polynomial(x, n, x, chebyshevStep);
}
double chebyshevU(double x, double n) { return polynomial(x, n, 2 * x, chebyshevStep); }
double chebyshevV(double x, double n) { return polynomial(x, n, 2 * x - 1, chebyshevStep); }
double chebyshevW(double x, double n) { return polynomial(x, n, 2 * x + 1, chebyshevStep); }
double shiftedT(double x, double n) { return chebyshevT(2 * x - 1, n); }
double shiftedU(double x, double n) { return chebyshevU(2 * x - 1, n); }
double shiftedV(double x, double n) { return chebyshevV(2 * x - 1, n); }
double shiftedW(double x, double n) { return chebyshevW(2 * x - 1, n); }
double hermiteH(double x, double n) {
    return polynomial(x, n, 2 * x, [](double k, double y, double p, double q) { return 2 * y * p - 2 * k * q; });
}
double hermiteHe(double x, double n) {
    return polynomial(x, n, x, [](double k, double y, double p, double q) { return y * p - k * q; });
}
double laguerre(double x, double n) {
    return polynomial(x, n, 1 - x, [](double k, double y, double p, double q) { return ((2 * k + 1 - y) * p - k * q) / (k + 1); });
}
double legendre(double x, double n) {
    return polynomial(x, n, x, [](double k, double y, double p, double q) { return ((2 * k + 1) * y * p - k * q) / (k + 1); });
}

// --- registration ----------------------------------------------------------------------------------------------------------------------------

/// A functor of a function, for the loops.
template <auto Fn>
struct Of {
    template <class... C>
    requires(std::is_same_v<C, double>&&...) double operator()(C... x) const { return Fn(x...); }
};

template <auto Fn, std::size_t... I>
void inDouble(OpCall& call) {
    pointwiseApply<Of<Fn>>(call.out(), std::array{pointwiseOperand(call, I)...}, DType::F64);
}

double lowerGamma(double a, double x) { return incompleteGamma(a, x, false); }
double upperGamma(double a, double x) { return incompleteGamma(a, x, true); }
template <int Order>
double iOf(double x) {
    return besselI(Order, x);
}
template <int Order>
double scaledIOf(double x) {
    return scaledBesselI(Order, x);
}
template <int Order>
double kOf(double x) {
    return besselK(Order, x);
}
template <int Order>
double scaledKOf(double x) {
    return scaledBesselK(Order, x);
}
double j0Of(double x) { return ::j0(x); }
double j1Of(double x) { return ::j1(x); }
double y0Of(double x) { return x == 0 ? -kInfinity : x < 0 ? kNaN : ::y0(x); }
double y1Of(double x) { return x == 0 ? -kInfinity : x < 0 ? kNaN : ::y1(x); }

struct Entry {
    const char* op;
    KernelFn run;
};
constexpr Entry kOfOne[] = {
    {"digamma", inDouble<digamma, 0>},
    {"special_digamma", inDouble<digamma, 0>},
    {"i0", inDouble<iOf<0>, 0>},
    {"special_i0e", inDouble<scaledIOf<0>, 0>},
    {"special_i1", inDouble<iOf<1>, 0>},
    {"special_i1e", inDouble<scaledIOf<1>, 0>},
    {"special_modified_bessel_i0", inDouble<iOf<0>, 0>},
    {"special_modified_bessel_i1", inDouble<iOf<1>, 0>},
    {"special_modified_bessel_k0", inDouble<kOf<0>, 0>},
    {"special_modified_bessel_k1", inDouble<kOf<1>, 0>},
    {"special_scaled_modified_bessel_k0", inDouble<scaledKOf<0>, 0>},
    {"special_scaled_modified_bessel_k1", inDouble<scaledKOf<1>, 0>},
    {"special_bessel_j0", inDouble<j0Of, 0>},
    {"special_bessel_j1", inDouble<j1Of, 0>},
    {"special_bessel_y0", inDouble<y0Of, 0>},
    {"special_bessel_y1", inDouble<y1Of, 0>},
    {"special_spherical_bessel_j0", inDouble<sphericalBesselJ0, 0>},
    {"special_airy_ai", inDouble<airyAi, 0>},
    {"special_erfcx", inDouble<scaledErfc, 0>},
    {"special_log_ndtr", inDouble<logNormal, 0>},
    {"special_ndtri", inDouble<normalQuantile, 0>},
    {"polygamma", inDouble<polygamma, 0, 1>},
    {"mvlgamma", inDouble<multivariateLogGamma, 0, 1>},
    {"igamma", inDouble<lowerGamma, 0, 1>},
    {"igammac", inDouble<upperGamma, 0, 1>},
    {"special_zeta", inDouble<zeta, 0, 1>},
};
constexpr Entry kPolynomials[] = {
    {"chebyshev_polynomial_t", inDouble<chebyshevT, 0, 1>},       {"chebyshev_polynomial_u", inDouble<chebyshevU, 0, 1>},
    {"chebyshev_polynomial_v", inDouble<chebyshevV, 0, 1>},       {"chebyshev_polynomial_w", inDouble<chebyshevW, 0, 1>},
    {"shifted_chebyshev_polynomial_t", inDouble<shiftedT, 0, 1>}, {"shifted_chebyshev_polynomial_u", inDouble<shiftedU, 0, 1>},
    {"shifted_chebyshev_polynomial_v", inDouble<shiftedV, 0, 1>}, {"shifted_chebyshev_polynomial_w", inDouble<shiftedW, 0, 1>},
    {"hermite_polynomial_h", inDouble<hermiteH, 0, 1>},           {"hermite_polynomial_he", inDouble<hermiteHe, 0, 1>},
    {"laguerre_polynomial_l", inDouble<laguerre, 0, 1>},          {"legendre_polynomial_p", inDouble<legendre, 0, 1>},
};

// --- nextafter -------------------------------------------------------------------------------------------------------------------------------

struct Nextafter {
    template <std::floating_point C>
    C operator()(C a, C b) const {
        return std::nextafter(a, b);
    }
};

/// The 16-bit float after `from` towards `to`, by its bits.
template <class T>
T nextAfter(T from, float to) {
    const float x = toFloat(from);
    if (isNaN(x)) return from;
    if (isNaN(to)) return convertElement<T>(to);
    if (x == to) return convertElement<T>(to);
    if (x == 0) return {static_cast<std::uint16_t>(to > 0 ? 0x0001 : 0x8001)};
    return {static_cast<std::uint16_t>((to > x) == (x > 0) ? from.bits + 1 : from.bits - 1)};
}

void nextafter(OpCall& call) {
    const Tensor& out = call.out();
    if (itemSize(out.dtype) != 2) return pointwise<Nextafter, MeetRule::Promoted, 0, 1>(call);
    const Tensor &self = call.tensor(0), &other = call.tensor(1);
    dispatchFloating(out.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        StridedLoop<3>(out.sizes, {&out, &self, &other}).forEach([&](const auto& at) {
            if constexpr (sizeof(T) == 2)
                out.as<T>()[at[0]] = nextAfter(convertElement<T>(readDouble(self, at[1])), static_cast<float>(readDouble(other, at[2])));
        });
    });
}

}  // namespace

void registerPointwiseSpecial(KernelTable& t) {
    // Of class Reduction: what others compute in f32 is a series whose terms cancel.
    for (const Entry& e : kOfOne) addPointwise(t, std::string("aten::") + e.op, e.run, ToleranceClass::Reduction);
    for (const Entry& e : kPolynomials)
        for (const char* overload : {"", ".n_scalar", ".x_scalar"})
            addPointwise(t, std::string("aten::special_") + e.op + overload, e.run, ToleranceClass::Reduction);
    addPointwise(t, "aten::nextafter", nextafter, ToleranceClass::Exact);
}

}  // namespace aliascope::exec
