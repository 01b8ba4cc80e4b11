#pragma once
// `copy_` of a value onto its own memory (reinplace.md 6).

#include "core/pipeline/pass.h"

namespace aliascope {

/// Reports every self-copy as SELF_COPY. With `erase` they are deleted, also those whose source is another node of exactly the same memory and
/// geometry, with the views that only they read; without, only `copy_(x, x)` is looked at and all stay.
void treatSelfCopies(Graph& g, PassContext& ctx, bool erase);

}  // namespace aliascope
