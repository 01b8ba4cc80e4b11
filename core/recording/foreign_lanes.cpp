#include "core/recording/foreign_lanes.h"

#include <algorithm>
#include <unordered_set>

#include "core/pipeline/foreign_stages.h"
#include "core/text/stage_order.h"

namespace aliascope {

Status recordForeignLanes(Recorder& recorder, const Document& doc, const std::vector<std::size_t>& units, const std::vector<std::int64_t>& graphs,
                          const OpRegistry& ops, const CancelToken& cancel) {
    const std::unordered_set<std::size_t> named(units.begin(), units.end());
    for (const StageChain& chain : stageChains(doc)) {
        if (cancel.cancelled()) return {};
        const auto belongs = [&](std::size_t unit) { return sameCompilation(doc.units[chain.home], doc.units[unit]); };
        if (!named.contains(chain.home) && std::none_of(units.begin(), units.end(), belongs)) continue;
        auto observer = recorder.beginLane(graphs[chain.home], "torch " + chain.name, ops, Recorder::LaneKind::Foreign);
        if (!observer) return fail(observer.error());
        std::vector<ForeignStage> stages;
        for (const std::size_t i : chain.units) stages.push_back({doc.units[i].stage, &doc.units[i].graph});
        if (auto replayed = replayForeign(stages, **observer, cancel); !replayed) return replayed;
    }
    return {};
}

}  // namespace aliascope
