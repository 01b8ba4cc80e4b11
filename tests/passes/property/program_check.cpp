#include "tests/passes/property/program_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/reduce/reduce_graph.h"
#include "core/text/print.h"

namespace aliascope::testing {
namespace {

using exec::RuntimeValue;
using exec::Tensor;

/// Row-major f64 tensor of the same sizes.
Tensor wide(exec::Backend& backend, TensorType type) {
    type.dtype = DType::F64;
    type.strides.reset();
    type.offset.reset();
    return makeTensor(backend, type);
}

/// A complex tensor as one of real and imaginary parts.
Tensor parts(Tensor t) {
    if (!info(t.dtype).complex) return t;
    t.dtype = t.dtype == DType::C128 ? DType::F64 : t.dtype == DType::C64 ? DType::F32 : DType::F16;
    t.offset *= 2;
    for (std::int64_t& stride : t.strides) stride *= 2;
    t.sizes.push_back(2);
    t.strides.push_back(1);
    return t;
}

void appendElements(exec::Backend& backend, const Tensor& any, std::vector<double>& out) {
    const Tensor t = parts(any);
    if (t.dtype == DType::F32 && t.isContiguous()) {
        const float* begin = t.as<float>();
        out.insert(out.end(), begin, begin + t.numel());
        return;
    }
    const Tensor copy = wide(backend, t.type());
    backend.copy(copy, t);
    out.insert(out.end(), copy.as<double>(), copy.as<double>() + copy.numel());
}

/// What a caller sees of a run.
struct Behaviour {
    std::vector<std::vector<std::int64_t>> sizes;  ///< of the tensors among the results
    std::vector<std::vector<double>> results;
    std::vector<std::vector<std::byte>> untouched;  ///< storages of inputs whose gaps count too
    std::vector<std::vector<double>> inputsAfter;
    std::vector<Tensor> returned;
    std::vector<std::size_t> memory;  ///< of each result: index of the first input, or else result, that lies in the same storage
    std::string error;                ///< code; empty = it ran
    std::string message;
};

/// Equal but for rounding: passes may regroup floats.
bool sameNumbers(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    if (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0) return true;
    double largest = 0;
    for (double v : a)
        if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double x = a[k], y = b[k];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (!(std::abs(x - y) <= std::max(1e-4 * std::max(std::abs(x), std::abs(y)), 1e-6 * largest))) return false;
    }
    return true;
}

bool sameAll(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameNumbers);
}

/// What `got` shows that `want` does not; empty = nothing.
std::string difference(const Behaviour& want, const Behaviour& got) {
    if (!got.error.empty()) return "does not run: " + got.error;
    if (want.sizes != got.sizes) return "returns other shapes";
    if (!sameAll(want.results, got.results)) return "returns other values";
    if (!sameAll(want.inputsAfter, got.inputsAfter)) return "leaves other values in the inputs";
    if (want.untouched != got.untouched) return "writes into the gaps of an input";
    return {};
}

/// Elements that lie in disjoint places of one storage are nobody else's.
bool shareElements(const Tensor& a, const Tensor& b) {
    return a.storage == b.storage && a.numel() > 0 && b.numel() > 0 && exactOverlap(a.type(), b.type(), {}) != Overlap::Disjoint;
}

bool sharesMore(const Behaviour& want, const Behaviour& got) {
    if (want.memory.size() != got.memory.size()) return false;
    for (std::size_t i = 0; i < got.memory.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (want.memory[i] != want.memory[j] && shareElements(got.returned[i], got.returned[j])) return true;
    const std::size_t inputs = got.inputsAfter.size();
    for (std::size_t i = 0; i < got.memory.size(); ++i)
        if (got.memory[i] < inputs && want.memory[i] != got.memory[i]) return true;
    return false;
}

/// The hash, and what re-inplacing says of wrappers beside the graph: it decides what they copy.
std::uint64_t programKey(const Graph& g, std::uint64_t hash) {
    for (NodeId id : inOrder(g))
        if (const Value* left = g[id].metaValue("clone_only"_n)) {
            hash = (hash ^ id.value) * 0x9E3779B97F4A7C15;
            for (const Value& item : left->items())
                hash = (hash ^ (item.isInt() ? static_cast<std::uint64_t>(*item.asInt()) + 1 : std::hash<std::string_view>{}(item.name().view()))) *
                       0x9E3779B97F4A7C15;
        }
    return hash;
}

/// Not so: REGION, ordered badly, not wrongly; UNDEFINED_READ, a fault of the code generator behind a graph that is right.
bool changesValues(const std::string& code) { return code != "REGION" && code != "UNDEFINED_READ"; }

}  // namespace

