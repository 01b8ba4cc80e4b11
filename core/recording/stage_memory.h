#pragma once
// The memory of a recorded stage, predicted on demand from its graph: what the verb `memory` and the memory view show when no run was recorded.
// Thread-safety: a StageMemory is immutable; predictStage may be called from several threads.

#include <memory>

#include "core/exec/predict.h"
#include "core/memory/memory_report.h"
#include "core/recording/recording.h"

namespace aliascope {

class StageMemory {
public:
    StageMemory(exec::Prediction prediction, std::vector<std::uint32_t> bodies)
        : prediction_(std::move(prediction)), bodies_(std::move(bodies)), report_(prediction_.log) {}
    StageMemory(const StageMemory&) = delete;
    StageMemory& operator=(const StageMemory&) = delete;

    const exec::Prediction& prediction() const { return prediction_; }
    const memory::MemoryReport& report() const { return report_; }
    /// Node of the recording; 0 for events that belong to no node.
    Uid uidOf(const memory::Site& site) const;
    /// Event with the highest live bytes of a node, over all its frames; -1 when it has none.
    std::int64_t seqOf(Uid node) const;

private:
    exec::Prediction prediction_;
    std::vector<std::uint32_t> bodies_;  ///< numbers in the recording, by body of the log
    memory::MemoryReport report_;
};

/// What a run of the stage did to memory, in place of a prediction: where sizes depend on data, the plan takes those of a first run
/// (executor.md 4.5).
std::shared_ptr<const StageMemory> memoryOfRun(const Recording& recording, std::int64_t lane, int stage, memory::EventLog log);
/// The same of a run that the session holds. Its frames have no call paths.
std::shared_ptr<const StageMemory> memoryOfRun(const Recording& recording, const MemoryRunRow& run);

/// Without `options.bodies` those that `ops` has are read, so that whoever asks gets the same events. Errors: those of Recording::graph. What cannot
/// be predicted is in prediction().error.
Result<std::shared_ptr<const StageMemory>> predictStage(const Recording& recording, std::int64_t lane, int stage, const OpRegistry& ops,
                                                        const exec::PredictOptions& options = {});

}  // namespace aliascope
