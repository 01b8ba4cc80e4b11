#pragma once
// Two tensors of one shape, element by element: how far apart they are, where most, and whether that counts as close.

#include "core/exec/compare.h"
#include "core/exec/run_values.h"

namespace aliascope::exec {

/// Precondition: equal dtype and sizes. NaN equals NaN.
ErrorStatistics compareElements(const KeptValue& earlier, const KeptValue& later, const Tolerance& tolerance);

/// Fills the measured fields of `row` and its verdict (close or differs).
void measure(ComparedValue& row, const KeptValue& earlier, const KeptValue& later, const Tolerance& tolerance);

/// The same against `reference`, computed in doubles: errors of both, and the verdict by these where the policy allows differences.
void measureAgainst(ComparedValue& row, const KeptValue& earlier, const KeptValue& later, const KeptValue& reference, const Tolerance& tolerance);

/// One element as people read it: floats with the digits that tell neighbours of the type apart.
std::string elementText(const KeptValue& value, std::int64_t index);

}  // namespace aliascope::exec
