#include "core/exec/selftest_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/exec/cpu/dispatch.h"

namespace aliascope::exec {
namespace {

/// Relative half-spacing of a float type.
double halfSpacing(DType d) {
    switch (d) {
        case DType::F32:
            return 0x1p-24;
        case DType::F16:
            return 0x1p-11;
        case DType::BF16:
            return 0x1p-8;
        default:
            return 0x1p-53;
    }
}

double smallestNormal(DType d) {
    if (d == DType::F16) return 0x1p-14;
    return d == DType::F64 ? 0x1p-1022 : 0x1p-126;
}

/// Both sides are rounded, so a bound of half a unit on each is a whole one between them.
double bound(double want, DType dtype, const CompareScale& scale) {
    const DType narrowest = itemSize(scale.narrowest) < itemSize(dtype) ? scale.narrowest : dtype;
    const double unit = 2 * halfSpacing(dtype) * std::max(std::fabs(want), smallestNormal(dtype));
    // PyTorch's CPU kernels round 16-bit floats in between, where sums are of this size.
    const auto between = [&](double size) { return itemSize(narrowest) == 2 ? 4 * halfSpacing(narrowest) * std::max(std::fabs(want), size) : 0; };
    const double single = dtype == DType::F64 && scale.narrowest == DType::F64 ? 0x1p-53 : 0x1p-24;
    if (scale.special) return 256 * unit + 16 * halfSpacing(dtype);
    switch (scale.tolerance) {
        case ToleranceClass::Exact:
            return 0;
        case ToleranceClass::Rounded:
            return scale.operands > 2 ? 4 * halfSpacing(narrowest) * std::max(std::fabs(want), scale.largest) : std::max(unit, between(scale.number));
        case ToleranceClass::Transcendental:
            return std::max(4 * unit * (itemSize(dtype) > 2 ? 1 : 0.5), between(scale.number));
        case ToleranceClass::Reduction:
            return unit + between(scale.largest) +
                   4 * single * (1 + std::log2(std::max(1.0, scale.terms))) * std::max(scale.largest * scale.terms, std::fabs(want));
        case ToleranceClass::Matmul:
            return unit + between(scale.largest * std::sqrt(scale.terms)) +
                   2 * single * std::sqrt(scale.terms) * std::max(scale.largest * scale.largest * scale.terms, std::fabs(want));
        case ToleranceClass::Attention: {
            const double share = dtype == DType::BF16 ? 0x1p-7 : dtype == DType::F16 ? 0x1p-10 : 1e-5;
            return share * std::max(1.0, scale.largest);
        }
        case ToleranceClass::Random:
            return std::numeric_limits<double>::infinity();
    }
    return 0;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

std::int64_t HostElements::count() const { return itemSize(dtype) ? static_cast<std::int64_t>(bytes.size()) / itemSize(dtype) : 0; }

double HostElements::number(std::int64_t i) const {
    return dispatch(dtype, [&](auto tag) {
        typename decltype(tag)::type x;
        std::memcpy(&x, bytes.data() + static_cast<std::size_t>(i) * sizeof x, sizeof x);
        return convertElement<double>(x);
    });
}

std::int64_t HostElements::integer(std::int64_t i) const {
    return dispatch(dtype, [&](auto tag) {
        typename decltype(tag)::type x;
        std::memcpy(&x, bytes.data() + static_cast<std::size_t>(i) * sizeof x, sizeof x);
        return convertElement<std::int64_t>(x);
    });
}

std::optional<std::string> firstDifference(const HostElements& got, const HostElements& want, const CompareScale& scale) {
    const bool floating = info(want.dtype).floating;
    for (std::int64_t i = 0; i < want.count(); ++i) {
        if (!floating) {
            if (got.integer(i) != want.integer(i)) return fmt::format("element {} is {}, expected {}", i, got.integer(i), want.integer(i));
            continue;
        }
        const double a = got.number(i), b = want.number(i);
        if (same(a, b)) continue;
        const double limit = std::isfinite(b) && std::isfinite(a) ? bound(b, want.dtype, scale) : 0;
        if (!(std::fabs(a - b) <= limit) || scale.tolerance == ToleranceClass::Exact)
            return fmt::format("element {} is {:.9g}, expected {:.9g} (within {:.2g})", i, a, b, limit);
    }
    return {};
}

bool picksSame(const HostElements& self, const Shape& sizes, std::size_t dim, const HostElements& a, const HostElements& b) {
    std::int64_t inner = 1, outer = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (d != dim) (d < dim ? outer : inner) *= sizes[d];
    const std::int64_t length = sizes.empty() ? 1 : sizes[dim], picked = outer > 0 && inner > 0 ? a.count() / (outer * inner) : 0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const std::int64_t line = i / (picked * inner) * length * inner + i % inner, x = a.integer(i), y = b.integer(i);
        if (x < 0 || x >= length || y < 0 || y >= length || !same(self.number(line + x * inner), self.number(line + y * inner))) return false;
    }
    return true;
}

}  // namespace aliascope::exec
