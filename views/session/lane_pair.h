#pragma once
// A second lane beside the current one: what compare mode shows of both (ui.md 2.14). Made on a job thread, immutable afterwards.

#include <memory>
#include <optional>
#include <vector>

#include "core/ir/op_registry.h"
#include "core/recording/lane_comparison.h"
#include "core/support/cancel.h"
#include "views/session/stage_view.h"

namespace aliascope {

/// A lane of the session in figures, as the table of lanes shows it.
struct LaneFigures {
    LaneTotals totals;
    std::optional<std::int64_t> peak;  ///< predicted, of the last stage; nothing = cannot be predicted
};

/// What the recorded comparisons of a lane's stages with its first one say.
struct LaneNumerics {
    int compared = 0, differs = 0;  ///< stages
    int firstStage = 0;             ///< of those that differ
    std::optional<double> maxAbs;   ///< where the difference begins
};

struct LanePair {
    std::int64_t a = 0, b = 0;
    LaneComparison comparison;
    std::vector<LaneFigures> lanes;  ///< of the graph of `a`: `a`, `b`, then the others, four at most
    std::shared_ptr<const std::vector<DecisionRow>> decisionsB;
    std::optional<LaneNumerics> numericsA, numericsB;  ///< nothing = no stage was compared
};
using LanePairPtr = std::shared_ptr<const LanePair>;

/// Null when cancelled or when a lane is not there.
LanePairPtr loadLanePair(const Recording& recording, std::int64_t a, std::int64_t b, const OpRegistry& ops, const CancelToken& cancel);

/// A stage of the second lane and which of its nodes is which of the first.
struct SecondStage {
    StageViewPtr view;
    NodeMatching matching;
};
using SecondStagePtr = std::shared_ptr<const SecondStage>;
SecondStagePtr loadSecondStage(const Recording& recording, const StageView& first, std::int64_t lane, int stage, const CancelToken& cancel);

}  // namespace aliascope
