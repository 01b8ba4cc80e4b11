#include "core/reduce/stage_behaviour.h"

#include <algorithm>
#include <cmath>

#include "core/exec/inputs.h"
#include "core/exec/op_bodies.h"
#include "core/exec/read_tracer.h"

namespace aliascope {
namespace {

/// A result, or an input after the run.
struct Seen {
    DType dtype = DType::Unknown;
    exec::Shape sizes;
    std::uint64_t hash = 0;
    std::vector<double> values;  ///< of floats
};

/// Passes may regroup floats; what PyTorch's precision of the type leaves is close.
double tolerance(DType dtype) {
    switch (dtype) {
        case DType::F64:
            return 1e-9;
        case DType::BF16:
            return 3e-2;
        case DType::F16:
            return 1e-2;
        default:
            return 1e-4;
    }
}

bool close(const Seen& a, const Seen& b) {
    if (a.dtype != b.dtype || a.sizes != b.sizes) return false;
    if (a.hash == b.hash) return true;
    if (a.values.size() != b.values.size() || a.values.empty()) return false;
    double largest = 0;
    for (double v : a.values)
        if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    const double bound = tolerance(a.dtype);
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const double x = a.values[i], y = b.values[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (!(std::abs(x - y) <= bound * std::max(std::max(std::abs(x), std::abs(y)), 1e-2 * largest))) return false;
    }
    return true;
}

}  // namespace

struct StageBehaviour::Machine {
    Machine(const OpRegistry& ops, std::uint64_t seed, bool standIn, CancelToken cancel)
        : ops(ops),
          bodies(exec::OpBodies::read(ops)),
          cpu(exec::makeCpuBackend(exec::Precision::Reference)),
          seed(seed),
          standIn(standIn),
          cancel(std::move(cancel)) {}

    struct Ran {
        bool complete = false;
        std::vector<Seen> seen;
        exec::ReadLog reads;
    };

    std::optional<exec::InputSet> inputsOf(const Graph& g) const {
        exec::InputOptions options;
        options.seed = seed;
        options.randomConstants = true;
        auto made = exec::InputSet::make(g, ops, options);
        return made ? std::optional(std::move(*made)) : std::nullopt;
    }

    Ran run(const Graph& g, const exec::InputSet& inputs, bool trace) const {
        Ran out;
        exec::ReadTracer tracer(*cpu, nullptr, false);
        exec::Backend& backend = trace ? static_cast<exec::Backend&>(tracer) : *cpu;
        auto values = inputs.forStage(g, *cpu);
        if (!values) return out;
        exec::ExecOptions options;
        options.bodies = &bodies;
        options.standIn = standIn;
        options.cancel = cancel;
        const exec::ExecResult result = exec::execute(g, ops, backend, values->values, values->constants, options, trace ? &tracer : nullptr);
        out.complete = result.complete;
        if (!out.complete) return out;
        for (const auto* list : {&result.outputs, &result.inputs})
            for (const exec::RuntimeValue& v : *list) v.forEachTensor([&](const exec::Tensor& t) { out.seen.push_back(look(t)); });
        if (trace) {
            tracer.noteResults(g, result);
            out.reads = tracer.takeLog();
        }
        return out;
    }

    Seen look(const exec::Tensor& t) const {
        Seen out{t.dtype, t.sizes, exec::digestOf(t).hashV, {}};
        if (!info(t.dtype).floating) return out;
        TensorType type = t.type();
        type.dtype = DType::F64;
        type.strides.reset();
        type.offset.reset();
        const exec::Tensor wide = exec::makeTensor(*cpu, type);
        cpu->copy(wide, t);
        out.values.assign(wide.as<double>(), wide.as<double>() + wide.numel());
        return out;
    }

    /// Calls `visit(graph, stage, rewrites so far)` for the stages that changed the graph, until it says that it has seen enough.
    using Visit = std::function<bool(const Graph&, const StageResult&, const exec::RewriteSteps&)>;
    void eachStage(const Graph& g, const Pipeline& pipeline, const Visit& visit) const {
        struct Watcher : PassObserver {
            Watcher(const Visit& visit, CancelToken stop) : visit(visit), stop(std::move(stop)) {}
            Status stageFinished(const Graph& now, const StageResult& stage) override {
                for (const Rewrite& r : *stage.rewrites) {
                    if (r.state != Rewrite::State::Applied) continue;
                    exec::RewriteStep& step = rewrites.emplace_back();
                    for (const NodeRef& n : r.before) step.before.push_back({0, n.id, 0});
                    for (const NodeRef& n : r.after) step.after.push_back({0, n.id, 0});
                }
                if (!done && stage.changed && stage.index > 1 && stage.state == StageResult::State::Ok) done = visit(now, stage, rewrites);
                if (done) stop.cancel();
                return {};
            }
            const Visit& visit;
            CancelToken stop;
            exec::RewriteSteps rewrites;
            bool done = false;
        };
        RunOptions how;
        Watcher watcher(visit, how.cancel);
        Graph copy = g.clone();
        runPipeline(copy, pipeline, ops, {&watcher}, how);
    }

    const OpRegistry& ops;
    exec::OpBodies bodies;
    std::unique_ptr<exec::Backend> cpu;
    std::uint64_t seed;
    bool standIn;
    CancelToken cancel;
};

StageBehaviour::StageBehaviour(const OpRegistry& ops, std::uint64_t seed, bool standIn, CancelToken cancel)
    : machine_(std::make_unique<Machine>(ops, seed, standIn, std::move(cancel))) {}
StageBehaviour::~StageBehaviour() = default;
StageBehaviour::StageBehaviour(StageBehaviour&&) noexcept = default;

bool StageBehaviour::differs(const Graph& g, const Pipeline& pipeline, const std::string& stage) const {
    const auto inputs = machine_->inputsOf(g);
    if (!inputs) return false;
    const Machine::Ran want = machine_->run(g, *inputs, false);
    if (!want.complete) return false;
    const auto wrong = [&](const Graph& now) {
        const Machine::Ran got = machine_->run(now, *inputs, false);
        return !got.complete || !std::equal(want.seen.begin(), want.seen.end(), got.seen.begin(), got.seen.end(), close);
    };
    bool found = false;
    std::optional<Graph> last;
    machine_->eachStage(g, pipeline, [&](const Graph& now, const StageResult& at, const exec::RewriteSteps&) {
        if (stage == "last") {
            last = now.clone();
            return false;
        }
        if (!stage.empty() && at.name != stage && at.pass != stage && std::to_string(at.index) != stage) return false;
        found = wrong(now);
        return found;
    });
    return found || (last && wrong(*last));
}

bool StageBehaviour::isExecuted(const std::string& code) { return code == "STALE_READ" || code == "UNDEFINED_READ"; }

bool StageBehaviour::finds(const Graph& g, const Pipeline& pipeline, const std::string& code) const {
    const auto inputs = machine_->inputsOf(g);
    if (!inputs) return false;
    const Machine::Ran want = machine_->run(g, *inputs, true);
    if (!want.complete) return false;
    bool found = false;
    machine_->eachStage(g, pipeline, [&](const Graph& now, const StageResult& at, const exec::RewriteSteps& rewrites) {
        const Machine::Ran got = machine_->run(now, *inputs, true);
        if (!got.complete) return false;
        const auto findings = code == "STALE_READ" ? exec::staleReads(want.reads, got.reads, rewrites, at.pass) : exec::localFindings(got.reads);
        found = std::any_of(findings.begin(), findings.end(), [&](const exec::Finding& f) { return f.code == code; });
        return found;
    });
    return found;
}

}  // namespace aliascope
