#include "core/recording/stage_runs.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/exec/compare_pairs.h"
#include "core/exec/tensor_files.h"
#include "core/recording/stage_runner.h"
#include "core/recording/storage_versions.h"

namespace aliascope {
namespace {

using exec::ComparedValue;
using exec::Comparison;

/// Same graph, and the same notes of passes in it (which of a wrapper's arguments are written in place): equal runs.
std::uint64_t programHash(const Graph& g) {
    std::uint64_t h = g.hash();
    const std::function<void(const Graph&)> addMeta = [&](const Graph& graph) {
        for (NodeId id : inOrder(graph))
            for (const auto& [key, value] : graph[id].meta) {
                h = (h ^ id.value) * 0x9E3779B97F4A7C15;
                for (char c : key.view()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
                value.forEachNode([&](NodeId used) { h = (h ^ used.value) * 0x100000001B3; });
                for (const Value& item : value.items())
                    h = (h ^ static_cast<std::uint64_t>(item.asInt().value_or(-1)) ^ item.name().hash()) * 0x100000001B3;
            }
        for (const Graph::SubGraph& sub : graph.subGraphs())
            if (sub.graph) addMeta(*sub.graph);
    };
    addMeta(g);
    return h;
}

std::optional<exec::Precision> precisionOf(const std::string& device) {
    if (device == "cpu" || device == "auto") return exec::Precision::Fast;
    if (device == "cpu-ref") return exec::Precision::Reference;
    return std::nullopt;
}

exec::TensorBytes bytesOf(exec::Backend& backend, std::string name, const exec::Tensor& t) {
    exec::TensorBytes out;
    out.name = std::move(name);
    out.dtype = t.dtype;
    out.sizes = t.sizes;
    out.data.resize(static_cast<std::size_t>(t.bytes()));
    backend.download(out.data.data(), t);
    return out;
}

}  // namespace

struct StageRuns::Impl {
    std::shared_ptr<const Recording> recording;
    std::int64_t lane = 0;
    const OpRegistry* ops = nullptr;
    StageRunOptions options;
    std::unique_ptr<StageRunner> runner;
    std::vector<StageRow> stages;
    std::map<int, std::unique_ptr<ExecutedStage>> executed;
    std::map<std::uint64_t, int> byProgram;  ///< programHash -> stage that ran
    int variants = 0;                        ///< counts down

    /// Of the graph that the lane runs on.
    std::string sourcePath() const {
        const auto lanes = recording->lanes();
        const auto own = std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& l) { return l.id == lane; });
        for (const GraphRow& graph : recording->graphs())
            if (own != lanes.end() && graph.id == own->graph) return graph.sourcePath;
        return {};
    }

    const StageRow* stageAt(int idx) const {
        for (const StageRow& s : stages)
            if (s.idx == idx) return &s;
        return nullptr;
    }

    Result<Comparison> compareWith(StageRuns& runs, int earlier, const ExecutedStage& later, const std::vector<std::string>& passes,
                                   const exec::RewriteSteps& rewrites) {
        auto a = runs.run(earlier);
        if (!a) return fail(std::move(a.error()));
        const ExecutedStage& first = a->get();
        exec::Tolerance tolerance = exec::toleranceOf(passes);
        tolerance.rtol = options.rtol;
        tolerance.atol = options.atol;
        tolerance.reference = options.reference == Reference::F64;
        const exec::ComparedStage stageA{first.graph.get(), first.values.get()}, stageB{later.graph.get(), later.values.get()};
        const auto fetchRows = [&](Comparison& c, const std::vector<std::size_t>& rows) { runner->fetch(first, later, tolerance, c, rows); };
        return exec::compareStages(stageA, stageB, rewrites, tolerance, *ops, fetchRows);
    }

    /// Of a graph read after re-inplacing: v1 has dropped the copies back already, so that cloning everything gives something else; v2 has not.
    bool allKnown(ExecutedStage& stage) const {
        const Graph& g = *stage.graph;
        if (const NodeId node = runner->reinplaced->firstUnknown(g, true)) {
            stage.error = userError("REINPLACED_SET_UNKNOWN", {{"node", g[node].name.str()}});
            stage.error->node = g[node].name;
            stage.values = std::make_shared<const exec::RunValues>();
            return false;
        }
        if (const NodeId node = runner->reinplaced->firstUnknown(g, false)) {
            Diagnostic d = warning("NO_CLONE_SET", {{"node", g[node].name.str()}});
            d.node = g[node].name;
            stage.warnings.push_back(std::move(d));
        }
        return true;
    }

