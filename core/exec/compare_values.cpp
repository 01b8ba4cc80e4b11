#include "core/exec/compare_values.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/exec/cpu/dispatch.h"

namespace aliascope::exec {
namespace {

/// Floats of one type in order of value: neighbours differ by 1.
template <class Bits>
std::int64_t ordered(Bits bits) {
    using Signed = std::make_signed_t<Bits>;
    const auto value = static_cast<std::int64_t>(static_cast<Signed>(bits));
    if (value >= 0) return value;
    return -static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) & (std::numeric_limits<std::make_unsigned_t<Bits>>::max() >> 1));
}

template <class T, class F>
void forEachPair(const KeptValue& a, const KeptValue& b, F&& f) {
    const auto* x = reinterpret_cast<const T*>(a.data.data());
    const auto* y = reinterpret_cast<const T*>(b.data.data());
    const std::int64_t n = static_cast<std::int64_t>(std::min(a.data.size(), b.data.size()) / sizeof(T));
    for (std::int64_t i = 0; i < n; ++i) f(i, x[i], y[i]);
}

/// Adds one pair of values; `ulp` is asked for only where the pair is the worst so far.
class Accumulator {
public:
    explicit Accumulator(const Tolerance& tolerance) : rtol_(tolerance.rtol.value_or(0)), atol_(tolerance.atol.value_or(0)) {}

    template <class Ulp>
    void add(std::int64_t i, double a, double b, bool sameBits, Ulp&& ulp) {
        if (std::isfinite(a)) e.referenceL2 += a * a;
        if (std::isfinite(b)) e.otherL2 += b * b;
        if (std::isfinite(a) && std::isfinite(b)) e.dot += a * b;
        if (sameBits || a == b || (std::isnan(a) && std::isnan(b))) return;
        const bool comparable = std::isfinite(a) && std::isfinite(b);
        const double error = comparable ? std::fabs(a - b) : std::numeric_limits<double>::infinity();
        e.misplaced |= !comparable;
        if (!(error <= atol_ + rtol_ * std::fabs(a))) e.elementwise = false;
        if (comparable) e.errorL2 += error * error;
        e.maxRel = std::max(e.maxRel, comparable && a != 0 ? error / std::fabs(a) : std::numeric_limits<double>::infinity());
        const double distance = ulp();
        e.ulp = std::max(e.ulp, comparable ? distance : std::numeric_limits<double>::infinity());
        if (e.worst >= 0 && error <= e.maxAbs) return;
        e.maxAbs = error;
        e.worst = i;
    }
    ErrorStatistics finish() {
        e.errorL2 = std::sqrt(e.errorL2);
        e.referenceL2 = std::sqrt(e.referenceL2);
        e.otherL2 = std::sqrt(e.otherL2);
        return e;
    }

private:
    ErrorStatistics e;
    double rtol_, atol_;
};

template <class Bits, class Decode>
ErrorStatistics compareFloats(const KeptValue& a, const KeptValue& b, const Tolerance& tolerance, Decode&& decode) {
    Accumulator sum(tolerance);
    forEachPair<Bits>(a, b, [&](std::int64_t i, Bits x, Bits y) {
        sum.add(i, decode(x), decode(y), x == y, [&] { return std::fabs(static_cast<double>(ordered(x)) - static_cast<double>(ordered(y))); });
    });
    return sum.finish();
}

template <class T>
ErrorStatistics compareIntegers(const KeptValue& a, const KeptValue& b, const Tolerance& tolerance) {
    Accumulator sum(tolerance);
    forEachPair<T>(a, b, [&](std::int64_t i, T x, T y) {
        const double p = static_cast<double>(x), q = static_cast<double>(y);
        sum.add(i, p, q, x == y, [&] { return std::fabs(p - q); });
    });
    return sum.finish();
}

