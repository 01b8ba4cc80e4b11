#pragma once
// Scaled softmax (canonicalize.md 5.5, second pattern set): `s = x * c` or `x / c`, perhaps converted, and `s - amax(s)` become
// `z = x * sign(c)`, `(z - amax(z)) * (sign(c) * c)` or `/`. The scaling is then computed once, so that what is subtracted from the maximum is at
// most 0 also where a compiler fuses products and sums. Comes after attention fusion, which wants the softmax as it was written.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeStabilizeSoftmax();

}  // namespace aliascope
