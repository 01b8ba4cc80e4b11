#pragma once
// What is drawn of a stage: cards, edges, and the groups that start closed in a large graph (ui.md 0, 2.3).

#include "views/session/stage_view.h"

namespace aliascope {

struct DrawingInput {
    LayoutInput layout;
    std::vector<std::uint32_t> nodeOf;  ///< by node of `layout`: index into the snapshot
    std::vector<std::int32_t> drawnBy;  ///< by index into the snapshot: node of `layout` that stands for it, -1 = none
    std::vector<char> hidden;           ///< by index into the snapshot: a filter left it out
};

/// Nodes in the order of the snapshot, edges once per pair. Groups are contiguous in program order, so a closed one never lies on a cycle:
/// by module path, one inside the other; else by the block of source lines that repeats (the layers of a model); else bands of 64. Up to 120
/// nodes have none, and neither has a neighbourhood.
DrawingInput makeDrawingInput(const StageView& view, const DrawingOptions& options);

}  // namespace aliascope