    /// Runs the stage's graph as often as asked for.
    Status execute(ExecutedStage& stage) {
        if (runner->reinplaced && !allKnown(stage)) return {};
        for (int i = 0; i < std::max(1, options.repeat); ++i) {
            const bool trace = options.run.sanitize != exec::Sanitize::Off;
            auto ran = i == 0 ? runner->run(*stage.graph, options.digests, std::nullopt, trace) : runner->run(*stage.graph, exec::DigestMode::None);
            if (!ran) return fail(std::move(ran.error()));
            stage.times.push_back(std::move(ran->collector->times));
            stage.wallNs.push_back(ran->result.wallNs);
            if (i > 0) continue;
            stage.values = std::make_shared<const exec::RunValues>(std::move(ran->collector->values));
            runner->hold(stage.sameAs, stages.front().idx, std::move(ran->collector->kept));
            stage.complete = ran->result.complete;
            stage.synthetic = ran->result.synthetic;
            stage.memory = std::move(ran->result.memory);
            stage.arena = ran->arena;
            stage.warnings.insert(stage.warnings.end(), ran->result.warnings.begin(), ran->result.warnings.end());
            if (ran->tracer) {
                stage.reads = std::make_shared<const exec::ReadLog>(ran->tracer->takeLog());
                stage.findings = findingsOf(stage);
                stage.findings.insert(stage.findings.end(), ran->result.findings.begin(), ran->result.findings.end());
                for (const exec::Finding& f : stage.findings) {
                    Diagnostic d = warning(f.code, f.params);
                    d.node = f.node;
                    stage.warnings.push_back(std::move(d));
                }
            }
            if (const auto& nan = ran->collector->firstNaN) {
                std::string at = "[";
                for (std::size_t d = 0; d < nan->at.size(); ++d) at += (d ? ", " : "") + std::to_string(nan->at[d]);
                Diagnostic d = warning("NEW_NAN", {{"node", nan->node.str()}, {"pos", at + "]"}});
                d.node = nan->node;
                stage.warnings.push_back(std::move(d));
            }
            stage.error = std::move(ran->result.error);
            if (!stage.complete) break;
        }
        return {};
    }

    /// Reads of `stage` that the first stage that ran does not have, and what the stage shows by itself. A finding that the stage before it has too
    /// came in with the same pass.
    std::vector<exec::Finding> findingsOf(const ExecutedStage& stage) const {
        std::vector<exec::Finding> out = exec::localFindings(*stage.reads);
        const ExecutedStage* reference = nullptr;
        std::vector<const exec::Finding*> known;
        int before = 0;
        for (const auto& [idx, other] : executed) {
            if (idx >= stage.stage.idx || !other->reads) continue;
            if (!reference) reference = other.get();
            before = idx;
            for (const exec::Finding& f : other->findings) known.push_back(&f);
        }
        if (!reference) return out;
        std::string passes;
        for (const std::string& pass : passesBetween(stages, before, stage.stage.idx)) passes += (passes.empty() ? "" : ", ") + pass;
        for (exec::Finding& f : exec::staleReads(*reference->reads, *stage.reads, rewritesBetween(reference->stage.idx, stage.stage.idx), passes)) {
            const auto same = std::find_if(known.begin(), known.end(), [&](const exec::Finding* k) {
                return k->code == f.code && k->reader == f.reader && k->params[2] == f.params[2];
            });
            if (same != known.end()) f.params = (*same)->params;
            out.push_back(std::move(f));
        }
        return out;
    }

    /// The rewrites of the stages after `earlier` up to `later`, bodies numbered as a run of either stage counts them.
    exec::RewriteSteps rewritesBetween(int earlier, int later) const {
        exec::RewriteSteps out;
        for (const StageRow& s : stages) {
            if (s.idx <= earlier || s.idx > later || s.rewrites == 0) continue;
            for (const RewriteRow& r : recording->rewrites(lane, s.idx)) {
                if (r.state != "applied") continue;
                exec::RewriteStep step;
                const auto sites = [](const auto& list, std::vector<memory::Site>& to) {
                    for (const auto& [uid, name] : list)
                        to.push_back({static_cast<std::uint32_t>(uid >> 32), NodeId(static_cast<std::uint32_t>(uid)), 0});
                };
                sites(r.before, step.before);
                sites(r.after, step.after);
                out.push_back(std::move(step));
            }
        }
        return out;
    }
};

StageRuns::StageRuns() : impl_(std::make_unique<Impl>()) {}
StageRuns::~StageRuns() = default;

