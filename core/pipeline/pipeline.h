#pragma once
// Pipelines: text syntax (architecture.md 4), named pipelines, and the runner with its observers and verifier.

#include <chrono>

#include "core/pipeline/pass.h"

namespace aliascope {

struct PipelineStep {
    const Pass* pass = nullptr;
    PassOptions options;
    /// Canonical text: options in the table's order, defaults left out.
    std::string str() const;
};

struct Pipeline {
    std::string name;  ///< `torch-v2`, `best`; empty for a text
    std::vector<PipelineStep> steps;
    std::vector<std::string> missing;  ///< steps of the named pipeline that this build lacks
    std::string str() const;
};

/// Parses a pipeline text; named pipelines inside it are inlined. Errors P001 to P004 with column and nearest names.
Result<Pipeline> parsePipeline(std::string_view text);
/// `torch-v2`, `torch-v1`, `best`, `torch-joint`; P001 otherwise.
Result<Pipeline> namedPipeline(std::string_view name);
std::vector<std::string> pipelineNames();

/// One stage as observers see it. Stage 1 is `imported`.
struct StageResult {
    int index = 1;
    std::string name;           ///< pass name, `#2` when it occurs again
    std::string pass, options;  ///< empty for `imported`; options = canonical `{...}` inside
    enum class State : std::uint8_t { Ok, Failed, Skipped } state = State::Ok;
    std::uint64_t hash = 0;
    bool changed = false;
    std::int64_t wallNs = 0;
    std::string message;  ///< of a failed or skipped stage
    const std::vector<Rewrite>* rewrites = nullptr;
    const std::vector<Decision>* decisions = nullptr;
    const std::vector<Diagnostic>* diagnostics = nullptr;
};

/// Hears of every stage. Called on the thread that runs the pipeline. An error from stageFinished stops the run (disk full).
class PassObserver {
public:
    virtual ~PassObserver() = default;
    virtual Status pipelineStarted(const Graph&, const Pipeline&) { return {}; }
    /// `g` is the graph after the stage (of a failed stage: the last good one).
    virtual Status stageFinished(const Graph& g, const StageResult& stage) = 0;
    /// `complete` false: stopped by an error or cancelled.
    virtual void pipelineFinished(bool complete) { (void)complete; }
};

struct RunOptions {
    CancelToken cancel;
    Progress progress;
    std::string until;  ///< stop after this pass; empty = all
    std::vector<std::string> skip;
    bool verify = true;
    /// Compare copies that are left with what the other bundled pipelines do (needs.h): sets Decision::need and avoidedBy before observers hear.
    bool judgeNeeds = false;
    /// Rewrites that each pass which stops early may apply; nothing = all.
    std::optional<std::int64_t> mostRewrites;
    /// Forms that are known already; null = the runner looks for them where the pipeline re-inplaces with `analysis=extent` (write_form_search.h).
    const WriteForms* forms = nullptr;
};

struct RunResult {
    bool complete = true;  ///< every step ran
    bool failed = false;   ///< a pass or the verifier failed; `error` says which
    std::optional<Diagnostic> error;
    std::vector<Diagnostic> diagnostics;
    std::vector<std::pair<std::string, std::vector<Decision>>> decisions;  ///< by stage name
    std::int64_t rewritesTaken = 0;                                        ///< of passes that stop early, as they count them
};

/// Runs the steps on `g` in place; verifies before the first and after each step that changed the graph. On failure `g` is the last good stage.
RunResult runPipeline(Graph& g, const Pipeline& pipeline, const OpRegistry& ops, const std::vector<PassObserver*>& observers,
                      const RunOptions& options = {});

}  // namespace aliascope