/// Complex numbers as pairs of floats; `at` then counts floats.
ErrorStatistics compareComplex(const KeptValue& a, const KeptValue& b, const Tolerance& tolerance) {
    KeptValue p = a, q = b;
    p.dtype = q.dtype = a.dtype == DType::C128 ? DType::F64 : a.dtype == DType::C64 ? DType::F32 : DType::F16;
    ErrorStatistics e = compareElements(p, q, tolerance);
    if (e.worst >= 0) e.worst /= 2;
    return e;
}

Shape coordinates(std::int64_t index, const Shape& sizes) {
    Shape at(sizes.size(), 0);
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] == 0) return at;
        at[d] = index % sizes[d];
        index /= sizes[d];
    }
    return at;
}

std::string shortest(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    std::array<char, 40> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), v);
    return error == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string shortest(float v) {
    if (!std::isfinite(v)) return shortest(static_cast<double>(v));
    std::array<char, 40> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), v);
    return error == std::errc() ? std::string(text.data(), end) : std::string();
}

template <class T>
T elementAt(const KeptValue& v, std::int64_t index) {
    return reinterpret_cast<const T*>(v.data.data())[index];
}

std::vector<double> numbersOf(const KeptValue& v) {
    const bool complex = info(v.dtype).complex;
    const DType dtype = !complex ? v.dtype : v.dtype == DType::C128 ? DType::F64 : v.dtype == DType::C64 ? DType::F32 : DType::F16;
    std::vector<double> out;
    dispatch(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const std::size_t n = v.data.size() / sizeof(T);
        const T* data = reinterpret_cast<const T*>(v.data.data());
        out.reserve(n);
        for (std::size_t i = 0; i < n; ++i) out.push_back(convertElement<double>(data[i]));
    });
    return out;
}

}  // namespace

ErrorStatistics compareElements(const KeptValue& a, const KeptValue& b, const Tolerance& tolerance) {
    const DType dtype = a.dtype;
    if (info(dtype).complex) return compareComplex(a, b, tolerance);
    switch (dtype) {
        case DType::F64:
            return compareFloats<std::uint64_t>(a, b, tolerance, [](std::uint64_t x) { return std::bit_cast<double>(x); });
        case DType::F32:
            return compareFloats<std::uint32_t>(a, b, tolerance, [](std::uint32_t x) { return double(std::bit_cast<float>(x)); });
        case DType::F16:
            return compareFloats<std::uint16_t>(a, b, tolerance, [](std::uint16_t x) { return double(toFloat(Half{x})); });
        case DType::BF16:
            return compareFloats<std::uint16_t>(a, b, tolerance, [](std::uint16_t x) { return double(toFloat(BFloat16{x})); });
        case DType::F8E4M3FN:
        case DType::F8E5M2:
        case DType::F8E4M3FNUZ:
        case DType::F8E5M2FNUZ:
        case DType::F8E8M0FNU:
            return compareFloats<std::uint8_t>(a, b, tolerance, [&](std::uint8_t x) { return double(decodeFloat8(dtype, x)); });
        case DType::I8:
            return compareIntegers<std::int8_t>(a, b, tolerance);
        case DType::I16:
            return compareIntegers<std::int16_t>(a, b, tolerance);
        case DType::I32:
            return compareIntegers<std::int32_t>(a, b, tolerance);
        case DType::I64:
            return compareIntegers<std::int64_t>(a, b, tolerance);
        case DType::U16:
            return compareIntegers<std::uint16_t>(a, b, tolerance);
        case DType::U32:
            return compareIntegers<std::uint32_t>(a, b, tolerance);
        case DType::U64:
            return compareIntegers<std::uint64_t>(a, b, tolerance);
        default:
            return compareIntegers<std::uint8_t>(a, b, tolerance);
    }
}

