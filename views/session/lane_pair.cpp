#include "views/session/lane_pair.h"

#include "core/recording/stage_memory.h"

namespace aliascope {
namespace {

constexpr std::size_t kMostLanes = 4;

std::optional<std::int64_t> peakOf(const Recording& recording, const LaneTotals& totals, const OpRegistry& ops, const CancelToken& cancel) {
    exec::PredictOptions options;
    options.cancel = cancel;
    const auto memory = predictStage(recording, totals.lane.id, totals.last.idx, ops, options);
    if (!memory || !*memory || (*memory)->prediction().error || cancel.cancelled()) return std::nullopt;
    return (*memory)->prediction().log.peakExact;
}

}  // namespace

LanePairPtr loadLanePair(const Recording& recording, std::int64_t a, std::int64_t b, const OpRegistry& ops, const CancelToken& cancel) {
    auto out = std::make_shared<LanePair>();
    out->a = a;
    out->b = b;
    out->comparison = compareLanes({&recording, a}, {&recording, b});
    if (out->comparison.stagesA.empty() || out->comparison.stagesB.empty() || cancel.cancelled()) return nullptr;
    out->decisionsB = std::make_shared<const std::vector<DecisionRow>>(recording.decisions(b));
    out->lanes = {{out->comparison.a, std::nullopt}, {out->comparison.b, std::nullopt}};
    for (const LaneRow& lane : recording.lanes()) {
        if (out->lanes.size() >= kMostLanes) break;
        if (lane.id == a || lane.id == b || lane.graph != out->comparison.a.lane.graph || lane.stages == 0) continue;
        out->lanes.push_back({compareLanes({&recording, a}, {&recording, lane.id}).b, std::nullopt});
    }
    for (LaneFigures& lane : out->lanes) lane.peak = peakOf(recording, lane.totals, ops, cancel);
    return cancel.cancelled() ? nullptr : out;
}

SecondStagePtr loadSecondStage(const Recording& recording, const StageView& first, std::int64_t lane, int stage, const CancelToken& cancel) {
    auto out = std::make_shared<SecondStage>();
    out->view = loadStageView(recording, lane, stage, first.options, cancel);
    if (!out->view) return nullptr;
    out->matching = matchNodes({&recording, first.lane}, first.stage, {&recording, lane}, stage);
    return cancel.cancelled() ? nullptr : out;
}

}  // namespace aliascope
