#pragma once
// `functionalize`: from the mutable graph to the functional graph (functionalize.md).
//
// Afterwards no node writes, except `copy_(p, v)` into graph inputs and constants at the end. In-place ATen operators become their functional
// counterparts, mutable custom operators become `auto_functionalized` (v1) or `auto_functionalized_v2` wrappers, Triton launches become
// `triton_kernel_wrapper_functional`. Views are regenerated from the newest value of their storage where they are next used.
//
// custom-ops=v1, v2: PyTorch 2.11's graphs, its defects included, each reported by its code. auto: the v2 form with the sound rules, which copies
// nothing in the order of the program; where v1 would copy views, a decision says how many bytes.
//
// Not touched: a graph that is functional already (its hash stays equal), dead nodes (that is `dce`), operators without schema, and every node that
// neither writes nor reads what was written: it keeps its id, name and provenance. A call that becomes a wrapper keeps its id.
//
// Errors name the node: NOT_ELIGIBLE_ARG, NOT_ELIGIBLE_RETURN, NO_COUNTERPART, NO_INVERSE, WRITE_TO_EXPANDED, RESIZE_OF_VIEW, WRITE_AFTER_SET,
// WRITE_WITHOUT_WRITE_BACK, COMPLEX_BASE (v2 only).

#include <memory>

#include "core/pipeline/pass.h"

namespace aliascope {

std::unique_ptr<Pass> makeFunctionalize();

}  // namespace aliascope
