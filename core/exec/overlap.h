#pragma once
// Overlap of what an operator writes with itself and with what it reads (executor.md 3.3).

#include "core/exec/tensor.h"

namespace aliascope::exec {

enum class SelfOverlap : std::uint8_t {
    None,
    Some,       ///< elements share memory: written in row-major order
    Stretched,  ///< a dimension of stride 0: PyTorch refuses to write it
};
SelfOverlap selfOverlap(const Tensor& t);

enum class MutualOverlap : std::uint8_t {
    None,
    Same,     ///< the same elements in the same order
    Partial,  ///< both lie dense in memory: PyTorch refuses
    Some,     ///< strided: accepted, the order of reads and writes shows
};
MutualOverlap mutualOverlap(const Tensor& written, const Tensor& other);

}  // namespace aliascope::exec
