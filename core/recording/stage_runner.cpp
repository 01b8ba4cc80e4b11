#include "core/recording/stage_runner.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "core/exec/compare_pairs.h"
#include "core/exec/compare_values.h"
#include "core/exec/predict.h"

namespace aliascope {

/// The token is its own: the user's tells nobody that time is up.
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
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            if (user_.cancelled()) return own_.cancel();
            if (seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) {
                expired_ = true;
                return own_.cancel();
            }
            // Woken at once by a request to stop: whoever ends the runs does not wait for the next look.
            woken_.wait_for(lock, stop, std::chrono::milliseconds(5), [] { return false; });
        }
    }
    CancelToken user_, own_;
    std::atomic<bool> expired_ = false;
    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::jthread thread_;
};

namespace {

/// What a comparison may hold of two stages' values at a time.
constexpr std::int64_t kRoom = std::int64_t(512) << 20;
/// Values of a run that are kept at once, so that a difference need not be fetched by running again.
constexpr std::int64_t kKeptAtOnce = std::int64_t(128) << 20;
constexpr int kMostFetches = 8;

std::unordered_set<Name> namesOf(const std::vector<std::string>& list) {
    std::unordered_set<Name> out;
    for (const std::string& name : list) out.insert(Name(name));
    return out;
}

/// Values of one row of both stages, if `a` and `b` have them.
bool measureRow(exec::ComparedValue& row, const exec::KeptValues& a, const exec::KeptValues& b, const exec::Tolerance& tolerance) {
    const auto x = a.find({*row.a, row.outA}), y = b.find({*row.b, row.outB});
    if (x == a.end() || y == b.end()) return false;
    if (x->second.dtype == y->second.dtype && x->second.sizes == y->second.sizes) exec::measure(row, x->second, y->second, tolerance);
    return true;
}

bool measureRow(exec::ComparedValue& row, const exec::KeptValues& a, const exec::KeptValues& b, const exec::KeptValues& reference,
                const exec::Tolerance& tolerance) {
    const exec::ValueKey key{*row.a, row.outA};
    const auto x = a.find(key), y = b.find({*row.b, row.outB}), want = reference.find(key);
    if (x == a.end() || y == b.end() || want == reference.end()) return false;
    if (x->second.dtype != y->second.dtype || x->second.sizes != y->second.sizes || want->second.sizes != x->second.sizes) return false;
    exec::measureAgainst(row, x->second, y->second, want->second, tolerance);
    return true;
}

std::int64_t bytesOfRow(const ExecutedStage& stage, const exec::ComparedValue& row) {
    for (const exec::RunValue& v : stage.values->rows)
        if (v.site == *row.b && v.out == row.outB) return v.digest.numel * itemSize(v.digest.dtype);
    return 0;
}

}  // namespace

StageRunner::StageRunner(const OpRegistry& ops, const StageRunOptions& options, std::unique_ptr<exec::Backend> backend)
    : ops_(ops),
      options_(options),
      backend_(std::move(backend)),
      bodies_(exec::OpBodies::read(ops, &warnings)),
      deadline_(std::make_unique<Deadline>(options.run.cancel)) {
    deadline_->start(options.timeoutSeconds);
}

StageRunner::~StageRunner() = default;

void StageRunner::hold(int stage, int first, exec::KeptValues values) {
    std::erase_if(kept_, [&](const auto& entry) { return entry.first != first; });
    kept_[stage] = std::move(values);
}

void StageRunner::forget(const Graph* g) {
    arenas_.erase(g);
    decided_.erase(g);
}

exec::ExecOptions StageRunner::execOptions() const {
    exec::ExecOptions o = options_.run;
    o.cancel = deadline_->token();
    o.digests = exec::DigestMode::None;  // the collector digests for itself
    o.seed = options_.seed;
    o.bodies = &bodies_;
    if (reinplaced) o.reinplaced = [this](const Graph&, NodeId wrapper, Name argument) { return reinplaced->writesInPlace(wrapper, argument); };
    return o;
}

/// What the node loop decides about memory; planned once per graph.
Result<std::shared_ptr<const exec::ArenaPlan>> StageRunner::arenaOf(const Graph& g) {
    auto& plan = arenas_[&g];
    if (plan) return plan;
    auto values = inputs->forStage(g, *backend_);
    if (!values) return fail(std::move(values.error()));
    plan = exec::planArena(g, ops_, values->values, values->constants, execOptions());
    if (plan->complete) return plan;
    // Sizes that depend on data are those of a first run (executor.md 4.5).
    exec::ExecOptions first = execOptions();
    first.reuse = true;
    const exec::ExecResult ran = exec::execute(g, ops_, *backend_, values->values, values->constants, first);
    if (ran.complete) plan = exec::planArena(ran.memory, first.cancel);
    return plan;
}

