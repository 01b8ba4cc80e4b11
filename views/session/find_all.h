#pragma once
// A find text over every stage of a lane (ui.md 2.3, 3.7): what the window's find in all stages lists. Made on a job thread.

#include <memory>
#include <vector>

#include "core/query/find.h"
#include "core/recording/recording.h"
#include "core/support/cancel.h"

namespace aliascope {

struct StageHits {
    int stage = 0;
    std::string name;
    std::vector<NodeRowPtr> nodes;  ///< in program order
};

/// What a search over a lane reads, kept for the next one: typing does not read the session again.
struct LaneStages {
    struct Stage {
        StageRow row;
        std::shared_ptr<const StageSnapshot> snapshot;  ///< null = as the stage before
        std::vector<ChangeRow> changes;
        std::vector<StorageRow> storages;
    };
    std::int64_t lane = 0;
    std::vector<Stage> stages;
    std::shared_ptr<const std::vector<DecisionRow>> decisions;
};
using LaneStagesPtr = std::shared_ptr<const LaneStages>;

/// Null when cancelled.
LaneStagesPtr readLaneStages(const Recording& recording, std::int64_t lane, std::shared_ptr<const std::vector<DecisionRow>> decisions,
                             const CancelToken& cancel, const Progress& progress);
/// Stages that hold a hit, in their order. A stage that changed nothing is left out: its hits are those of the stage before. Near-linear.
std::vector<StageHits> findInStages(const LaneStages& stages, const query::Find& find, const CancelToken& cancel);

}  // namespace aliascope
