#pragma once
// What is drawn of a stage: cards, edges, and the groups that start closed in a large graph (ui.md 0, 2.3).

#include "views/session/stage_view.h"

namespace aliascope {

/// Nodes in the order of the snapshot, edges once per pair. Groups are contiguous in program order, so a closed one never lies on a cycle:
/// by module path; else by the block of source lines that repeats (the layers of a model); else bands of 64. Graphs up to 120 nodes have none.
LayoutInput makeDrawingInput(const StageView& view, const DrawingOptions& options);

}  // namespace aliascope
