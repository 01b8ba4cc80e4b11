#include "core/recording/stage_bisect.h"

#include <algorithm>

#include "core/exec/compare_pairs.h"
#include "core/pipeline/pipeline.h"

namespace aliascope {
namespace {

bool ended(const Diagnostic& d) { return d.code == "CANCELLED" || d.code == "TIMEOUT"; }

std::string firstNode(const ExecutedStage& later, const exec::Comparison& comparison) {
    if (!comparison.first || !comparison.rows[*comparison.first].b) return {};
    const memory::Site& site = *comparison.rows[*comparison.first].b;
    const auto bodies = exec::bodiesOf(*later.graph);
    return site.body < bodies.size() && bodies[site.body]->contains(site.node) ? (*bodies[site.body])[site.node].name.str() : std::string();
}

/// Keeps what a pass reports.
class Reports final : public PassObserver {
public:
    Status stageFinished(const Graph&, const StageResult& stage) override {
        if (stage.index > 1 && stage.rewrites) rewrites = *stage.rewrites;
        return {};
    }
    std::vector<Rewrite> rewrites;
};

class Search {
public:
    Search(StageRuns& runs, const Recording& recording, std::int64_t lane, const OpRegistry& ops, const BisectOptions& options)
        : runs_(runs), recording_(recording), lane_(lane), ops_(ops), options_(options) {
        for (const StageRow& stage : runs.stages())
            if (candidates_.empty() || stage.changed) candidates_.push_back(stage.idx);
    }

    Result<Bisection> search() {
        if (auto ok = findStage(); !ok) return fail(std::move(ok.error()));
        if (out_.stage && options_.rewrites)
            if (auto ok = findRewrite(); !ok) return fail(std::move(ok.error()));
        return std::move(out_);
    }

private:
    Status findStage() {
        auto good = probe(candidates_.front());
        if (!good) return fail(std::move(good.error()));
        if (!*good) {
            Diagnostic d = *runs_.run(candidates_.front())->get().error;
            d.note = "The graph as opened does not run; there is nothing to compare with.";
            return fail(std::move(d));
        }
        std::size_t low = 0, high = candidates_.size() - 1;
        if (high == 0) return {};
        good = probe(candidates_[high]);
        if (!good) return fail(std::move(good.error()));
        if (*good) return {};
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            good = probe(candidates_[middle]);
            if (!good) return fail(std::move(good.error()));
            (*good ? low : high) = middle;
        }
        out_.stage = candidates_[high];
        before_ = candidates_[low];
        return {};
    }

    Result<bool> probe(int idx) {
        auto ran = runs_.run(idx);
        if (!ran) return fail(std::move(ran.error()));
        const ExecutedStage& stage = ran->get();
        BisectProbe p;
        p.stage = idx;
        if (stage.complete && idx == candidates_.front()) {
            p.verdict = "reference";
            p.good = true;
            return note(std::move(p), stage, nullptr);
        }
        if (!stage.complete) return failed(std::move(p), stage);
        auto comparison = runs_.compare(candidates_.front(), idx);
        if (!comparison) return fail(std::move(comparison.error()));
        return judged(std::move(p), stage, *comparison);
    }

    Result<bool> failed(BisectProbe p, const ExecutedStage& stage) {
        if (ended(*stage.error)) return fail(*stage.error);
        p.verdict = "failed";
        p.first = stage.error->sentence();
        return note(std::move(p), stage, nullptr);
    }

    Result<bool> judged(BisectProbe p, const ExecutedStage& stage, const exec::Comparison& comparison) {
        p.verdict = exec::toString(comparison.verdict);
        p.good = comparison.verdict != exec::Verdict::Differs;
        p.first = firstNode(stage, comparison);
        if (!p.good && comparison.first && comparison.rows[*comparison.first].b) origin_ = *comparison.rows[*comparison.first].b;
        return note(std::move(p), stage, &comparison);
    }

    bool note(BisectProbe p, const ExecutedStage& stage, const exec::Comparison* comparison) {
        if (options_.each) options_.each(p, stage, comparison);
        out_.probes.push_back(std::move(p));
        return out_.probes.back().good;
    }

    // --- rewrites --------------------------------------------------------------------------------------------------------------------------

    struct Variant {
        std::shared_ptr<const Graph> graph;
        std::vector<Rewrite> rewrites;
        std::int64_t taken = 0;
    };

    const StageRow& rowOf(int idx) const {
        return *std::find_if(runs_.stages().begin(), runs_.stages().end(), [&](const StageRow& s) { return s.idx == idx; });
    }

