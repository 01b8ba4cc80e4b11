#pragma once
// `dce`: removes nodes that nothing uses and whose absence cannot be noticed: pure calls, functional wrappers, constants. Placeholders stay, and so
// does everything that writes, is random, has an effect, or has no schema. A wrapper stays when the operator in it has an effect.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeDce();

}  // namespace aliascope
