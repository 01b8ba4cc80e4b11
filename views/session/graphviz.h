#pragma once
// Nicer places for a small drawing: Graphviz's `dot` in a child process (ui.md 2.3). The built-in placement is on screen meanwhile, and stays when
// there is no Graphviz, when it fails or takes too long. Job threads only.

#include <QString>

#include "core/support/cancel.h"
#include "views/session/stage_view.h"

namespace aliascope {

/// More cards than this keep the built-in placement.
inline constexpr std::size_t kMostGraphvizCards = 200;
/// Milliseconds after which the child is killed.
inline constexpr int kGraphvizLimitMs = 10'000;

/// A neighbourhood small enough to be placed anew.
bool suitsGraphviz(const StageView& view);

struct GraphvizPlacement {
    StageViewPtr view;  ///< the same stage with other places; null when the built-in placement stays
    QString why;        ///< it does; empty when cancelled
};
/// `cancel` kills the child within 50 ms.
GraphvizPlacement placeByGraphviz(const StageView& view, const CancelToken& cancel, int limitMs = kGraphvizLimitMs);

}  // namespace aliascope
