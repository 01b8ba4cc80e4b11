#include "views/session/find_all.h"

#include "core/recording/find_nodes.h"

namespace aliascope {

LaneStagesPtr readLaneStages(const Recording& recording, std::int64_t lane, std::shared_ptr<const std::vector<DecisionRow>> decisions,
                             const CancelToken& cancel, const Progress& progress) {
    auto out = std::make_shared<LaneStages>();
    out->lane = lane;
    out->decisions = std::move(decisions);
    const std::vector<StageRow> rows = recording.stages(lane);
    for (const StageRow& row : rows) {
        if (cancel.cancelled()) return nullptr;
        progress(double(out->stages.size()) / double(rows.size()), row.name);
        LaneStages::Stage stage{row, nullptr, {}, {}};
        if (row.changed || out->stages.empty()) {
            stage.snapshot = recording.snapshot(lane, row.idx);
            if (row.idx > 1) stage.changes = recording.changes(lane, row.idx);
            stage.storages = recording.storages(lane, row.idx);
        }
        out->stages.push_back(std::move(stage));
    }
    return out;
}

std::vector<StageHits> findInStages(const LaneStages& stages, const query::Find& find, const CancelToken& cancel) {
    std::vector<StageHits> out;
    for (const LaneStages::Stage& stage : stages.stages) {
        if (cancel.cancelled()) break;
        if (!stage.snapshot) continue;
        const FindContext context{&stage.changes, &stage.storages, stages.decisions.get(), nullptr};
        StageHits hits{stage.row.idx, stage.row.name, {}};
        for (const std::uint32_t node : findNodes(*stage.snapshot, context, find, cancel)) hits.nodes.push_back(stage.snapshot->nodes[node]);
        if (!hits.nodes.empty()) out.push_back(std::move(hits));
    }
    return out;
}

}  // namespace aliascope
