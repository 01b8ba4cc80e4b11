#pragma once
// Reordering for locality (canonicalize.md 5.9): every producer whose users have all been seen, walking backwards, moves to just before the consumer
// that was met last. Inference graphs only; nodes from the first write-back on stay.
//
// In reference mode this may move a reader of an old value behind the functional wrapper that replaces it, which costs a clone later; one warning
// says so (reinplace.md 10, R7). `mode=extended` leaves such readers where they are. Only the order of nodes changes.

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeReorderForLocality();

}  // namespace aliascope