std::string elementText(const KeptValue& v, std::int64_t i) {
    switch (v.dtype) {
        case DType::F64:
            return shortest(elementAt<double>(v, i));
        case DType::F32:
            return shortest(elementAt<float>(v, i));
        case DType::F16:
            return shortest(toFloat(elementAt<Half>(v, i)));
        case DType::BF16:
            return shortest(toFloat(elementAt<BFloat16>(v, i)));
        case DType::B8:
            return elementAt<std::uint8_t>(v, i) ? "True" : "False";
        case DType::I8:
            return std::to_string(elementAt<std::int8_t>(v, i));
        case DType::I16:
            return std::to_string(elementAt<std::int16_t>(v, i));
        case DType::I32:
            return std::to_string(elementAt<std::int32_t>(v, i));
        case DType::I64:
            return std::to_string(elementAt<std::int64_t>(v, i));
        case DType::U8:
            return std::to_string(elementAt<std::uint8_t>(v, i));
        case DType::U16:
            return std::to_string(elementAt<std::uint16_t>(v, i));
        case DType::U32:
            return std::to_string(elementAt<std::uint32_t>(v, i));
        case DType::U64:
            return std::to_string(elementAt<std::uint64_t>(v, i));
        case DType::C64:
            return shortest(elementAt<float>(v, 2 * i)) + "+" + shortest(elementAt<float>(v, 2 * i + 1)) + "j";
        case DType::C128:
            return shortest(elementAt<double>(v, 2 * i)) + "+" + shortest(elementAt<double>(v, 2 * i + 1)) + "j";
        case DType::F8E4M3FN:
        case DType::F8E5M2:
        case DType::F8E4M3FNUZ:
        case DType::F8E5M2FNUZ:
        case DType::F8E8M0FNU:
            return shortest(decodeFloat8(v.dtype, elementAt<std::uint8_t>(v, i)));
        default:
            return "?";
    }
}

void measure(ComparedValue& row, const KeptValue& earlier, const KeptValue& later, const Tolerance& tolerance) {
    Tolerance own = tolerance;
    if (row.bound) {
        own.rtol = row.bound->relative;
        own.atol = row.bound->absolute;
    }
    ErrorStatistics e = compareElements(earlier, later, own);
    e.roundingL2 = row.rounding;
    row.measured = true;
    row.maxAbs = e.maxAbs;
    row.maxRel = e.maxRel;
    row.ulp = e.ulp;
    row.index = e.worst;
    if (e.worst >= 0) {
        row.at = coordinates(e.worst, later.sizes);
        row.valueA = elementText(earlier, e.worst);
        row.valueB = elementText(later, e.worst);
    }
    row.verdict = e.worst < 0 ? Verdict::ValueSame : isClose(e, later.dtype, own) ? Verdict::Close : Verdict::Differs;
}

void measureAgainst(ComparedValue& row, const KeptValue& earlier, const KeptValue& later, const KeptValue& reference, const Tolerance& tolerance) {
    measure(row, earlier, later, tolerance);
    const std::vector<double> a = numbersOf(earlier), b = numbersOf(later), want = numbersOf(reference);
    if (a.size() != want.size() || b.size() != want.size()) return;
    double scale = 0;
    const auto error = [](double value, double wanted) {
        if (value == wanted || (std::isnan(value) && std::isnan(wanted))) return 0.0;
        const double distance = std::fabs(value - wanted);
        return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
    };
    double errorA = 0, errorB = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (std::isfinite(want[i])) scale = std::max(scale, std::fabs(want[i]));
        errorA = std::max(errorA, error(a[i], want[i]));
        errorB = std::max(errorB, error(b[i], want[i]));
    }
    row.errorA = errorA;
    row.errorB = errorB;
    const bool judged = !tolerance.bitwise && !tolerance.rtol && !tolerance.atol && info(later.dtype).floating;
    if (judged && row.verdict != Verdict::ValueSame) {
        const bool noWorse = isNoWorse(errorA, errorB, scale, later.dtype) || errorB <= row.rounding;
        row.verdict = noWorse ? Verdict::Close : Verdict::Differs;
    }
}

}  // namespace aliascope::exec
