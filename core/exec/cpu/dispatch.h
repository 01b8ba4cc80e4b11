#pragma once
// Element types of the CPU kernels: 16-bit floats, conversion between any two types by the rules of executor.md 2.3 "copy", and dispatch from a
// DType to a C++ type. Kernels compute in one of three types (executor.md 2.2): f32 for f32 and narrower floats, f64, and i64 for bool and integers,
// whose results wrap around when they are stored.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/exec/kernel.h"
#include "core/ir/dtype.h"

namespace aliascope::exec {

struct BFloat16 {
    std::uint16_t bits;
};
struct Half {
    std::uint16_t bits;
};

inline float toFloat(BFloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }

inline float toFloat(Half x) {
    const std::uint32_t sign = (x.bits & 0x8000u) << 16, magnitude = (x.bits & 0x7FFFu) << 13;
    // Read as an f32 the exponent is 112 too small; the product also makes subnormal numbers right.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x0F800000u ? 0x7F800000u : 0u;  // infinity and NaN
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// Nearest, ties to even; NaN stays NaN.
inline BFloat16 toBFloat16(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    return {static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded)};
}

/// Nearest, ties to even; from 65520 on infinity.
inline Half toHalf(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
    std::uint32_t out;
    if (magnitude > 0x7F800000u)
        out = 0x7E00u;
    else if (magnitude >= 0x477FF000u)
        out = 0x7C00u;
    else if (magnitude < 0x38800000u)
        out = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;  // subnormal: 0.5f has their spacing
    else
        out = (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
    return {static_cast<std::uint16_t>(out | sign)};
}

/// 8-bit floats (f8e4m3fn, f8e5m2, their fnuz forms, f8e8m0fnu). Out of range: infinity where the type has one, else NaN.
float decodeFloat8(DType type, std::uint8_t bits);
std::uint8_t encodeFloat8(DType type, float x);

/// Towards zero. Out of range and NaN as x86 does: the smallest i64, and narrow types wrap through i32.
template <class To>
To truncateTo(double x) {
    if constexpr (sizeof(To) == 8) {
        if constexpr (std::is_unsigned_v<To>)
            if (x >= 0x1p63 && x < 0x1p64) return static_cast<To>(x);
        return static_cast<To>(x >= -0x1p63 && x < 0x1p63 ? static_cast<std::int64_t>(x) : std::numeric_limits<std::int64_t>::min());
    } else if constexpr (std::is_same_v<To, std::uint32_t>) {
        return static_cast<To>(truncateTo<std::int64_t>(x));
    } else {
        return static_cast<To>(x > -0x1p31 - 1 && x < 0x1p31 ? static_cast<std::int32_t>(x) : std::numeric_limits<std::int32_t>::min());
    }
}

/// False for integers.
template <class C>
constexpr bool isNaN(C x) {
    if constexpr (std::is_floating_point_v<C>)
        return x != x;
    else
        return false;
}

/// Conversion of one element.
template <class To, class From>
To convertElement(From x) {
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (std::is_same_v<From, BFloat16> || std::is_same_v<From, Half>)
        return convertElement<To>(toFloat(x));
    else if constexpr (std::is_same_v<To, BFloat16>)
        return toBFloat16(static_cast<float>(x));
    else if constexpr (std::is_same_v<To, Half>)
        return toHalf(static_cast<float>(x));
    else if constexpr (std::is_same_v<To, bool>)
        return x != From(0);
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return truncateTo<To>(static_cast<double>(x));
    else
        return static_cast<To>(x);
}

template <class T>
struct DTypeTag {
    using type = T;
};

[[noreturn]] inline void failDType(DType d) { failUnsupported("elements of type " + std::string(info(d).shortName) + " are not computed with"); }

/// Calls `f(DTypeTag<T>())` with the element type of a float.
template <class F>
decltype(auto) dispatchFloating(DType d, F&& f) {
    switch (d) {
        case DType::F64:
            return f(DTypeTag<double>());
        case DType::F32:
            return f(DTypeTag<float>());
        case DType::F16:
            return f(DTypeTag<Half>());
        case DType::BF16:
            return f(DTypeTag<BFloat16>());
        default:
            failDType(d);
    }
}

/// The same for integers and bool.
template <class F>
decltype(auto) dispatchIntegral(DType d, F&& f) {
    switch (d) {
        case DType::I64:
            return f(DTypeTag<std::int64_t>());
        case DType::I32:
            return f(DTypeTag<std::int32_t>());
        case DType::I16:
            return f(DTypeTag<std::int16_t>());
        case DType::I8:
            return f(DTypeTag<std::int8_t>());
        case DType::U8:
            return f(DTypeTag<std::uint8_t>());
        case DType::U16:
            return f(DTypeTag<std::uint16_t>());
        case DType::U32:
            return f(DTypeTag<std::uint32_t>());
        case DType::U64:
            return f(DTypeTag<std::uint64_t>());
        case DType::B8:
            return f(DTypeTag<bool>());
        default:
            failDType(d);
    }
}

/// The same for all of them.
template <class F>
decltype(auto) dispatch(DType d, F&& f) {
    if (info(d).floating) return dispatchFloating(d, f);
    return dispatchIntegral(d, f);
}

/// Calls `f(DTypeTag<C>())` with the type that elements of `d` are computed in: float, double or std::int64_t.
template <class F>
decltype(auto) dispatchCompute(DType d, F&& f) {
    if (d == DType::F64) return f(DTypeTag<double>());
    if (info(d).floating) return f(DTypeTag<float>());
    if (info(d).integral || d == DType::B8) return f(DTypeTag<std::int64_t>());
    failDType(d);
}

}  // namespace aliascope::exec
