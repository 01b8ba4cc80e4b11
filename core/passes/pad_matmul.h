#pragma once
// Padding of matrix products to sizes of which GPUs make better use (canonicalize.md 9, 2.3 row 7). PyTorch decides by timing; here a product of
// 2-byte floats on a GPU is padded in each dim that is no multiple of 8 while both other dims are at least 512. Operands are padded with zeros, the
// result is sliced back: the same sums, with zeros added.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makePadMatmul();

}  // namespace aliascope
