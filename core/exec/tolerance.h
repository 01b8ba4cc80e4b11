#pragma once
// When two values count as close (executor.md 5.2, 5.3).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exec/kernel.h"
#include "core/ir/dtype.h"

namespace aliascope::exec {

/// Bitwise: no difference is allowed but that of NaN payloads and the sign of zero. Otherwise a value is close when its relative l2 error, and for
/// 16-bit floats its cosine, are within the bounds for whole graphs; or, where a user gave rtol and atol, when every element is.
struct Tolerance {
    bool bitwise = false;
    std::optional<double> rtol, atol;
    bool reference = false;  ///< errors are measured against values computed in doubles
};

/// Policy between two stages, from the passes that ran in between and changed the graph: bitwise when none of them may change results.
Tolerance toleranceOf(const std::vector<std::string>& passes);
/// The pass may give results that differ by rounding.
bool mayRoundDifferently(std::string_view pass);

/// Two values are close when abs(a - b) <= absolute + relative * abs(a).
struct ElementBound {
    double relative = 0, absolute = 0;
};

/// What the bound of an operator depends on besides its class and the element (executor.md 5.3).
struct OperatorScale {
    DType result = DType::Unknown;
    double terms = 1;    ///< that one element sums
    double largest = 0;  ///< largest finite absolute value among the operands
    double norms = 0;    ///< of products: the largest product of the norms of a row and a column
};
/// Between two runs of one operator on equal operands, each of which may be off by the bound of its class.
ElementBound operatorBound(ToleranceClass kind, const OperatorScale& scale);

/// l2 norm of what rounding does to results that are sums: terms that cancel leave it standing however small the results are. `norms`: of a reduction
/// that of its operand, of a product those of its operands multiplied. 0 for what sums nothing.
double summedRounding(ToleranceClass kind, DType result, double terms, double norms);

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
    double roundingL2 = 0;    ///< summedRounding of the values
    std::int64_t worst = -1;  ///< logical index of maxAbs
};
bool isClose(const ErrorStatistics& e, DType dtype, const Tolerance& tolerance);
/// Judged against a value computed in doubles: the later stage's error is at most twice the earlier one's, and one unit in the last place of the
/// largest element `scale`.
bool isNoWorse(double earlierError, double laterError, double scale, DType dtype);

}  // namespace aliascope::exec
