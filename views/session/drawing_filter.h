#pragma once
// Which nodes of a stage are drawn (ui.md 2.3: neighbourhood and filters).

#include "views/session/stage_view.h"

namespace aliascope {

/// 1 = drawn, by index into the snapshot's nodes. Linear in nodes and edges. Folded results are not hidden: see makeDrawingInput.
std::vector<char> nodesDrawn(const StageView& view, const DrawingFilter& filter);

/// One word or two for each filter that narrows the drawing, as chips show them, and the filter without it.
struct FilterChip {
    std::string name;  ///< `changed`, `module`, … ; part of the chip's object name
    std::string text;
    DrawingFilter without;
};
std::vector<FilterChip> filterChips(const DrawingFilter& filter, const StageView& view);

}  // namespace aliascope
