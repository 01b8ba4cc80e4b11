#pragma once
// Runs stages of a recorded lane on the same inputs and compares each with an earlier one: what `exec`, `bisect` and the numerics view do. Stages
// whose graphs are equal run once. Needs only a Recording; writing what came out is the caller's choice. Thread-safety: none; one StageRuns on one
// thread. Recordings may be read beside it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/arena_plan.h"
#include "core/exec/compare.h"
#include "core/exec/executor.h"
#include "core/exec/inputs.h"
#include "core/exec/op_bodies.h"
#include "core/exec/read_tracer.h"
#include "core/exec/run_values.h"
#include "core/recording/recorder.h"
#include "core/recording/recording.h"

namespace aliascope {

/// What a comparison takes the errors against.
enum class Reference : std::uint8_t {
    Native,  ///< the earlier stage itself
    F64      ///< the earlier stage in doubles, on the reference backend (executor.md 5.2)
};

struct StageRunOptions {
    std::string device = "cpu";  ///< `cpu` (fast), `cpu-ref`; others end in DEVICE_MISSING
    std::string inputs;          ///< file of tensors; empty = random by role
    std::uint64_t seed = 0;
    bool castInputs = false, randomConstants = false;
    std::vector<exec::InputAlias> aliases;     ///< inputs that share storage
    std::vector<exec::InputBinding> bindings;  ///< numbers and files for single inputs and symbols
    Reference reference = Reference::Native;
    bool plan = false;                     ///< run over the offline plan: one arena, results in storages that die (executor.md 4.2, 4.3)
    std::vector<std::string> digestNodes;  ///< of DigestMode::Nodes
    std::vector<std::string> keepNodes;    ///< whose values savedOutputs() gives too
    exec::ExecOptions run;                 ///< cancel, progress, sanitize, maxFlops, standIn, …; bodies and reinplaced are set here
    exec::DigestMode digests = exec::DigestMode::All;
    std::optional<double> rtol, atol;              ///< instead of the policy of executor.md 5.2
    int repeat = 1;                                ///< timed repetitions
    double timeoutSeconds = 0;                     ///< of all stages together; 0 = none
    bool recordMemory = true, recordTimes = true;  ///< what record() writes beside digests
};

/// A stage that was run, or whose graph is that of one that was.
struct ExecutedStage {
    StageRow stage;
    int sameAs = 0;  ///< stage that ran in its place; its own idx when it ran itself
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const exec::RunValues> values;
    memory::EventLog memory;
    bool complete = false, synthetic = false;
    std::optional<Diagnostic> error;
    std::vector<Diagnostic> warnings;
    std::shared_ptr<const exec::ReadLog> reads;      ///< with ExecOptions::sanitize: who wrote what each operator read
    std::vector<exec::Finding> findings;             ///< of the sanitizer; also among the warnings
    std::shared_ptr<const exec::ArenaPlan> arena;    ///< with StageRunOptions::plan
    std::vector<std::vector<exec::NodeTime>> times;  ///< per repetition
    std::vector<std::int64_t> wallNs;
    std::int64_t run = 0;  ///< row of `run`, once recorded
};

class StageRuns {
public:
    /// Chooses inputs for the lane's graph as opened. Errors: those of InputSet::make and of opening the file; DEVICE_MISSING; S002.
    static Result<std::unique_ptr<StageRuns>> create(std::shared_ptr<const Recording> recording, std::int64_t lane, const OpRegistry& ops,
                                                     StageRunOptions options);
    ~StageRuns();

    const exec::InputSet& inputs() const;
    const std::vector<StageRow>& stages() const;  ///< of the lane, those that have a graph of their own
    /// Problems of `.ops` bodies, and what the inputs lack.
    const std::vector<Diagnostic>& warnings() const;

    /// Runs stage `idx` unless an equal one has run. What fails while it runs is in the result; an error is one of the session or of the inputs.
    Result<std::reference_wrapper<ExecutedStage>> run(int idx);
    /// Both stages must be complete. Values that differ are fetched by running both again.
    Result<exec::Comparison> compare(int earlier, int later);
    /// Results as `out/K`, inputs as `after/K` and kept values as `value/NAME` of a run of stage `idx`, for writeTensorFile.
    Result<std::vector<exec::TensorBytes>> savedOutputs(int idx);

    /// Runs a graph that the lane does not hold, made from stage `from` (by a part of a pass).
    Result<ExecutedStage> runVariant(std::shared_ptr<const Graph> graph, int from);
    /// Compares it with stage `earlier`. `pass` and `rewrites` lead from its stage `from` to it.
    Result<exec::Comparison> compareVariant(int earlier, const ExecutedStage& variant, const std::string& pass, const std::vector<Rewrite>& rewrites);

    /// Writes the run of stage `idx`, once; gives its row.
    Result<std::int64_t> record(Recorder& recorder, int idx);
    /// Writes the run of a stage that ran itself (`sameAs`), once. May be called on another thread while other stages run.
    Result<std::int64_t> write(Recorder& recorder, ExecutedStage& stage) const;

private:
    StageRuns();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The passes that changed the graph after stage `earlier` up to stage `later`.
std::vector<std::string> passesBetween(const std::vector<StageRow>& stages, int earlier, int later);

}  // namespace aliascope
