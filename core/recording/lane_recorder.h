#pragma once
// Records one pipeline run as a lane: the observer that Recorder::beginLane hands out. Internal to core/recording.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/pipeline/pipeline.h"
#include "core/recording/database.h"
#include "core/recording/node_versions.h"
#include "core/recording/recorder.h"
#include "core/recording/text_pool.h"

namespace aliascope::recording {

class LaneRecorder : public PassObserver {
public:
    /// `path` is named in messages; `kind` is that of the lane. A stage during which `cancel` says so is not recorded, nor is one after it.
    LaneRecorder(RowQueue& queue, Database& db, TextPool& pool, const RecorderLimits& limits, std::string path, std::int64_t graph, std::string name,
                 std::string kind, const OpRegistry& ops, CancelToken cancel);
    ~LaneRecorder() override;

    /// Of the table `lane`; 0 = nothing is written yet.
    std::int64_t row() const { return lane_; }

    Status pipelineStarted(const Graph& g, const Pipeline& pipeline) override;
    Status stageFinished(const Graph& g, const StageResult& stage) override;
    void pipelineFinished(bool complete) override;

    /// The recorder closes: a lane that has not ended is interrupted.
    void abandon();

private:
    struct Statements;
    void writeStage(const Graph& g, const StageResult& stage);
    std::int64_t insertStageRow(const StageResult& stage, const StageDifference& difference);
    void insertRewrites(std::int64_t stageId, const std::vector<Rewrite>& rewrites);
    void insertRewriteNodes(std::int64_t rewrite, const char* side, const std::vector<NodeRef>& nodes);
    void insertDecisions(std::int64_t stageId, const std::vector<Decision>& decisions);
    void insertDiagnostics(std::int64_t stageId, const std::vector<Diagnostic>& diagnostics);
    void storeGraphState(int stage);
    void setState(const char* state);
    Status stageCancelled();
    Status stageFailed(Diagnostic why);
    void checkLimits(const StageResult& stage) const;

    RowQueue& queue_;
    Database& db_;
    TextPool& pool_;
    RecorderLimits limits_;
    std::string path_;
    std::int64_t graph_;
    std::string name_, kind_;
    const OpRegistry& ops_;
    CancelToken cancel_;
    std::int64_t lane_ = 0;  ///< 0 = header not written yet
    std::unique_ptr<NodeVersions> versions_;
    std::unique_ptr<Statements> statements_;
    std::uint64_t stateHash_ = 0;
    std::int64_t writtenVersions_ = 0, writtenDecisions_ = 0;
    bool hasStages_ = false;
    bool failed_ = false;  ///< a stage of the pipeline failed
    bool ended_ = false;
    std::optional<Diagnostic> broken_;  ///< why nothing more can be written
};

/// Columns of a message that both files and stages have; params as a JSON object.
std::string paramsJson(const Params& params, const std::string& note = {});
/// `2026-01-31T12:00:00Z`.
std::string timestamp();

}  // namespace aliascope::recording
