#include "views/session/lane_pair.h"

#include <map>

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

std::optional<LaneNumerics> numericsOf(const Recording& recording, std::int64_t lane) {
    // Of a stage that was compared several times the last comparison counts.
    std::map<int, bool> differs;
    for (const ComparisonRow& row : recording.comparisons(lane)) differs[row.stageB] = row.verdict == "differs";
    if (differs.empty()) return std::nullopt;
    LaneNumerics out;
    out.compared = int(differs.size());
    for (const auto& [stage, wrong] : differs) {
        if (!wrong) continue;
        if (out.differs++ == 0) out.firstStage = stage;
    }
    if (const auto begin = recording.firstDivergence(lane); begin && out.differs > 0) {
        out.firstStage = begin->first.stageB;
        out.maxAbs = begin->second.maxAbs;
    }
    return out;
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
    out->numericsA = numericsOf(recording, a);
    out->numericsB = numericsOf(recording, b);
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