Result<StageRunner::OneRun> StageRunner::run(const Graph& g, exec::DigestMode digests, const std::optional<exec::ValueKeys>& keep, bool trace) {
    OneRun out;
    auto values = inputs->forStage(g, *backend_);
    if (!values) return fail(std::move(values.error()));
    out.inputs = std::move(*values);
    out.collector = std::make_unique<exec::RunCollector>(g, ops_, *backend_, digests);
    if (digests == exec::DigestMode::Nodes) out.collector->digestOnly(namesOf(options_.digestNodes));
    if (keep)
        out.collector->keep(*keep, kRoom);
    else
        out.collector->keepAll(kKeptAtOnce);
    exec::Backend* runsOn = backend_.get();
    exec::ExecObserver* observer = out.collector.get();
    if (trace) {
        out.tracer = std::make_unique<exec::ReadTracer>(*backend_, observer, options_.run.sanitize == exec::Sanitize::Full);
        runsOn = out.tracer.get();
        observer = out.tracer.get();
    }
    exec::ExecOptions how = execOptions();
    if (options_.plan) {
        auto arena = arenaOf(g);
        if (!arena) return fail(std::move(arena.error()));
        out.arena = *arena;
        how.reuse = true;
        if (!trace) how.arena = out.arena;
    }
    out.result = exec::execute(g, ops_, *runsOn, out.inputs.values, out.inputs.constants, how, observer);
    if (out.arena && out.result.complete && out.arena->complete)
        if (auto mismatch = exec::planMismatch(g, out.arena->expected, out.result.memory)) out.result.warnings.push_back(std::move(*mismatch));
    if (out.tracer) out.tracer->noteResults(g, out.result);
    out.collector->finish(out.result);
    if (out.result.error && out.result.error->code == "CANCELLED" && deadline_->expired()) out.result.error->code = "TIMEOUT";
    return out;
}

/// Values of `keys` of a graph in doubles; empty when it does not run so.
exec::KeptValues StageRunner::inDoubles(const Graph& g, const exec::ValueKeys& keys) {
    if (!doubles_) doubles_ = exec::makeCpuBackend(exec::Precision::Reference);
    auto& known = decided_[&g];
    if (!known) {
        exec::RunCollector natives(g, ops_, *backend_, exec::DigestMode::None);
        natives.keepWhere([&](const Node& n, const exec::Tensor& t) { return exec::mayBeDecided(ops_, n, t); }, kRoom);
        auto values = inputs->forStage(g, *backend_);
        if (!values) return {};
        const auto ran = exec::execute(g, ops_, *backend_, values->values, values->constants, execOptions(), &natives);
        if (!ran.complete) return {};
        known = std::make_shared<exec::DecidedValues>(std::move(natives.kept));
    }
    auto values = inputs->forStage(g, *doubles_);
    if (!values) return {};
    const exec::StageInputs wide = exec::inDoubles(*values, *doubles_);
    exec::RunCollector collector(g, ops_, *doubles_, exec::DigestMode::None);
    collector.keep(keys, 8 * kRoom);
    exec::ExecOptions how = execOptions();
    how.doubles = true;
    how.decided = [&, from = known](const memory::Site& site, int out, const exec::Tensor& into) { return from->give(site, out, into, *doubles_); };
    const auto ran = exec::execute(g, ops_, *doubles_, wide.values, wide.constants, how, &collector);
    collector.finish(ran);
    if (ran.error && !saidNoReference_) {
        saidNoReference_ = true;
        Diagnostic d = warning("NO_REFERENCE", {{"why", ran.error->sentence()}});
        d.node = ran.error->node;
        warnings.push_back(std::move(d));
    }
    noteDecided(g, *known);
    return std::move(collector.kept);
}

void StageRunner::noteDecided(const Graph& g, const exec::DecidedValues& values) {
    const auto bodies = exec::bodiesOf(g);
    for (const auto& [place, count] : values.otherwise()) {
        const NodeId id(place.second);
        if (place.first >= bodies.size() || !bodies[place.first]->contains(id)) continue;
        const Name node = (*bodies[place.first])[id].name;
        if (!decidedNodes_.insert(node).second) continue;
        Diagnostic d = info("DECIDED_NATIVELY", {{"node", node.str()}, {"n", std::to_string(count)}});
        d.node = node;
        warnings.push_back(std::move(d));
    }
}

void StageRunner::fetch(const ExecutedStage& earlier, const ExecutedStage& later, const exec::Tolerance& tolerance, exec::Comparison& c,
                        std::vector<std::size_t> rows) {
    const bool held = kept_.contains(earlier.sameAs) && kept_.contains(later.sameAs) && !tolerance.reference;
    if (held) std::erase_if(rows, [&](std::size_t i) { return measureRow(c.rows[i], kept_.at(earlier.sameAs), kept_.at(later.sameAs), tolerance); });
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
        auto a = run(*earlier.graph, exec::DigestMode::None, wantedA);
        auto b = run(*later.graph, exec::DigestMode::None, wantedB);
        if (!a || !b) return;
        const exec::KeptValues reference = tolerance.reference ? inDoubles(*earlier.graph, wantedA) : exec::KeptValues();
        for (std::size_t i : now)
            if (!measureRow(c.rows[i], a->collector->kept, b->collector->kept, reference, tolerance))
                measureRow(c.rows[i], a->collector->kept, b->collector->kept, tolerance);
        rows = std::move(postponed);
    }
}

}  // namespace aliascope
