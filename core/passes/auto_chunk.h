#pragma once
// `auto-chunk`: cuts the head of a language model along its rows, so that the logits and their gradient never exist whole (chunker.md). Mutable
// graphs, inference graphs and graphs whose region does not follow the rules are left as they are; the decision says why, at which node, and how it
// was reached.
//
// PyTorch refuses when its code generator has no sub-graphs (BACKEND_NO_SUBGRAPH); here graphs with bodies run everywhere.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeAutoChunk();

}  // namespace aliascope