Result<std::unique_ptr<StageRuns>> StageRuns::create(std::shared_ptr<const Recording> recording, std::int64_t lane, const OpRegistry& ops,
                                                     StageRunOptions options) {
    std::unique_ptr<StageRuns> runs(new StageRuns());
    Impl& r = *runs->impl_;
    r.recording = std::move(recording);
    r.lane = lane;
    r.ops = &ops;
    r.options = std::move(options);
    const auto precision = precisionOf(r.options.device);
    if (!precision)
        return fail(userError("DEVICE_MISSING", {{"what", r.options.device}, {"why", "this build has no module for it; cpu and cpu-ref run here"}}));
    r.runner = std::make_unique<StageRunner>(ops, r.options, exec::makeCpuBackend(*precision));
    for (const StageRow& s : r.recording->stages(lane))
        if (s.state != "failed") r.stages.push_back(s);
    if (r.stages.empty()) return fail(userError("S002", {{"what", "the lane has no stage"}}));

    auto opened = r.recording->graph(lane, r.stages.front().idx, ops);
    if (!opened) return fail(std::move(opened.error()));
    std::optional<exec::TensorFile> file;
    if (!r.options.inputs.empty()) {
        auto read = exec::TensorFile::open(r.options.inputs);
        if (!read) return fail(std::move(read.error()));
        file = std::move(*read);
    }
    exec::InputOptions inputs;
    inputs.file = file ? &*file : nullptr;
    inputs.seed = r.options.seed;
    inputs.cast = r.options.castInputs;
    inputs.randomConstants = r.options.randomConstants;
    inputs.aliases = r.options.aliases;
    inputs.bindings = r.options.bindings;
    inputs.literals = exec::literalConstants(r.sourcePath(), *opened, ops);
    r.runner->reinplaced = exec::ReinplacedSets::ofFile(r.sourcePath(), *opened);
    auto chosen = exec::InputSet::make(*opened, ops, inputs);
    if (!chosen) return fail(std::move(chosen.error()));
    r.runner->inputs = std::move(*chosen);
    return runs;
}

const exec::InputSet& StageRuns::inputs() const { return *impl_->runner->inputs; }
const std::vector<StageRow>& StageRuns::stages() const { return impl_->stages; }
const std::vector<Diagnostic>& StageRuns::warnings() const { return impl_->runner->warnings; }

Result<std::reference_wrapper<ExecutedStage>> StageRuns::run(int idx) {
    Impl& r = *impl_;
    if (const auto known = r.executed.find(idx); known != r.executed.end()) return std::ref(*known->second);
    const StageRow* row = r.stageAt(idx);
    if (!row) return fail(userError("S002", {{"what", "there is no stage " + std::to_string(idx)}}));
    auto graph = r.recording->graph(r.lane, idx, *r.ops);
    if (!graph) return fail(std::move(graph.error()));
    auto stage = std::make_unique<ExecutedStage>();
    stage->stage = *row;
    stage->graph = std::make_shared<const Graph>(std::move(*graph));
    const auto [twin, fresh] = r.byProgram.try_emplace(programHash(*stage->graph), idx);
    if (!fresh) {
        const ExecutedStage& other = *r.executed.at(twin->second);
        stage->sameAs = other.sameAs;
        stage->graph = other.graph;
        stage->values = other.values;
        stage->reads = other.reads;
        stage->findings = other.findings;
        stage->memory = other.memory;
        stage->arena = other.arena;
        stage->complete = other.complete;
        stage->synthetic = other.synthetic;
        stage->error = other.error;
        return std::ref(*r.executed.emplace(idx, std::move(stage)).first->second);
    }
    stage->sameAs = idx;
    if (auto ok = r.execute(*stage); !ok) {
        r.byProgram.erase(twin);
        return fail(std::move(ok.error()));
    }
    return std::ref(*r.executed.emplace(idx, std::move(stage)).first->second);
}

std::vector<std::string> passesBetween(const std::vector<StageRow>& stages, int earlier, int later) {
    std::vector<std::string> out;
    for (const StageRow& s : stages)
        if (s.idx > earlier && s.idx <= later && s.changed) out.push_back(s.pass);
    return out;
}

Result<Comparison> StageRuns::compare(int earlier, int later) {
    auto b = run(later);
    if (!b) return fail(std::move(b.error()));
    return impl_->compareWith(*this, earlier, b->get(), passesBetween(impl_->stages, earlier, later), impl_->rewritesBetween(earlier, later));
}

Result<ExecutedStage> StageRuns::runVariant(std::shared_ptr<const Graph> graph, int from) {
    const StageRow* row = impl_->stageAt(from);
    if (!row) return fail(userError("S002", {{"what", "there is no stage " + std::to_string(from)}}));
    ExecutedStage stage;
    stage.stage = *row;
    stage.sameAs = --impl_->variants;
    stage.graph = std::move(graph);
    impl_->runner->forget(stage.graph.get());
    if (auto ok = impl_->execute(stage); !ok) return fail(std::move(ok.error()));
    return stage;
}

