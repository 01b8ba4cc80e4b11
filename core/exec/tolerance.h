#pragma once
// When two values count as close (executor.md 5.2, 5.3).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"

namespace aliascope::exec {

/// Bitwise: no difference is allowed but that of NaN payloads and the sign of zero. Otherwise a value is close when its relative l2 error, and for
/// 16-bit floats its cosine, are within the bounds for whole graphs; or, where a user gave rtol and atol, when every element is.
struct Tolerance {
    bool bitwise = false;
    std::optional<double> rtol, atol;
};

/// Policy between two stages, from the passes that ran in between and changed the graph: bitwise when none of them may change results.
Tolerance toleranceOf(const std::vector<std::string>& passes);
/// The pass may give results that differ by rounding.
bool mayRoundDifferently(std::string_view pass);

/// Bounds of executor.md 5.3, row "whole graphs".
struct GraphBound {
    double relativeL2 = 0;  ///< 0 = must be equal
    double cosine = 0;      ///< least; 0 = not asked
};
GraphBound graphBound(DType dtype);

/// What was found when two tensors of one shape were compared element by element.
struct ErrorStatistics {
    double maxAbs = 0, maxRel = 0, ulp = 0;  ///< infinite where only one of the two is finite
    double errorL2 = 0, referenceL2 = 0, dot = 0, otherL2 = 0;
    bool misplaced = false;   ///< NaN or infinity stands on one side only
    bool elementwise = true;  ///< every element within rtol and atol, where these were given
    std::int64_t worst = -1;  ///< logical index of maxAbs
};
bool isClose(const ErrorStatistics& e, DType dtype, const Tolerance& tolerance);

}  // namespace aliascope::exec
