#pragma once
// Which form of a write copies least, found by running the pipeline (reinplace.md 9, L5). The rules of one call see neither what later passes make of
// it nor that a write in place here makes another call clone; a run sees both. Internal to core/pipeline.

#include "core/pipeline/pipeline.h"

namespace aliascope {

/// Whether the pipeline re-inplaces with `analysis=extent` and takes wrappers apart, and the graph writes something or is going to. Linear.
bool needsFormSearch(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops);

/// Runs the pipeline on clones of the graph: with all calls in v1 form, all copies that a write comes between removed, all kept, all writes
/// functional, then with one thing changed at a time, as long as fewer bytes are copied at the end, or as many by fewer copies. Where PyTorch's own
/// pipelines still copy less, changes are tried two at a time. How often is bounded by the size of the graph; on cancel it ends with what was found
/// so far.
WriteForms searchWriteForms(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops, const RunOptions& options);

}  // namespace aliascope
