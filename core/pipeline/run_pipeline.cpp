#include <algorithm>
#include <exception>
#include <map>

#include "core/analysis/verifier.h"
#include "core/pipeline/needs.h"
#include "core/pipeline/origins.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/pipeline_names.h"
#include "core/pipeline/write_form_search.h"

namespace aliascope {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t nanosecondsSince(Clock::time_point start) { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count(); }

/// The verifier's finding with `{pass}` filled in; one without a node is about the whole graph.
Diagnostic blame(Diagnostic d, std::string_view pass) {
    d.params.insert(d.params.begin(), {"pass", std::string(pass)});
    for (auto& [key, value] : d.params) {
        if (key != "node") continue;
        if (value.empty())
            value = "the graph";
        else if (d.node.empty())
            d.node = Name(value);
    }
    return d;
}

Diagnostic passThrew(std::string_view pass, const char* what) {
    return internalError("V001",
                         {{"pass", std::string(pass)}, {"rule", "the pass contract"}, {"node", "-"}, {"why", std::string("exception: ") + what}});
}

class Runner {
public:
    Runner(Graph& g, const Pipeline& pipeline, const OpRegistry& ops, const std::vector<PassObserver*>& observers, const RunOptions& options)
        : graph_(g), pipeline_(pipeline), ops_(ops), observers_(observers), options_(options), origins_(g) {
        if (options.judgeNeeds) judge_ = std::make_unique<NeedJudge>(g, pipeline.name, ops, options.cancel);
    }

    RunResult run() {
        for (PassObserver* observer : observers_)
            if (auto started = observer->pipelineStarted(graph_, pipeline_); !started) fault(started.error());
        if (!result_.error) begin();
        if (!stopped_) chooseForms();
        for (std::size_t i = 0; i < pipeline_.steps.size() && !stopped_; ++i) {
            if (options_.cancel.cancelled()) {
                result_.complete = false;
                break;
            }
            progress(i);
            step(pipeline_.steps[i]);
        }
        if (result_.error) result_.complete = false;
        for (PassObserver* observer : observers_) observer->pipelineFinished(result_.complete);
        return std::move(result_);
    }

private:
    /// Stage 1: the graph as opened.
    void begin() {
        const auto start = Clock::now();
        StageResult stage;
        stage.name = "imported";
        hash_ = stage.hash = graph_.hash();
        std::vector<Diagnostic> found;
        if (options_.verify) {
            if (auto ok = verify(graph_, ops_); !ok) {
                Diagnostic d = blame(ok.error(), "opening the file");
                stage.state = StageResult::State::Failed;
                stage.message = d.sentence();
                found.push_back(d);
                fault(std::move(d));
            }
        }
        stage.wallNs = nanosecondsSince(start);
        static const std::vector<Rewrite> noRewrites;
        static const std::vector<Decision> noDecisions;
        stage.rewrites = &noRewrites;
        stage.decisions = &noDecisions;
        stage.diagnostics = &found;
        publish(stage);
    }

    void chooseForms() {
        if (options_.forms || !needsFormSearch(graph_, pipeline_, ops_)) return;
        found_ = searchWriteForms(graph_, pipeline_, ops_, options_);
    }

    void step(const PipelineStep& step) {
        StageResult stage;
        stage.index = ++index_;
        learned_ = 0;
        stage.pass = step.pass->name();
        stage.options = optionText(step);
        stage.name = uniqueStageName(stage.pass);
        PassContext ctx(ops_, step.options, options_.cancel);
        ctx.forms = options_.forms ? options_.forms : &found_;
        if (options_.mostRewrites) ctx.budget->most = *options_.mostRewrites;
        const bool skip = std::find(options_.skip.begin(), options_.skip.end(), stage.pass) != options_.skip.end() ||
                          std::find(options_.skip.begin(), options_.skip.end(), stage.name) != options_.skip.end();
        const auto start = Clock::now();
        if (skip) {
            stage.state = StageResult::State::Skipped;
            stage.message = "skipped on request";
        } else if (!execute(*step.pass, ctx, stage)) {
            result_.complete = false;  // cancelled inside the pass: its half-done work is not a stage
            stopped_ = true;
            return;
        }
        stage.hash = hash_;
        result_.rewritesTaken += ctx.budget->taken;
        stage.wallNs = nanosecondsSince(start);
        origins_.learn(ctx.rewrites, learned_);
        fillOrigins(ctx);
        if (judge_ && stage.state == StageResult::State::Ok) judge_->judge(graph_, ctx.decisions);
        stage.rewrites = &ctx.rewrites;
        stage.decisions = &ctx.decisions;
        stage.diagnostics = &ctx.diagnostics;
        publish(stage);
        result_.diagnostics.insert(result_.diagnostics.end(), ctx.diagnostics.begin(), ctx.diagnostics.end());
        result_.decisions.emplace_back(stage.name, std::move(ctx.decisions));
        if (!options_.until.empty() && (options_.until == stage.pass || options_.until == stage.name)) stopped_ = true;
    }

