#include "core/exec/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aliascope::exec {

bool mayRoundDifferently(std::string_view pass) {
    static constexpr std::string_view exact[] = {"functionalize", "reinplace",   "decompose-functionalized", "canonicalize-views", "dce",
                                                 "cse",           "plan-memory", "reorder-for-locality",     "views-to-reshape"};
    return std::find(std::begin(exact), std::end(exact), pass) == std::end(exact);
}

Tolerance toleranceOf(const std::vector<std::string>& passes) {
    Tolerance out;
    out.bitwise = std::none_of(passes.begin(), passes.end(), mayRoundDifferently);
    return out;
}

GraphBound graphBound(DType dtype) {
    switch (dtype) {
        case DType::F64:
        case DType::F32:
        case DType::C64:
        case DType::C128:
            return {1e-4, 0};
        case DType::F16:
        case DType::BF16:
        case DType::C32:
            return {2e-2, 0.9995};
        case DType::F8E4M3FN:
        case DType::F8E5M2:
        case DType::F8E4M3FNUZ:
        case DType::F8E5M2FNUZ:
            return {1.25e-1, 0.99};
        default:
            return {};
    }
}

namespace {

/// Relative half-spacing.
double halfSpacing(DType d) {
    switch (d) {
        case DType::F64:
        case DType::C128:
            return 0x1p-53;
        case DType::F16:
        case DType::C32:
            return 0x1p-11;
        case DType::BF16:
            return 0x1p-8;
        case DType::F8E4M3FN:
        case DType::F8E4M3FNUZ:
            return 0x1p-4;
        case DType::F8E5M2:
        case DType::F8E5M2FNUZ:
            return 0x1p-3;
        default:
            return 0x1p-24;
    }
}

double smallestNormal(DType d) {
    if (d == DType::F64 || d == DType::C128) return 0x1p-1022;
    if (d == DType::F16 || d == DType::C32) return 0x1p-14;
    return 0x1p-126;
}

}  // namespace

ElementBound operatorBound(ToleranceClass kind, const OperatorScale& s) {
    const double u = halfSpacing(s.result), tiny = smallestNormal(s.result);
    // What an accumulator in single precision loses; doubles are summed in doubles.
    const double sums = s.result == DType::F64 || s.result == DType::C128 ? 0x1p-53 : 0x1p-24;
    ElementBound one;
    switch (kind) {
        case ToleranceClass::Exact:
            return {};
        case ToleranceClass::Rounded:
            one = {u, u * tiny};
            break;
        case ToleranceClass::Transcendental: {
            const double ulps = itemSize(s.result) > 2 ? 4 : 1;
            one = {2 * u * ulps, 2 * u * ulps * tiny};
            break;
        }
        case ToleranceClass::Reduction:
            one = {u, 4 * sums * (1 + std::log2(std::max(1.0, s.terms))) * s.largest * s.terms};
            break;
        case ToleranceClass::Matmul:
            one = {u, 2 * sums * std::sqrt(s.terms) * s.norms};
            break;
        case ToleranceClass::Attention:
            one = {0, (s.result == DType::BF16 ? 0x1p-7 : s.result == DType::F16 ? 0x1p-10 : 1e-5) * std::max(s.largest, 1.0)};
            break;
        case ToleranceClass::Random:
            return {0, std::numeric_limits<double>::infinity()};
    }
    return {2 * one.relative, 2 * one.absolute};
}

double summedRounding(ToleranceClass kind, DType result, double terms, double norms) {
    const double sums = result == DType::F64 || result == DType::C128 ? 0x1p-53 : 0x1p-24;
    terms = std::max(1.0, terms);
    const double twoRuns = 2;
    if (kind == ToleranceClass::Reduction) return twoRuns * 4 * sums * (1 + std::log2(terms)) * std::sqrt(terms) * norms;
    if (kind == ToleranceClass::Matmul) return twoRuns * 2 * sums * std::sqrt(terms) * norms;
    return 0;
}

bool isNoWorse(double earlierError, double laterError, double scale, DType dtype) {
    return laterError <= 2 * earlierError + 2 * halfSpacing(dtype) * std::max(scale, smallestNormal(dtype));
}

bool isClose(const ErrorStatistics& e, DType dtype, const Tolerance& tolerance) {
    if (tolerance.rtol || tolerance.atol) return e.elementwise && !e.misplaced;
    if (tolerance.bitwise || e.misplaced) return false;
    const GraphBound bound = graphBound(dtype);
    if (bound.relativeL2 == 0) return false;
    // Numbers around the rounding of 1 are noise next to values that were cancelled to nearly nothing.
    constexpr double noise = 1e-12;
    if (e.errorL2 > bound.relativeL2 * e.referenceL2 + e.roundingL2 + noise) return false;
    if (e.errorL2 <= e.roundingL2) return true;
    const double norms = e.referenceL2 * e.otherL2;
    return bound.cosine == 0 || norms == 0 || e.dot >= bound.cosine * norms;
}

}  // namespace aliascope::exec
