// The passes of `best`, each by itself; then the whole torch-v2 pipeline, without and with recording, beside what PyTorch's own passes took on the
// same graph (data/*.record.json: seconds and nodes as PyTorch 2.11 measured them on its machine; after its joint passes it partitions, so its later
// passes saw two smaller graphs).

#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/recording/recorder.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

double torchMilliseconds() {
    std::ifstream in(std::string(ALIASCOPE_SOURCE_DIR) + "/tests/benchmarks/data/gpt2_train.record.json");
    const nlohmann::json record = nlohmann::json::parse(in);
    double seconds = 0;
    for (const auto& [pass, runs] : record["pass_seconds"].items())
        if (pass != "reinplace")  // part of post_grad
            for (const auto& run : runs) seconds += run[0].get<double>();
    return seconds * 1000;
}

void pipeline(benchmark::State& state) {
    const Graph g = bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), static_cast<int>(state.range(0)));
    const Pipeline torch = *namedPipeline("torch-v2");
    for (auto _ : state) {
        state.PauseTiming();
        Graph work = g.clone();
        state.ResumeTiming();
        benchmark::DoNotOptimize(runPipeline(work, torch, OpRegistry::builtin(), {}));
    }
    state.counters["nodes"] = static_cast<double>(g.size());
}
BENCHMARK(pipeline)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

/// Adds up what every pass took, without hashing and verifying in between.
class PassTimes final : public PassObserver {
public:
    Status stageFinished(const Graph&, const StageResult& stage) override {
        if (!stage.pass.empty()) nanoseconds[stage.name] += stage.wallNs;
        return {};
    }
    std::map<std::string, std::int64_t> nanoseconds;
};

/// Time of the passes alone, in ms per pass; `total_ms` and `ns_per_node` of all together.
void passesOfBest(benchmark::State& state) {
    const Graph g = bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), static_cast<int>(state.range(0)));
    const Pipeline best = *namedPipeline("best");
    PassTimes times;
    for (auto _ : state) {
        state.PauseTiming();
        Graph work = g.clone();
        state.ResumeTiming();
        benchmark::DoNotOptimize(runPipeline(work, best, OpRegistry::builtin(), {&times}));
    }
    double total = 0;
    for (const auto& [pass, ns] : times.nanoseconds) {
        const double each = static_cast<double>(ns) / static_cast<double>(state.iterations());
        state.counters[pass] = each * 1e-6;
        total += each;
    }
    state.counters["nodes"] = static_cast<double>(g.size());
    state.counters["total_ms"] = total * 1e-6;
    state.counters["ns_per_node"] = total / static_cast<double>(g.size());
}
BENCHMARK(passesOfBest)->Arg(1)->Arg(8)->Arg(34)->Unit(benchmark::kMillisecond);

void pipelineWithRecording(benchmark::State& state) {
    const std::string text = bench::sampleText("gpt2_train_joint.py");
    const Pipeline torch = *namedPipeline("torch-v2");
    const auto path = std::filesystem::temp_directory_path() / "aliascope_bench.aliascope";
    Result<Document> doc = readText(text, "gpt2_train_joint.py", OpRegistry::builtin());
    Graph big = bench::stacked(doc->units.front().graph, static_cast<int>(state.range(0)));
    const std::size_t nodes = big.size();
    for (auto _ : state) {
        state.PauseTiming();
        std::filesystem::remove(path);
        Graph work = big.clone();
        doc->units.front().graph = big.clone();
        state.ResumeTiming();
        auto recorder = Recorder::create(path.string());
        if (!recorder) {
            state.SkipWithError(recorder.error().format().c_str());
            return;
        }
        const auto graphs = (*recorder)->addDocument(*doc);
        const auto observer = (*recorder)->beginLane(graphs->front(), "torch-v2", OpRegistry::builtin());
        benchmark::DoNotOptimize(runPipeline(work, torch, OpRegistry::builtin(), {*observer}));
        if (!(*recorder)->close()) state.SkipWithError("closing failed");
        recorder->reset();
    }
    std::filesystem::remove(path);
    state.counters["nodes"] = static_cast<double>(nodes);
    if (state.range(0) == 1) state.counters["torch_ms"] = torchMilliseconds();
}
BENCHMARK(pipelineWithRecording)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
