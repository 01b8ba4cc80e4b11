#include "core/recording/stage_runs.h"

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/exec/compare_pairs.h"
#include "core/exec/compare_values.h"
#include "core/exec/tensor_files.h"
#include "core/recording/storage_versions.h"

namespace aliascope {
namespace {

using exec::ComparedValue;
using exec::Comparison;

/// What a comparison may hold of two stages' values at a time.
constexpr std::int64_t kRoom = std::int64_t(512) << 20;
/// Values of a run that are kept at once, so that a difference need not be fetched by running again.
constexpr std::int64_t kKeptAtOnce = std::int64_t(128) << 20;
constexpr int kMostFetches = 8;

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

/// Cancels a run when the user does, and when it takes too long. The token is its own: the user's tells nobody that time is up.
class Deadline {
public:
    explicit Deadline(CancelToken user) : user_(std::move(user)) {}
    const CancelToken& token() const { return own_; }
    /// 0 seconds = no limit.
    void start(double seconds) {
        thread_ = std::jthread([this, seconds](const std::stop_token& stop) { watch(stop, seconds); });
    }
    bool expired() const { return expired_; }

private:
    void watch(const std::stop_token& stop, double seconds) {
        const auto begin = std::chrono::steady_clock::now();
        while (!stop.stop_requested()) {
            if (user_.cancelled()) return own_.cancel();
            if (seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) {
                expired_ = true;
                return own_.cancel();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    CancelToken user_, own_;
    std::atomic<bool> expired_ = false;
    std::jthread thread_;
};

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
    std::unique_ptr<exec::Backend> backend;
    std::optional<exec::OpBodies> bodies;
    std::optional<exec::InputSet> inputs;
    std::vector<StageRow> stages;
    std::vector<Diagnostic> warnings;
    std::map<int, std::unique_ptr<ExecutedStage>> executed;
    std::map<std::uint64_t, int> byProgram;  ///< programHash -> stage that ran
    std::map<int, exec::KeptValues> kept;    ///< of the first stage and of the one that ran last
    std::unique_ptr<Deadline> deadline;

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

    exec::ExecOptions execOptions() const {
        exec::ExecOptions o = options.run;
        o.cancel = deadline->token();
        o.digests = exec::DigestMode::None;  // the collector digests for itself
        o.seed = options.seed;
        o.bodies = bodies ? &*bodies : nullptr;
        return o;
    }

    struct OneRun {
        std::unique_ptr<exec::ReadTracer> tracer;  // before the result, whose storages belong to it
        exec::ExecResult result;
        std::unique_ptr<exec::RunCollector> collector;
        exec::StageInputs inputs;
    };

    /// `keep`: values to be kept; nothing = what fits.
    Result<OneRun> runOnce(const Graph& g, exec::DigestMode digests, const std::optional<exec::ValueKeys>& keep = exec::ValueKeys(),
                           bool trace = false) {
        OneRun out;
        auto values = inputs->forStage(g, *backend);
        if (!values) return fail(std::move(values.error()));
        out.inputs = std::move(*values);
        out.collector = std::make_unique<exec::RunCollector>(g, *ops, *backend, digests);
        if (keep)
            out.collector->keep(*keep, kRoom);
        else
            out.collector->keepAll(kKeptAtOnce);
        exec::Backend* runsOn = backend.get();
        exec::ExecObserver* observer = out.collector.get();
        if (trace) {
            out.tracer = std::make_unique<exec::ReadTracer>(*backend, observer, options.run.sanitize == exec::Sanitize::Full);
            runsOn = out.tracer.get();
            observer = out.tracer.get();
        }
        out.result = exec::execute(g, *ops, *runsOn, out.inputs.values, out.inputs.constants, execOptions(), observer);
        if (out.tracer) out.tracer->noteResults(g, out.result);
        out.collector->finish(out.result);
        if (out.result.error && out.result.error->code == "CANCELLED" && deadline->expired()) out.result.error->code = "TIMEOUT";
        return out;
    }

    /// Values of one row of both stages, if `a` and `b` have them.
    static bool measureRow(ComparedValue& row, const exec::KeptValues& a, const exec::KeptValues& b, const exec::Tolerance& tolerance) {
        const auto x = a.find({*row.a, row.outA}), y = b.find({*row.b, row.outB});
        if (x == a.end() || y == b.end()) return false;
        if (x->second.dtype == y->second.dtype && x->second.sizes == y->second.sizes) exec::measure(row, x->second, y->second, tolerance);
        return true;
    }

    void fetch(const ExecutedStage& earlier, const ExecutedStage& later, const exec::Tolerance& tolerance, Comparison& c,
               std::vector<std::size_t> rows) {
        if (kept.contains(earlier.sameAs) && kept.contains(later.sameAs))
            std::erase_if(rows, [&](std::size_t i) { return measureRow(c.rows[i], kept.at(earlier.sameAs), kept.at(later.sameAs), tolerance); });
        for (int round = 0; round < kMostFetches && !rows.empty(); ++round) {
            // What both stages are asked for must fit: the first rows first, results come before other values.
            exec::ValueKeys wantedA, wantedB;
            std::vector<std::size_t> now, postponed;
            std::int64_t bytes = 0;
            for (std::size_t i : rows) {
                const std::int64_t size = bytesOfRow(later, c.rows[i]);
                if (!now.empty() && bytes + size > kRoom) {
                    postponed.push_back(i);
                    continue;
                }
                bytes += size;
                now.push_back(i);
                wantedA.insert({*c.rows[i].a, c.rows[i].outA});
                wantedB.insert({*c.rows[i].b, c.rows[i].outB});
            }
            auto a = runOnce(*earlier.graph, exec::DigestMode::All, wantedA);
            auto b = runOnce(*later.graph, exec::DigestMode::All, wantedB);
            if (!a || !b) return;
            for (std::size_t i : now) measureRow(c.rows[i], a->collector->kept, b->collector->kept, tolerance);
            rows = std::move(postponed);
        }
    }

    static std::int64_t bytesOfRow(const ExecutedStage& stage, const ComparedValue& row) {
        for (const exec::RunValue& v : stage.values->rows)
            if (v.site == *row.b && v.out == row.outB) return v.digest.numel * itemSize(v.digest.dtype);
        return 0;
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
        for (exec::Finding& f :
             exec::staleReads(*reference->reads, *stage.reads, rewritesBetween(reference->stage.idx, stage.stage.idx), passes)) {
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
    r.backend = exec::makeCpuBackend(*precision);
    r.bodies = exec::OpBodies::read(ops, &r.warnings);
    r.deadline = std::make_unique<Deadline>(r.options.run.cancel);
    r.deadline->start(r.options.timeoutSeconds);
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
    inputs.literals = exec::literalConstants(r.sourcePath(), *opened, ops);
    auto chosen = exec::InputSet::make(*opened, ops, inputs);
    if (!chosen) return fail(std::move(chosen.error()));
    r.inputs = std::move(*chosen);
    return runs;
}

const exec::InputSet& StageRuns::inputs() const { return *impl_->inputs; }
const std::vector<StageRow>& StageRuns::stages() const { return impl_->stages; }
const std::vector<Diagnostic>& StageRuns::warnings() const { return impl_->warnings; }

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
        stage->complete = other.complete;
        stage->synthetic = other.synthetic;
        stage->error = other.error;
        return std::ref(*r.executed.emplace(idx, std::move(stage)).first->second);
    }
    stage->sameAs = idx;
    for (int i = 0; i < std::max(1, r.options.repeat); ++i) {
        const bool trace = r.options.run.sanitize != exec::Sanitize::Off;
        auto ran = i == 0 ? r.runOnce(*stage->graph, r.options.digests, std::nullopt, trace) : r.runOnce(*stage->graph, exec::DigestMode::None);
        if (!ran) {
            r.byProgram.erase(twin);
            return fail(std::move(ran.error()));
        }
        stage->times.push_back(std::move(ran->collector->times));
        stage->wallNs.push_back(ran->result.wallNs);
        if (i > 0) continue;
        stage->values = std::make_shared<const exec::RunValues>(std::move(ran->collector->values));
        std::erase_if(r.kept, [&](const auto& entry) { return entry.first != r.stages.front().idx; });
        r.kept[idx] = std::move(ran->collector->kept);
        stage->complete = ran->result.complete;
        stage->synthetic = ran->result.synthetic;
        stage->memory = std::move(ran->result.memory);
        stage->warnings = std::move(ran->result.warnings);
        if (ran->tracer) {
            stage->reads = std::make_shared<const exec::ReadLog>(ran->tracer->takeLog());
            stage->findings = r.findingsOf(*stage);
            stage->findings.insert(stage->findings.end(), ran->result.findings.begin(), ran->result.findings.end());
            for (const exec::Finding& f : stage->findings) {
                Diagnostic d = warning(f.code, f.params);
                d.node = f.node;
                stage->warnings.push_back(std::move(d));
            }
        }
        if (const auto& nan = ran->collector->firstNaN) {
            std::string at = "[";
            for (std::size_t d = 0; d < nan->at.size(); ++d) at += (d ? ", " : "") + std::to_string(nan->at[d]);
            Diagnostic d = warning("NEW_NAN", {{"node", nan->node.str()}, {"pos", at + "]"}});
            d.node = nan->node;
            stage->warnings.push_back(std::move(d));
        }
        stage->error = std::move(ran->result.error);
        if (!stage->complete) break;
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
    Impl& r = *impl_;
    auto a = run(earlier);
    if (!a) return fail(std::move(a.error()));
    auto b = run(later);
    if (!b) return fail(std::move(b.error()));
    exec::Tolerance tolerance = exec::toleranceOf(passesBetween(r.stages, earlier, later));
    tolerance.rtol = r.options.rtol;
    tolerance.atol = r.options.atol;
    const ExecutedStage &first = a->get(), &second = b->get();
    const exec::ComparedStage stageA{first.graph.get(), first.values.get()}, stageB{second.graph.get(), second.values.get()};
    const auto fetch = [&](Comparison& c, const std::vector<std::size_t>& rows) { r.fetch(first, second, tolerance, c, rows); };
    return exec::compareStages(stageA, stageB, r.rewritesBetween(earlier, later), tolerance, *r.ops, fetch);
}

Result<std::vector<exec::TensorBytes>> StageRuns::savedOutputs(int idx) {
    Impl& r = *impl_;
    auto stage = run(idx);
    if (!stage) return fail(std::move(stage.error()));
    auto ran = r.runOnce(*stage->get().graph, exec::DigestMode::None);
    if (!ran) return fail(std::move(ran.error()));
    if (ran->result.error) return fail(std::move(*ran->result.error));
    std::vector<exec::TensorBytes> out;
    int k = 0;
    for (const exec::RuntimeValue& v : ran->result.outputs)
        if (const exec::Tensor* t = v.tensor()) out.push_back(bytesOf(*r.backend, "out/" + std::to_string(k++), *t));
    for (std::size_t i = 0; i < ran->result.inputs.size() && i < ran->inputs.indices.size(); ++i)
        if (const exec::Tensor* t = ran->result.inputs[i].tensor(); t && ran->inputs.indices[i] >= 0)
            out.push_back(bytesOf(*r.backend, "after/" + std::to_string(ran->inputs.indices[i]), *t));
    return out;
}

Result<std::int64_t> StageRuns::record(Recorder& recorder, int idx) {
    Impl& r = *impl_;
    auto executed = run(idx);
    if (!executed) return fail(std::move(executed.error()));
    ExecutedStage& stage = executed->get();
    if (stage.run != 0) return stage.run;
    if (stage.sameAs != idx) {
        auto twin = record(recorder, stage.sameAs);
        if (twin) stage.run = *twin;
        return twin;
    }
    RunHeader header;
    header.stageId = stage.stage.id;
    header.device = "cpu";
    header.backend = std::string(r.backend->name());
    header.seed = r.options.seed;
    header.inputs = r.options.inputs.empty() ? "random" : r.options.inputs;
    nlohmann::ordered_json roles = nlohmann::ordered_json::object();
    for (const exec::InputValue& v : r.inputs->values()) roles[v.name.str()] = {{"role", v.role}, {"reason", v.reason}};
    header.options = nlohmann::ordered_json{{"inputs", std::move(roles)}, {"repeat", stage.wallNs.size()}}.dump(
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
    outcome.diagnostics = stage.warnings;
    if (stage.error) outcome.diagnostics.push_back(*stage.error);
    if (auto ok = recorder.endRun(*id, outcome); !ok) return fail(std::move(ok.error()));
    stage.run = *id;
    return *id;
}

}  // namespace aliascope