    /// Runs the pass on the graph and takes it back when it failed. False when it was cancelled.
    bool execute(const Pass& pass, PassContext& ctx, StageResult& stage) {
        if (!snapshotIsCurrent_) snapshot_ = graph_.clone();
        snapshotIsCurrent_ = true;
        ctx.originOf = [this, &ctx](NodeId id) {
            origins_.learn(ctx.rewrites, learned_);
            learned_ = ctx.rewrites.size();
            return origins_.of(id);
        };
        const Result<Outcome> outcome = guarded(pass, ctx);
        if (options_.cancel.cancelled()) {
            graph_ = std::move(snapshot_);
            return false;
        }
        if (!outcome) return failStage(stage, ctx, outcome.error());

        const std::uint64_t hash = graph_.hash();
        if (hash == hash_) {
            if (*outcome == Outcome::Skipped) {
                stage.state = StageResult::State::Skipped;
                stage.message = ctx.diagnostics.empty() ? "its precondition does not hold" : ctx.diagnostics.back().sentence();
            }
            return true;
        }
        snapshotIsCurrent_ = false;
        if (options_.verify) {
            VerifyOptions verifyOptions;
            verifyOptions.requireNoFunctionalWrappers = pass.name() == "decompose-functionalized" && !options_.mostRewrites;
            if (auto ok = verify(graph_, ops_, verifyOptions); !ok) return failStage(stage, ctx, blame(ok.error(), stage.name));
        }
        hash_ = hash;
        stage.changed = true;
        return true;
    }

    Result<Outcome> guarded(const Pass& pass, PassContext& ctx) {
        try {
            return pass.run(graph_, ctx);
        } catch (const std::exception& e) {
            return fail(passThrew(pass.name(), e.what()));
        }
    }

    bool failStage(StageResult& stage, PassContext& ctx, Diagnostic d) {
        graph_ = std::move(snapshot_);
        snapshotIsCurrent_ = false;
        stage.state = StageResult::State::Failed;
        stage.message = d.sentence();
        ctx.diagnostics.push_back(d);
        for (Rewrite& rewrite : ctx.rewrites)
            if (rewrite.state == Rewrite::State::Applied) rewrite.state = Rewrite::State::Failed;
        fault(std::move(d));
        return true;
    }

    void fault(Diagnostic d) {
        if (!result_.error) result_.error = std::move(d);
        result_.failed = true;
        stopped_ = true;
    }

    /// Decisions that a pass left without an origin get the one that rewrites tell.
    void fillOrigins(PassContext& ctx) const {
        for (Decision& decision : ctx.decisions)
            if (decision.origin.name.empty()) decision.origin = origins_.of(decision.node.id);
    }

    void publish(const StageResult& stage) {
        for (PassObserver* observer : observers_)
            if (auto told = observer->stageFinished(graph_, stage); !told) fault(told.error());
    }

    void progress(std::size_t i) const {
        if (options_.progress)
            options_.progress(static_cast<double>(i) / static_cast<double>(pipeline_.steps.size()), pipeline_.steps[i].pass->name());
    }

    /// `dce`, `dce#2`, …
    std::string uniqueStageName(const std::string& pass) {
        const int n = ++occurrences_[pass];
        return n == 1 ? pass : pass + "#" + std::to_string(n);
    }

    Graph& graph_;
    const Pipeline& pipeline_;
    const OpRegistry& ops_;
    const std::vector<PassObserver*>& observers_;
    const RunOptions& options_;

    Origins origins_;
    WriteForms found_;                  ///< unless the options say which
    std::unique_ptr<NeedJudge> judge_;  ///< null when needs are not asked for
    std::size_t learned_ = 0;           ///< rewrites of the running pass that origins_ knows
    Graph snapshot_;                    ///< the last good stage while a pass runs
    bool snapshotIsCurrent_ = false;    ///< snapshot_ equals graph_: no pass has changed it since
    std::uint64_t hash_ = 0;
    int index_ = 1;
    bool stopped_ = false;
    std::map<std::string, int> occurrences_;
    RunResult result_;
};

}  // namespace

RunResult runPipeline(Graph& g, const Pipeline& pipeline, const OpRegistry& ops, const std::vector<PassObserver*>& observers,
                      const RunOptions& options) {
    return Runner(g, pipeline, ops, observers, options).run();
}

}  // namespace aliascope