const LaneOutcome* ProgramOutcome::lane(std::string_view pipeline) const {
    for (const LaneOutcome& l : lanes)
        if (l.pipeline == pipeline) return &l;
    return nullptr;
}

struct ProgramChecker::Machine {
    explicit Machine(const OpRegistry& ops) : ops(ops), bodies(exec::OpBodies::read(ops)), cpu(exec::makeCpuBackend(exec::Precision::Reference)) {}

    /// Storages of the inputs, gaps included: all elements different, integers small.
    std::vector<std::vector<std::byte>> inputBytes(const Graph& g) const {
        std::vector<std::vector<std::byte>> out;
        const auto inputs = exec::typedInputs(g, *cpu);
        if (!inputs) return out;
        int next = 2;
        for (const RuntimeValue& v : *inputs) {
            const Tensor* t = v.tensor();
            if (!t) continue;
            std::vector<std::byte>& bytes = out.emplace_back(t->storage->bytes);
            if (bytes.empty()) continue;
            Tensor flat = *t;
            flat.offset = 0;
            flat.sizes = {static_cast<std::int64_t>(bytes.size()) / t->itemSize()};
            flat.strides = {1};
            flat = parts(flat);
            const Tensor values = wide(*cpu, flat.type());
            for (std::int64_t i = 0; i < values.numel(); ++i)
                values.as<double>()[i] = info(flat.dtype).floating ? 0.125 * (next++ % 37) : static_cast<double>(i);
            cpu->copy(flat, values);
            std::memcpy(bytes.data(), t->storage->data, bytes.size());
        }
        return out;
    }

    Behaviour run(const Graph& g, const std::vector<std::vector<std::byte>>& bytes) const {
        Behaviour out;
        const auto fail = [&](const Diagnostic& d) {
            out.error = d.code;
            out.message = d.format();
            return out;
        };
        const auto inputs = exec::typedInputs(g, *cpu);
        if (!inputs) return fail(inputs.error());
        std::size_t tensors = 0;
        for (const RuntimeValue& v : *inputs) {
            const Tensor* t = v.tensor();
            if (!t) continue;
            if (tensors == bytes.size() || t->storage->bytes != bytes[tensors].size()) return fail(internalError("INPUT_MISMATCH"));
            std::memcpy(t->storage->data, bytes[tensors].data(), bytes[tensors].size());
            ++tensors;
        }
        exec::ExecOptions options;
        options.bodies = &bodies;
        const exec::ExecResult result = execute(g, ops, *cpu, *inputs, {}, options);
        if (result.error) return fail(*result.error);
        std::vector<const exec::Storage*> storages;
        for (const RuntimeValue& v : result.inputs)
            if (const Tensor* t = v.tensor()) storages.push_back(t->storage.get());
        for (const RuntimeValue& v : result.outputs)
            if (const Tensor* t = v.tensor()) {
                // A tensor without elements shares nothing.
                storages.push_back(t->numel() > 0 ? t->storage.get() : nullptr);
                const auto first = storages.back() ? std::find(storages.begin(), storages.end(), storages.back()) : storages.end() - 1;
                out.memory.push_back(static_cast<std::size_t>(first - storages.begin()));
                out.sizes.push_back(t->sizes);
                out.returned.push_back(*t);
                appendElements(*cpu, *t, out.results.emplace_back());
            }
        for (const RuntimeValue& v : result.inputs)
            if (const Tensor* t = v.tensor()) {
                appendElements(*cpu, *t, out.inputsAfter.emplace_back());
                if (t->numel() * t->itemSize() != static_cast<std::int64_t>(t->storage->bytes)) out.untouched.push_back(gaps(*t));
            }
        return out;
    }

    /// The bytes of the storage that no element of `t` takes.
    static std::vector<std::byte> gaps(const Tensor& t) {
        std::vector<bool> taken(t.storage->bytes);
        std::vector<std::int64_t> offsets{t.offset};
        for (std::size_t d = 0; d < t.rank(); ++d) {
            std::vector<std::int64_t> next;
            for (std::int64_t o : offsets)
                for (std::int64_t i = 0; i < t.sizes[d]; ++i) next.push_back(o + i * t.strides[d]);
            offsets = std::move(next);
        }
        for (std::int64_t o : offsets)
            for (std::int64_t k = 0; k < t.itemSize(); ++k) taken[static_cast<std::size_t>(o * t.itemSize() + k)] = true;
        std::vector<std::byte> out;
        for (std::size_t i = 0; i < taken.size(); ++i)
            if (!taken[i]) out.push_back(t.storage->data[i]);
        return out;
    }

