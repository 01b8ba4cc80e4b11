#include "core/exec/cpu/dispatch.h"

namespace aliascope::exec {
namespace {

/// Layout of an 8-bit float with a sign: exponent and mantissa bits, bias, and what its largest codes mean.
struct Float8Format {
    int mantissa, bias;
    float largest;
    bool hasInfinity;   ///< IEEE-like: the top exponent holds infinity and NaN
    bool unsignedZero;  ///< fnuz: 0x80 is the only NaN, there is no -0
};

Float8Format formatOf(DType type) {
    switch (type) {
        case DType::F8E4M3FN:
            return {3, 7, 448.0F, false, false};
        case DType::F8E5M2:
            return {2, 15, 57344.0F, true, false};
        case DType::F8E4M3FNUZ:
            return {3, 8, 240.0F, false, true};
        case DType::F8E5M2FNUZ:
            return {2, 16, 57344.0F, false, true};
        default:
            failDType(type);
    }
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// f8e8m0fnu: a power of two, no sign, no zero.
std::uint8_t encodePower(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), exponent = (bits >> 23) & 0xFFu;
    if (exponent == 0xFFu) return 0xFF;
    const bool half = (bits & 0x400000u) != 0, rest = (bits & 0x3FFFFFu) != 0;
    return static_cast<std::uint8_t>(exponent + (half && (rest || exponent > 0) ? 1 : 0));
}

}  // namespace

float decodeFloat8(DType type, std::uint8_t bits) {
    if (type == DType::F8E8M0FNU) return bits == 0xFF ? kNaN : std::ldexp(1.0F, bits - 127);
    const Float8Format f = formatOf(type);
    if (f.unsignedZero && bits == 0x80) return kNaN;
    const int magnitude = bits & 0x7F, exponent = magnitude >> f.mantissa, fraction = magnitude & ((1 << f.mantissa) - 1);
    const float sign = bits & 0x80 ? -1.0F : 1.0F;
    if (f.hasInfinity && exponent == 31) return fraction ? kNaN : sign * kInfinity;
    if (!f.hasInfinity && !f.unsignedZero && magnitude == 0x7F) return kNaN;
    const int significand = exponent ? fraction + (1 << f.mantissa) : fraction;
    return sign * std::ldexp(static_cast<float>(significand), (exponent ? exponent : 1) - f.bias - f.mantissa);
}

std::uint8_t encodeFloat8(DType type, float x) {
    if (type == DType::F8E8M0FNU) return encodePower(x);
    const Float8Format f = formatOf(type);
    const auto sign = static_cast<std::uint8_t>(std::signbit(x) ? 0x80 : 0);
    const auto nan = static_cast<std::uint8_t>(f.unsignedZero ? 0x80 : 0x7F | sign);
    if (std::isnan(x)) return nan;
    const float magnitude = std::fabs(x);
    int exponent = 1 - f.bias;
    if (magnitude >= std::ldexp(1.0F, exponent)) exponent = std::isinf(magnitude) ? 128 : std::ilogb(magnitude);
    const float spacing = std::ldexp(1.0F, exponent - f.mantissa);
    const float rounded = std::isinf(magnitude) ? magnitude : std::nearbyint(magnitude / spacing) * spacing;
    if (rounded > f.largest) return f.hasInfinity ? static_cast<std::uint8_t>(0x7C | sign) : nan;
    if (rounded == 0) return f.unsignedZero ? 0 : sign;
    const int significand = static_cast<int>(rounded / spacing);  // 2^mantissa .. 2^(mantissa+1) when normal
    return static_cast<std::uint8_t>(((exponent + f.bias - 1) << f.mantissa) + significand) | sign;
}

}  // namespace aliascope::exec