    /// The graph that the pass makes of the stage before it, with at most so many rewrites.
    Result<Variant> make(std::optional<std::int64_t> most) const {
        const StageRow& row = rowOf(*out_.stage);
        auto pipeline =
            parsePipeline(row.options.empty() || row.options.front() == '{' ? row.pass + row.options : row.pass + "{" + row.options + "}");
        if (!pipeline) return fail(std::move(pipeline.error()));
        auto graph = recording_.graph(lane_, *out_.stage - 1, ops_);
        if (!graph) return fail(std::move(graph.error()));
        Variant v;
        Reports reports;
        RunOptions how;
        how.mostRewrites = most;
        RunResult ran = runPipeline(*graph, *pipeline, ops_, {&reports}, how);
        if (ran.error) return fail(std::move(*ran.error));
        v.graph = std::make_shared<const Graph>(std::move(*graph));
        v.rewrites = std::move(reports.rewrites);
        v.taken = ran.rewritesTaken;
        return v;
    }

    Result<bool> probeRewrites(std::int64_t most) {
        auto variant = make(most);
        if (!variant) return fail(std::move(variant.error()));
        auto stage = runs_.runVariant(variant->graph, before_);
        if (!stage) return fail(std::move(stage.error()));
        BisectProbe p;
        p.stage = *out_.stage;
        p.rewrites = most;
        if (!stage->complete) return failed(std::move(p), *stage);
        auto comparison = runs_.compareVariant(candidates_.front(), *stage, rowOf(*out_.stage).pass, variant->rewrites);
        if (!comparison) return fail(std::move(comparison.error()));
        return judged(std::move(p), *stage, *comparison);
    }

    Status findRewrite() {
        const StageRow& row = rowOf(*out_.stage);
        const Pass* pass = findPass(row.pass);
        if (!pass || !pass->stopsEarly()) {
            nameByDifference();
            return {};
        }
        auto whole = make(std::nullopt);
        if (!whole) return fail(std::move(whole.error()));
        // Of a program of several graphs the pass ran on each; over all of them it may do more.
        if (whole->graph->hash() != row.hash) {
            nameByDifference();
            return {};
        }
        out_.rewrites = whole->taken;
        std::int64_t low = 0, high = whole->taken;
        auto good = probeRewrites(0);
        if (!good) return fail(std::move(good.error()));
        if (!*good || high == 0) {  // what differs is not among the rewrites that the pass counts
            nameByDifference();
            return {};
        }
        while (high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            good = probeRewrites(middle);
            if (!good) return fail(std::move(good.error()));
            (*good ? low : high) = middle;
        }
        out_.number = high;
        auto without = make(low), with = make(high);
        if (!without) return fail(std::move(without.error()));
        if (!with) return fail(std::move(with.error()));
        out_.rewrite = added(without->rewrites, with->rewrites);
        return {};
    }

    /// What the longer list has first that the shorter one lacks.
    static std::optional<Rewrite> added(const std::vector<Rewrite>& without, const std::vector<Rewrite>& with) {
        const auto same = [](const Rewrite& a, const Rewrite& b) {
            const auto equal = [](const NodeRef& x, const NodeRef& y) { return x.id == y.id && x.name == y.name; };
            return a.rule == b.rule && a.state == b.state && std::equal(a.before.begin(), a.before.end(), b.before.begin(), b.before.end(), equal);
        };
        for (const Rewrite& r : with)
            if (r.rule != "copy-back" && r.rule != "replay-view" &&
                std::none_of(without.begin(), without.end(), [&](const Rewrite& o) { return same(o, r); }))
                return r;
        return std::nullopt;
    }

    /// The rewrite that made, or changed, the node where the difference begins.
    void nameByDifference() {
        if (!origin_) return;
        const Uid uid = Uid(origin_->body) << 32 | origin_->node.value;
        for (const RewriteRow& row : recording_.rewrites(lane_, *out_.stage)) {
            const auto names = [&](const auto& list) {
                return std::any_of(list.begin(), list.end(), [&](const auto& node) { return node.first == uid; });
            };
            if (!names(row.after) && !names(row.before)) continue;
            Rewrite r;
            r.rule = row.rule;
            for (const auto& [id, name] : row.before) r.before.push_back({NodeId(static_cast<std::uint32_t>(id)), Name(name)});
            for (const auto& [id, name] : row.after) r.after.push_back({NodeId(static_cast<std::uint32_t>(id)), Name(name)});
            out_.rewrite = std::move(r);
            return;
        }
    }

    StageRuns& runs_;
    const Recording& recording_;
    std::int64_t lane_;
    const OpRegistry& ops_;
    const BisectOptions& options_;
    std::vector<int> candidates_;  ///< stages that may differ from the one before
    int before_ = 0;               ///< the last that agrees
    std::optional<memory::Site> origin_;
    Bisection out_;
};

}  // namespace

ProbeRow rowOf(const BisectProbe& probe, int seq, const std::string& command) {
    ProbeRow row;
    row.kind = probe.rewrites ? "bisect-rewrites" : "bisect";
    row.seq = seq;
    row.k = probe.rewrites ? *probe.rewrites : probe.stage;
    row.verdict = probe.verdict;
    row.command = command;
    return row;
}

Result<Bisection> bisectStages(StageRuns& runs, const Recording& recording, std::int64_t lane, const OpRegistry& ops, const BisectOptions& options) {
    return Search(runs, recording, lane, ops, options).search();
}

}  // namespace aliascope
