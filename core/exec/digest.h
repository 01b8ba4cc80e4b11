#pragma once
// What is kept of every value of a run (executor.md 5.1): two order-independent hashes over bits and positions, and statistics.

#include <cstdint>

#include "core/exec/tensor.h"

namespace aliascope::exec {

struct Digest {
    DType dtype = DType::Unknown;
    Shape sizes, strides;
    std::int64_t numel = 0;
    std::uint64_t hash = 0;   ///< sum over the logical row-major index i of mix(bits(x_i) + i * 0x9E3779B97F4A7C15)
    std::uint64_t hashV = 0;  ///< the same with NaNs made one and -0 made +0
    double min = 0, max = 0;  ///< infinities count, NaN does not; NaN when there is nothing
    double mean = 0, l2 = 0;  ///< over finite values
    std::int64_t nan = 0, posInf = 0, negInf = 0, zero = 0;
    std::int64_t argmaxAbs = -1;  ///< logical index
};

/// Of host memory. O(elements).
Digest digestOf(const Tensor& hostTensor);

}  // namespace aliascope::exec
