#pragma once
// Attention fusion (patterns.md): products, softmax and dropout that are scaled dot-product attention become one call of the kernel that PyTorch
// would choose, forward and backward; and the rules of a user's file.
//
// Reference mode matches and checks what PyTorch 2.11 does; where it does not look at a constant, axis or mask that is wrong, the record says so.
// Extended mode verifies every literal on the graph. What nearly matched is recorded with the first condition that failed.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeFuseAttention();

}  // namespace aliascope
