#include "core/exec/tolerance.h"

#include <algorithm>
#include <cmath>

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

bool isClose(const ErrorStatistics& e, DType dtype, const Tolerance& tolerance) {
    if (tolerance.rtol || tolerance.atol) return e.elementwise && !e.misplaced;
    if (tolerance.bitwise || e.misplaced) return false;
    const GraphBound bound = graphBound(dtype);
    if (bound.relativeL2 == 0) return false;
    // Numbers around the rounding of 1 are noise next to values that were cancelled to nearly nothing.
    constexpr double noise = 1e-12;
    if (e.errorL2 > bound.relativeL2 * e.referenceL2 + noise) return false;
    const double norms = e.referenceL2 * e.otherL2;
    return bound.cosine == 0 || norms == 0 || e.dot >= bound.cosine * norms;
}

}  // namespace aliascope::exec
