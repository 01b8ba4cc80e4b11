#pragma once
// The main pattern set of the joint passes (canonicalize.md 2.3 row 7, 5.5): one traversal from last to first.
//
// In reference mode PyTorch's attention patterns are part of that traversal, because what stands nearer to the output goes first: a chain of
// conversions inside attention is still there when attention is looked for. `fuse-attention`, a step of its own, then says why the rest did not match
// and applies the user's patterns. In extended mode conversions that lose nothing hide no attention, so fusing is left to it.
//
// A match counts only inside one mutation region, so graphs with writes are looked at too. Sub-graphs first.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeJointPatterns();

}  // namespace aliascope
