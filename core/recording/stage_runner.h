#pragma once
// One run of a graph on the inputs of a lane: with digests and kept values, traced, over the offline plan, or in doubles as a reference; and the
// values that a comparison asks for. Internal to core/recording; StageRuns decides what runs. Thread-safety: none.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/exec/doubles.h"
#include "core/exec/reinplaced_sets.h"
#include "core/recording/stage_runs.h"

namespace aliascope {

/// Cancels a run when the user does, and when it takes too long.
class Deadline;

class StageRunner {
public:
    StageRunner(const OpRegistry& ops, const StageRunOptions& options, std::unique_ptr<exec::Backend> backend);
    ~StageRunner();

    /// Problems of `.ops` bodies, what references decided otherwise, why there is none.
    std::vector<Diagnostic> warnings;
    std::optional<exec::InputSet> inputs;
    std::optional<exec::ReinplacedSets> reinplaced;  ///< of a graph that was opened after re-inplacing

    exec::Backend& backend() { return *backend_; }
    const OpRegistry& ops() const { return ops_; }

    struct OneRun {
        std::unique_ptr<exec::ReadTracer> tracer;  // before the result, whose storages belong to it
        exec::ExecResult result;
        std::unique_ptr<exec::RunCollector> collector;
        exec::StageInputs inputs;
        std::shared_ptr<const exec::ArenaPlan> arena;
    };
    /// `keep`: values to be kept; nothing = what fits.
    Result<OneRun> run(const Graph& g, exec::DigestMode digests, const std::optional<exec::ValueKeys>& keep = exec::ValueKeys(), bool trace = false);

    /// Values of a stage's run, so that a difference need not be fetched by running again. Those of `first` and of the newest are held.
    void hold(int stage, int first, exec::KeptValues values);
    /// Measures rows whose digests differ, by running both stages again where the values are not held.
    void fetch(const ExecutedStage& earlier, const ExecutedStage& later, const exec::Tolerance& tolerance, exec::Comparison& c,
               std::vector<std::size_t> rows);
    /// What is known of a graph that goes away.
    void forget(const Graph* g);

private:
    exec::ExecOptions execOptions() const;
    Result<std::shared_ptr<const exec::ArenaPlan>> arenaOf(const Graph& g);
    exec::KeptValues inDoubles(const Graph& g, const exec::ValueKeys& keys);
    void noteDecided(const Graph& g, const exec::DecidedValues& values);

    const OpRegistry& ops_;
    const StageRunOptions& options_;
    std::unique_ptr<exec::Backend> backend_;
    exec::OpBodies bodies_;
    std::unique_ptr<Deadline> deadline_;
    std::map<int, exec::KeptValues> kept_;
    std::map<const Graph*, std::shared_ptr<const exec::ArenaPlan>> arenas_;
    std::unique_ptr<exec::Backend> doubles_;  ///< runs references
    std::map<const Graph*, std::shared_ptr<exec::DecidedValues>> decided_;
    bool saidNoReference_ = false;
    std::set<Name> decidedNodes_;  ///< already spoken of
};

}  // namespace aliascope
