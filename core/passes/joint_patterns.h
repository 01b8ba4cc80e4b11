#pragma once
// The main pattern set of the joint passes (canonicalize.md 2.3 row 7, 5.5): one traversal from last to first.
//
// A match counts only inside one mutation region, so graphs with writes are looked at too. Sub-graphs first.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeJointPatterns();

}  // namespace aliascope
