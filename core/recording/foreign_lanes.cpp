#include "core/recording/foreign_lanes.h"

#include "core/pipeline/foreign_stages.h"
#include "core/text/stage_order.h"

namespace aliascope {

Status recordForeignLanes(Recorder& recorder, const Document& doc, const std::vector<std::int64_t>& graphs, const OpRegistry& ops,
                          const CancelToken& cancel) {
    for (const StageChain& chain : stageChains(doc)) {
        if (cancel.cancelled()) return {};
        auto observer = recorder.beginLane(graphs[chain.home], "torch " + chain.name, ops, Recorder::LaneKind::Foreign);
        if (!observer) return fail(observer.error());
        std::vector<ForeignStage> stages;
        for (const std::size_t unit : chain.units) stages.push_back({doc.units[unit].stage, &doc.units[unit].graph});
        if (auto replayed = replayForeign(stages, **observer, cancel); !replayed) return replayed;
    }
    return {};
}

}  // namespace aliascope
