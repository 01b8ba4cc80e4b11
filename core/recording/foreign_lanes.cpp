#include "core/recording/foreign_lanes.h"

#include "core/pipeline/foreign_stages.h"
#include "core/text/stage_order.h"

namespace aliascope {

Status recordForeignLanes(Recorder& recorder, const Document& doc, std::size_t unit, const std::vector<std::int64_t>& graphs, const OpRegistry& ops,
                          const CancelToken& cancel) {
    for (const StageChain& chain : stageChains(doc)) {
        if (cancel.cancelled()) return {};
        if (!sameCompilation(doc.units[chain.home], doc.units[unit])) continue;
        auto observer = recorder.beginLane(graphs[chain.home], "torch " + chain.name, ops, Recorder::LaneKind::Foreign);
        if (!observer) return fail(observer.error());
        std::vector<ForeignStage> stages;
        for (const std::size_t i : chain.units) stages.push_back({doc.units[i].stage, &doc.units[i].graph});
        if (auto replayed = replayForeign(stages, **observer, cancel); !replayed) return replayed;
    }
    return {};
}

}  // namespace aliascope
