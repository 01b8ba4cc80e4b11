#pragma once
// Result of elementwise operators, for families that contain some. Private to core/ops.

#include <vector>

#include "core/ops/infer.h"

namespace aliascope {

struct Elementwise {
    std::vector<const TensorType*> operands;
};

/// Broadcast sizes, common device, layout by TensorIterator's rule; contiguous and Assumed when an operand's strides are unknown.
Inferred elementwiseResult(const Elementwise& e, DType dtype);
/// Device of the first operand with dimensions; 0-d CPU tensors follow the others.
Name commonDevice(const std::vector<const TensorType*>& operands);

}  // namespace aliascope