    /// Executes every stage that changed the graph and keeps the first that gives something else.
    struct Watcher : PassObserver {
        Watcher(const Machine& machine, const std::vector<std::vector<std::byte>>& bytes, const Behaviour& want,
                std::unordered_map<std::uint64_t, std::string>& known, LaneOutcome& lane)
            : machine(machine), bytes(bytes), want(want), known(known), lane(lane) {}
        Status stageFinished(const Graph& g, const StageResult& stage) override {
            if (stage.decisions)
                lane.strict = lane.strict ||
                              std::any_of(stage.decisions->begin(), stage.decisions->end(), [](const Decision& d) { return d.code == "FP_STRICT"; });
            if (stage.diagnostics)
                for (const Diagnostic& d : *stage.diagnostics) {
                    if (d.severity != Severity::Warning) continue;
                    lane.said.push_back(d.code);
                    if (lane.unsound.empty() && changesValues(d.code)) lane.unsound = d.code;
                }
            if (!lane.stage.empty() || stage.state == StageResult::State::Failed) return {};
            const auto [seen, fresh] = known.try_emplace(programKey(g, stage.hash));
            if (fresh) seen->second = difference(want, machine.run(g, bytes));
            if (seen->second.empty()) return {};
            lane.stage = stage.name;
            lane.what = seen->second;
            lane.announced = !lane.unsound.empty();
            return {};
        }
        const Machine& machine;
        const std::vector<std::vector<std::byte>>& bytes;
        const Behaviour& want;
        std::unordered_map<std::uint64_t, std::string>& known;  ///< by hash: stages of several pipelines are often one graph
        LaneOutcome& lane;
    };

    const OpRegistry& ops;
    exec::OpBodies bodies;
    std::unique_ptr<exec::Backend> cpu;
};

ProgramChecker::ProgramChecker(const OpRegistry& ops) : machine_(std::make_unique<Machine>(ops)) {
    for (const char* name : {"torch-v1", "torch-v2", "best"}) pipelines.push_back(*namedPipeline(name));
}

ProgramChecker::~ProgramChecker() = default;

ProgramOutcome ProgramChecker::check(const Graph& program) const {
    ProgramOutcome out;
    const auto bytes = machine_->inputBytes(program);
    const Behaviour want = machine_->run(program, bytes);
    if (!want.error.empty()) {
        out.refused = want.message;
        return out;
    }
    std::unordered_map<std::uint64_t, std::string> known;
    RunOptions exact;
    exact.skip = {"fuse-attention"};  // a fused softmax rounds elsewhere
    for (const Pipeline& pipeline : pipelines) {
        LaneOutcome& lane = out.lanes.emplace_back();
        lane.pipeline = pipeline.name.empty() ? pipeline.str() : pipeline.name;
        Graph g = program.clone();
        Machine::Watcher watcher(*machine_, bytes, want, known, lane);
        const RunResult result = runPipeline(g, pipeline, machine_->ops, {&watcher}, exact);
        if (result.failed) {
            lane.stage = "pipeline";
            lane.what = "fails with " + (result.error ? result.error->code : std::string("nothing said"));
        } else {
            lane.left = copiesLeft(g, machine_->ops);
            lane.sharesMore = sharesMore(want, machine_->run(g, bytes));
        }
        const bool held = !lane.stage.empty() && (result.failed || !lane.announced || pipeline.name == "best");
        if (held && out.failure.empty()) out.failure = lane.pipeline + "/" + lane.stage + ": " + lane.what;
    }
    const LaneOutcome* best = out.lane("best");
    if (best && best->sharesMore && out.failure.empty()) out.failure = "best: results share memory that the program keeps apart";
    for (const LaneOutcome& lane : out.lanes) {
        if (!best || !out.failure.empty() || &lane == best || !lane.unsound.empty() || !lane.stage.empty() || lane.sharesMore) continue;
        if (best->strict) continue;  // its sums are exact, and computing one moves bytes
        // Two small copies may take the place of one large one.
        const bool fewerBytes = best->left.bytes() < lane.left.bytes();
        if (best->left.clones > lane.left.clones && best->left.count() > lane.left.count() && !fewerBytes)
            out.failure = "best keeps more clones than " + lane.pipeline;
        else if (best->left.bytes() > lane.left.bytes())
            out.failure = "best copies more bytes than " + lane.pipeline;
    }
    return out;
}

Graph ProgramChecker::reduced(const Graph& program, const std::string& failure) const {
    const auto fails = [&](const Graph& candidate) {
        const ProgramOutcome outcome = check(candidate);
        return outcome.refused.empty() && outcome.failure == failure;
    };
    return reduceGraph(program, machine_->ops, fails).graph;
}

std::string readyTest(const Graph& reduced, const std::string& failure, const std::string& name) {
    return "tests/passes/property/programs/" + name + ".py:\n# " + failure + "\n" + printReadable(reduced);
}

}  // namespace aliascope::testing
