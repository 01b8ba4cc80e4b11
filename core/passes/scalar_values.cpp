#include "core/passes/scalar_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

namespace aliascope {
namespace {

bool isInteger(DType d) { return info(d).integral || d == DType::B8; }
bool isSupported(DType d) { return d == DType::F64 || d == DType::F32 || d == DType::F16 || d == DType::BF16 || isInteger(d); }

/// To the nearest value with `digits` bits of mantissa and exponents from `least` to `most`; ties to even.
double roundTo(double v, int digits, int least, int most) {
    if (v == 0 || !std::isfinite(v)) return v;
    int exponent = 0;
    std::frexp(v, &exponent);
    const int unit = std::max(exponent - digits, least - digits + 1);
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
    return std::fabs(rounded) >= std::ldexp(1.0, most + 1) ? std::copysign(std::numeric_limits<double>::infinity(), v) : rounded;
}

double rounded(double v, DType dtype) {
    switch (dtype) {
        case DType::F32:
            return static_cast<double>(static_cast<float>(v));
        case DType::F16:
            return roundTo(v, 11, -14, 15);
        case DType::BF16:
            return roundTo(v, 8, -126, 127);
        default:
            return v;
    }
}

/// The low bits of `v` as an integer of `dtype`.
std::int64_t wrapped(std::int64_t v, DType dtype) {
    const int bits = itemSize(dtype) * 8;
    if (dtype == DType::B8) return v != 0;
    if (bits >= 64) return v;
    const std::uint64_t low = static_cast<std::uint64_t>(v) & ((std::uint64_t{1} << bits) - 1);
    const bool isSigned = dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32;
    const bool negative = isSigned && (low >> (bits - 1));
    return static_cast<std::int64_t>(negative ? low | (~std::uint64_t{0} << bits) : low);
}

Scalar real(double v, DType dtype) { return {dtype, false, 0, rounded(v, dtype)}; }
Scalar integer(std::int64_t v, DType dtype) { return {dtype, false, wrapped(v, dtype), 0}; }
Scalar boolean(bool v) { return integer(v, DType::B8); }

// --- operators ------------------------------------------------------------------------------------------------------------------------------

/// What an operator sees: its operands, converted to the dtype in which it is computed.
struct Operands {
    DType compute = DType::Unknown;  ///< of the operands
    DType result = DType::Unknown;
    std::vector<Scalar> values;
    double f(std::size_t i) const { return values[i].toDouble(); }
    std::int64_t i(std::size_t at) const { return values[at].integer; }
    bool truth(std::size_t at) const { return values[at].toDouble() != 0 || std::isnan(values[at].toDouble()); }
    bool single() const { return compute != DType::F64; }
};

using Compute = std::optional<Scalar> (*)(const Operands&);

std::int64_t wrapAdd(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapSub(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t wrapMul(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Computes in f32 unless the operands are f64.
template <class F>
Scalar floating(const Operands& o, F f) {
    const double v = o.single() ? static_cast<double>(f(static_cast<float>(o.f(0)))) : static_cast<double>(f(o.f(0)));
    return real(v, o.result);
}
template <class F>
Scalar floating2(const Operands& o, F f) {
    const double v =
        o.single() ? static_cast<double>(f(static_cast<float>(o.f(0)), static_cast<float>(o.f(1)))) : static_cast<double>(f(o.f(0), o.f(1)));
    return real(v, o.result);
}

/// Of a floating result only.
template <auto F>
std::optional<Scalar> unary(const Operands& o) {
    if (!info(o.result).floating) return std::nullopt;
    return floating(o, [](auto x) { return static_cast<decltype(x)>(F(x)); });
}

template <class F, class I>
std::optional<Scalar> either(const Operands& o, F f, I i) {
    if (info(o.result).floating) return floating(o, f);
    return integer(i(o.i(0)), o.result);
}

std::optional<Scalar> negOf(const Operands& o) {
    return either(
        o, [](auto x) { return -x; }, [](std::int64_t x) { return wrapSub(0, x); });
}
std::optional<Scalar> absOf(const Operands& o) {
    return either(
        o, [](auto x) { return std::fabs(x); }, [](std::int64_t x) { return x < 0 ? wrapSub(0, x) : x; });
}
std::optional<Scalar> reluOf(const Operands& o) {
    return either(
        o, [](auto x) { return x < 0 ? decltype(x){0} : x; }, [](std::int64_t x) { return x < 0 ? std::int64_t{0} : x; });
}
std::optional<Scalar> floorOf(const Operands& o) {
    return either(
        o, [](auto x) { return std::floor(x); }, [](std::int64_t x) { return x; });
}
std::optional<Scalar> ceilOf(const Operands& o) {
    return either(
        o, [](auto x) { return std::ceil(x); }, [](std::int64_t x) { return x; });
}
std::optional<Scalar> truncOf(const Operands& o) {
    return either(
        o, [](auto x) { return std::trunc(x); }, [](std::int64_t x) { return x; });
}
std::optional<Scalar> signOf(const Operands& o) {
    return either(
        o, [](auto x) { return static_cast<decltype(x)>((x > 0) - (x < 0)); }, [](std::int64_t x) { return std::int64_t{(x > 0) - (x < 0)}; });
}
std::optional<Scalar> same(const Operands& o) { return converted(o.values[0], o.result); }
std::optional<Scalar> logicalNot(const Operands& o) { return boolean(!o.truth(0)); }
std::optional<Scalar> isNan(const Operands& o) { return boolean(std::isnan(o.f(0))); }
std::optional<Scalar> bitwiseNot(const Operands& o) {
    if (!isInteger(o.result)) return std::nullopt;
    return o.result == DType::B8 ? boolean(!o.i(0)) : integer(~o.i(0), o.result);
}

std::optional<Scalar> mulOf(const Operands& o) {
    if (info(o.result).floating) return floating2(o, [](auto a, auto b) { return a * b; });
    return integer(wrapMul(o.i(0), o.i(1)), o.result);
}
/// add and sub: the third operand is alpha.
std::optional<Scalar> addScaled(const Operands& o, int sign) {
    if (info(o.result).floating) {
        const double alpha = sign * o.f(2);
        return floating2(o, [&](auto a, auto b) { return a + static_cast<decltype(a)>(alpha) * b; });
    }
    return integer(wrapAdd(o.i(0), wrapMul(wrapMul(sign, o.i(2)), o.i(1))), o.result);
}
std::optional<Scalar> addOf(const Operands& o) { return addScaled(o, 1); }
std::optional<Scalar> subOf(const Operands& o) { return addScaled(o, -1); }
std::optional<Scalar> divOf(const Operands& o) {
    if (!info(o.result).floating) return std::nullopt;
    return floating2(o, [](auto a, auto b) { return a / b; });
}
std::optional<Scalar> powOf(const Operands& o) {
    if (info(o.result).floating) return floating2(o, [](auto a, auto b) { return std::pow(a, b); });
    if (o.i(1) < 0) return std::nullopt;
    std::int64_t base = o.i(0), out = 1;
    for (std::uint64_t n = static_cast<std::uint64_t>(o.i(1)); n; n >>= 1) {
        if (n & 1) out = wrapMul(out, base);
        base = wrapMul(base, base);
    }
    return integer(out, o.result);
}
std::optional<Scalar> maximumOf(const Operands& o) {
    if (!info(o.result).floating) return integer(std::max(o.i(0), o.i(1)), o.result);
    return std::isnan(o.f(0)) || std::isnan(o.f(1)) ? real(NAN, o.result) : real(std::max(o.f(0), o.f(1)), o.result);
}
std::optional<Scalar> minimumOf(const Operands& o) {
    if (!info(o.result).floating) return integer(std::min(o.i(0), o.i(1)), o.result);
    return std::isnan(o.f(0)) || std::isnan(o.f(1)) ? real(NAN, o.result) : real(std::min(o.f(0), o.f(1)), o.result);
}

template <class F>
Scalar compare(const Operands& o, F f) {
    return boolean(isInteger(o.compute) ? f(o.i(0), o.i(1)) : f(o.f(0), o.f(1)));
}
template <auto F>
std::optional<Scalar> comparison(const Operands& o) {
    return compare(o, F);
}
template <auto F>
std::optional<Scalar> logical(const Operands& o) {
    return boolean(F(o.truth(0), o.truth(1)));
}
template <auto F>
std::optional<Scalar> bitwise(const Operands& o) {
    if (!isInteger(o.result)) return std::nullopt;
    return integer(F(o.i(0), o.i(1)), o.result);
}

struct Operator {
    Compute compute;
    std::size_t operands;  ///< first parameters that are elements of the computation
};

const Operator* findOperator(Name packet) {
    static const std::unordered_map<Name, Operator> table = [] {
        std::unordered_map<Name, Operator> t;
        const auto add = [&](const char* name, Compute compute, std::size_t operands) { t[Name(name)] = {compute, operands}; };
        for (const char* name : {"aten::clone", "aten::_to_copy", "aten::positive", "prims::convert_element_type", "aten::scalar_tensor"})
            add(name, same, 1);
        add("aten::exp", unary<[](auto x) { return std::exp(x); }>, 1);
        add("aten::log", unary<[](auto x) { return std::log(x); }>, 1);
        add("aten::sqrt", unary<[](auto x) { return std::sqrt(x); }>, 1);
        add("aten::rsqrt", unary<[](auto x) { return 1 / std::sqrt(x); }>, 1);
        add("aten::reciprocal", unary<[](auto x) { return 1 / x; }>, 1);
        add("aten::sin", unary<[](auto x) { return std::sin(x); }>, 1);
        add("aten::cos", unary<[](auto x) { return std::cos(x); }>, 1);
        add("aten::tanh", unary<[](auto x) { return std::tanh(x); }>, 1);
        add("aten::sigmoid", unary<[](auto x) { return 1 / (1 + std::exp(-x)); }>, 1);
        add("aten::neg", negOf, 1);
        add("aten::abs", absOf, 1);
        add("aten::relu", reluOf, 1);
        add("aten::floor", floorOf, 1);
        add("aten::ceil", ceilOf, 1);
        add("aten::trunc", truncOf, 1);
        add("aten::sign", signOf, 1);
        add("aten::logical_not", logicalNot, 1);
        add("aten::bitwise_not", bitwiseNot, 1);
        add("aten::isnan", isNan, 1);
        add("aten::add", addOf, 3);
        add("aten::sub", subOf, 3);
        add("aten::mul", mulOf, 2);
        add("aten::div", divOf, 2);
        add("aten::pow", powOf, 2);
        add("aten::maximum", maximumOf, 2);
        add("aten::minimum", minimumOf, 2);
        add("aten::eq", comparison<std::equal_to<>{}>, 2);
        add("aten::ne", comparison<std::not_equal_to<>{}>, 2);
        add("aten::lt", comparison<std::less<>{}>, 2);
        add("aten::le", comparison<std::less_equal<>{}>, 2);
        add("aten::gt", comparison<std::greater<>{}>, 2);
        add("aten::ge", comparison<std::greater_equal<>{}>, 2);
        add("aten::logical_and", logical<std::logical_and<>{}>, 2);
        add("aten::logical_or", logical<std::logical_or<>{}>, 2);
        add("aten::logical_xor", logical<std::not_equal_to<>{}>, 2);
        add("aten::bitwise_and", bitwise<std::bit_and<>{}>, 2);
        add("aten::bitwise_or", bitwise<std::bit_or<>{}>, 2);
        add("aten::bitwise_xor", bitwise<std::bit_xor<>{}>, 2);
        return t;
    }();
    const auto found = table.find(packet);
    return found == table.end() ? nullptr : &found->second;
}

bool comparesOrTests(DType result, const std::vector<Scalar>& values) {
    return result == DType::B8 && std::any_of(values.begin(), values.end(), [](const Scalar& s) { return s.dtype != DType::B8; });
}

/// Among tensors the highest category decides and within it the larger type; numbers count when no tensor has their category.
DType commonDType(const std::vector<Scalar>& values) {
    const auto category = [](DType d) { return info(d).floating ? 2 : d == DType::B8 ? 0 : 1; };
    DType best = DType::Unknown;
    for (const bool numbers : {false, true})
        for (const Scalar& s : values) {
            if (s.number != numbers) continue;
            const DType own = s.number && s.floating() ? DType::F32 : s.dtype;
            if (best == DType::Unknown || category(own) > category(best))
                best = own;
            else if (!numbers && category(own) == category(best) && own != best)
                best = itemSize(own) > itemSize(best) ? own : itemSize(own) == itemSize(best) && category(own) == 2 ? DType::F32 : best;
        }
    return best;
}

}  // namespace

Value Scalar::item() const {
    if (floating()) return Value::real(real);
    return dtype == DType::B8 ? Value::boolean(integer != 0) : Value::integer(integer);
}

std::optional<Scalar> scalarOf(const Value& v) {
    switch (v.kind()) {
        case Value::Kind::Bool:
            return Scalar{DType::B8, true, *v.asInt(), 0};
        case Value::Kind::Int:
            return Scalar{DType::I64, true, *v.asInt(), 0};
        case Value::Kind::Float:
            return Scalar{DType::F64, true, 0, *v.asNumber()};
        default:
            return std::nullopt;
    }
}

std::optional<Scalar> converted(const Scalar& s, DType dtype) {
    if (!isSupported(s.dtype) || !isSupported(dtype)) return std::nullopt;
    if (info(dtype).floating) return real(s.toDouble(), dtype);
    if (!s.floating()) return integer(s.integer, dtype);
    if (dtype == DType::B8) return boolean(s.real != 0);
    if (!(std::fabs(s.real) < 9.2e18)) return std::nullopt;
    const auto truncated = static_cast<std::int64_t>(s.real);
    if (wrapped(truncated, dtype) != truncated) return std::nullopt;
    return integer(truncated, dtype);
}

std::optional<Scalar> reinterpreted(const Scalar& s, DType dtype) {
    if (s.dtype == dtype) return s;
    if (itemSize(s.dtype) != itemSize(dtype) || !isSupported(dtype)) return std::nullopt;
    if (s.dtype == DType::F32 && isInteger(dtype)) return integer(std::bit_cast<std::int32_t>(static_cast<float>(s.real)), dtype);
    if (s.dtype == DType::F64 && isInteger(dtype)) return integer(std::bit_cast<std::int64_t>(s.real), dtype);
    if (isInteger(s.dtype) && dtype == DType::F32) return real(std::bit_cast<float>(static_cast<std::int32_t>(s.integer)), dtype);
    if (isInteger(s.dtype) && dtype == DType::F64) return real(std::bit_cast<double>(s.integer), dtype);
    if (isInteger(s.dtype) && isInteger(dtype) && dtype != DType::B8) return integer(s.integer, dtype);
    return std::nullopt;
}

std::optional<Scalar> evaluateElementwise(const BoundCall& call, DType result, const std::function<std::optional<Scalar>(const Value&)>& operand) {
    static const Name where("aten::where"), div("aten::div");
    const Name packet = packetOf(call.op->canonical);
    if (packet == where && call.values.size() == 3) {
        const auto condition = operand(call[0]);
        const auto chosen = condition ? operand(call[condition->toDouble() != 0 ? 1 : 2]) : std::nullopt;
        // The other one must be known too: its shape takes part.
        if (!condition || !operand(call[condition->toDouble() != 0 ? 2 : 1]) || !chosen) return std::nullopt;
        return converted(*chosen, result);
    }
    const Operator* op = findOperator(packet);
    if (!op || call.values.empty() || !isSupported(result)) return std::nullopt;
    if (packet == div)
        if (const Value* mode = call.find("rounding_mode"_n); mode && !mode->isNone()) return std::nullopt;
    Operands o;
    o.result = result;
    for (std::size_t i = 0; i < op->operands; ++i) {
        // Overloads without alpha count with 1.
        const auto v = i < call.values.size() ? operand(call[i]) : scalarOf(Value::integer(1));
        if (!v || !isSupported(v->dtype)) return std::nullopt;
        o.values.push_back(*v);
    }
    if (op->compute == &same) return same(o);
    const std::vector<Scalar> elements(o.values.begin(), o.values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(op->operands, 2)));
    o.compute = comparesOrTests(result, elements) ? commonDType(elements) : result;
    for (Scalar& v : o.values) {
        // A tensor is rounded to the dtype of the computation; a number keeps the precision in which it is computed.
        const DType to = v.number && info(o.compute).floating && o.compute != DType::F64 ? DType::F32 : o.compute;
        const auto as = converted(v, to);
        if (!as) return std::nullopt;
        v = *as;
    }
    return op->compute(o);
}

}  // namespace aliascope