Result<Comparison> StageRuns::compareVariant(int earlier, const ExecutedStage& variant, const std::string& pass,
                                             const std::vector<Rewrite>& rewrites) {
    std::vector<std::string> passes = passesBetween(impl_->stages, earlier, variant.stage.idx);
    passes.push_back(pass);
    exec::RewriteSteps steps = impl_->rewritesBetween(earlier, variant.stage.idx);
    for (const Rewrite& r : rewrites) {
        if (r.state != Rewrite::State::Applied) continue;
        exec::RewriteStep step;
        for (const NodeRef& node : r.before) step.before.push_back({0, node.id, 0});
        for (const NodeRef& node : r.after) step.after.push_back({0, node.id, 0});
        steps.push_back(std::move(step));
    }
    return impl_->compareWith(*this, earlier, variant, passes, steps);
}

Result<std::vector<exec::TensorBytes>> StageRuns::savedOutputs(int idx) {
    Impl& r = *impl_;
    auto stage = run(idx);
    if (!stage) return fail(std::move(stage.error()));
    const std::set<std::string> wanted(r.options.keepNodes.begin(), r.options.keepNodes.end());
    const Graph& g = *stage->get().graph;
    exec::ValueKeys keys;
    constexpr int mostItems = 64;
    for (const NodeId id : inOrder(g))
        if (wanted.contains(g[id].name.str()))
            for (int out = 0; out < mostItems; ++out) keys.insert({{0, id, 0}, out});
    auto ran = r.runner->run(g, exec::DigestMode::None, keys);
    if (!ran) return fail(std::move(ran.error()));
    if (ran->result.error) return fail(std::move(*ran->result.error));
    std::vector<exec::TensorBytes> out;
    int k = 0;
    for (const exec::RuntimeValue& v : ran->result.outputs)
        if (const exec::Tensor* t = v.tensor()) out.push_back(bytesOf(r.runner->backend(), "out/" + std::to_string(k++), *t));
    for (std::size_t i = 0; i < ran->result.inputs.size() && i < ran->inputs.indices.size(); ++i)
        if (const exec::Tensor* t = ran->result.inputs[i].tensor(); t && ran->inputs.indices[i] >= 0)
            out.push_back(bytesOf(r.runner->backend(), "after/" + std::to_string(ran->inputs.indices[i]), *t));
    for (const NodeId id : inOrder(g))
        for (int item = 0; item < mostItems; ++item) {
            const auto kept = ran->collector->kept.find({{0, id, 0}, item});
            if (kept == ran->collector->kept.end()) continue;
            const std::string name = "value/" + g[id].name.str() + (item > 0 ? "/" + std::to_string(item) : std::string());
            out.push_back({name, kept->second.dtype, kept->second.sizes, std::move(kept->second.data)});
        }
    return out;
}

Result<std::int64_t> StageRuns::record(Recorder& recorder, int idx) {
    auto executed = run(idx);
    if (!executed) return fail(std::move(executed.error()));
    ExecutedStage& stage = executed->get();
    if (stage.run != 0) return stage.run;
    if (stage.sameAs == idx) return write(recorder, stage);
    auto twin = record(recorder, stage.sameAs);
    if (twin) stage.run = *twin;
    return twin;
}

Result<std::int64_t> StageRuns::write(Recorder& recorder, ExecutedStage& stage) const {
    if (stage.run != 0) return stage.run;
    const Impl& r = *impl_;
    RunHeader header;
    header.stageId = stage.stage.id;
    header.device = "cpu";
    header.backend = std::string(r.runner->backend().name());
    header.seed = r.options.seed;
    header.inputs = r.options.inputs.empty() ? "random" : r.options.inputs;
    nlohmann::ordered_json roles = nlohmann::ordered_json::object();
    for (const exec::InputValue& v : r.runner->inputs->values()) roles[v.name.str()] = {{"role", v.role}, {"reason", v.reason}};
    header.options = nlohmann::ordered_json{{"inputs", std::move(roles)}, {"repeat", stage.wallNs.size()}, {"plan", r.options.plan}}.dump(
        -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    auto id = recorder.beginRun(header);
    if (!id) return fail(std::move(id.error()));
    RunOutcome outcome;
    outcome.state = stage.complete ? "complete" : stage.error && stage.error->code == "CANCELLED" ? "cancelled" : "failed";
    outcome.synthetic = stage.synthetic;
    outcome.wallNs = stage.wallNs.empty() ? 0 : *std::min_element(stage.wallNs.begin(), stage.wallNs.end());
    outcome.values = stage.values.get();
    if (r.options.recordTimes)
        for (const auto& list : stage.times) outcome.times.push_back(&list);
    if (r.options.recordMemory) outcome.memory = &stage.memory;
    if (stage.arena) {
        outcome.arena = stage.arena->arena;
        outcome.lowerBound = stage.arena->lowerBound;
    }
    outcome.diagnostics = stage.warnings;
    if (stage.error) outcome.diagnostics.push_back(*stage.error);
    if (auto ok = recorder.endRun(*id, outcome); !ok) return fail(std::move(ok.error()));
    stage.run = *id;
    return *id;
}

}  // namespace aliascope
