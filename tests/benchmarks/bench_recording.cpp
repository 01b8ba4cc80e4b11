// Recording (session.md 4): writing a pipeline's stages, opening a session, and the questions that panels ask most.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "core/recording/recorder.h"
#include "core/recording/recording.h"

namespace {

using namespace aliascope;

std::string sessionPath() { return (std::filesystem::temp_directory_path() / "bench_recording.aliascope").string(); }

const OpRegistry& ops() { return OpRegistry::builtin(); }

/// A joint training graph of 2,941 nodes.
const Document& document() {
    static const Document doc = [] {
        auto read = openFile(std::string(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/gpt2_train_joint.py", ops());
        return read ? std::move(*read) : Document();
    }();
    return doc;
}

const Pipeline& pipeline() {
    static const Pipeline p = *namedPipeline("torch-v2");
    return p;
}

void pipelineAlone(benchmark::State& state) {
    if (document().units.empty()) return state.SkipWithError("the sample does not open");
    for (auto _ : state) {
        state.PauseTiming();
        Graph g = document().units.front().graph.clone();
        state.ResumeTiming();
        benchmark::DoNotOptimize(runPipeline(g, pipeline(), ops(), {}));
    }
}
BENCHMARK(pipelineAlone)->Unit(benchmark::kMillisecond);

/// One lane, header to last stage; the file stays open.
void pipelineRecorded(benchmark::State& state) {
    if (document().units.empty()) return state.SkipWithError("the sample does not open");
    for (auto _ : state) {
        state.PauseTiming();
        std::filesystem::remove(sessionPath());
        auto recorder = Recorder::create(sessionPath());
        const auto graphs = (*recorder)->addDocument(document());
        Graph g = document().units.front().graph.clone();
        state.ResumeTiming();
        auto observer = (*recorder)->beginLane(graphs->front(), "torch-v2", ops());
        benchmark::DoNotOptimize(runPipeline(g, pipeline(), ops(), {*observer}));
        state.PauseTiming();
        recorder = tl::unexpected(Diagnostic());
        state.ResumeTiming();
    }
}
BENCHMARK(pipelineRecorded)->Unit(benchmark::kMillisecond);

/// From no file to a finished one: create, source text, lane, close.
void wholeSession(benchmark::State& state) {
    if (document().units.empty()) return state.SkipWithError("the sample does not open");
    for (auto _ : state) {
        state.PauseTiming();
        std::filesystem::remove(sessionPath());
        Graph g = document().units.front().graph.clone();
        state.ResumeTiming();
        auto recorder = Recorder::create(sessionPath());
        const auto graphs = (*recorder)->addDocument(document());
        auto observer = (*recorder)->beginLane(graphs->front(), "torch-v2", ops());
        benchmark::DoNotOptimize(runPipeline(g, pipeline(), ops(), {*observer}));
        benchmark::DoNotOptimize((*recorder)->close());
    }
    state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(sessionPath()));
}
BENCHMARK(wholeSession)->Unit(benchmark::kMillisecond);

/// The file that wholeSession left, or a new one.
std::shared_ptr<Recording> recorded() {
    if (!std::filesystem::exists(sessionPath())) {
        auto recorder = Recorder::create(sessionPath());
        const auto graphs = (*recorder)->addDocument(document());
        auto observer = (*recorder)->beginLane(graphs->front(), "torch-v2", ops());
        Graph g = document().units.front().graph.clone();
        (void)runPipeline(g, pipeline(), ops(), {*observer});
    }
    auto opened = Recording::open(sessionPath());
    return opened ? *opened : nullptr;
}

void openSession(benchmark::State& state) {
    (void)recorded();
    for (auto _ : state) benchmark::DoNotOptimize(Recording::open(sessionPath()));
}
BENCHMARK(openSession)->Unit(benchmark::kMillisecond);

void snapshotOfAStage(benchmark::State& state) {
    (void)recorded();
    for (auto _ : state) {
        state.PauseTiming();
        const auto recording = recorded();  // no cache
        state.ResumeTiming();
        benchmark::DoNotOptimize(recording->snapshot(1, 1));
    }
}
BENCHMARK(snapshotOfAStage)->Unit(benchmark::kMillisecond);

void snapshotOfANeighbour(benchmark::State& state) {
    (void)recorded();
    for (auto _ : state) {
        state.PauseTiming();
        const auto recording = recorded();
        const auto first = recording->snapshot(1, 1);
        state.ResumeTiming();
        benchmark::DoNotOptimize(recording->snapshot(1, 4));
    }
}
BENCHMARK(snapshotOfANeighbour)->Unit(benchmark::kMillisecond);

void graphOfAStage(benchmark::State& state) {
    const auto recording = recorded();
    for (auto _ : state) benchmark::DoNotOptimize(recording->graph(1, 1, ops()));
}
BENCHMARK(graphOfAStage)->Unit(benchmark::kMillisecond);

void sql(benchmark::State& state, const char* text) {
    const auto recording = recorded();
    for (auto _ : state) benchmark::DoNotOptimize(recording->query(text));
}
BENCHMARK_CAPTURE(sql, v_node, "SELECT * FROM v_node WHERE stage_id = 1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sql, v_edge, "SELECT * FROM v_edge WHERE stage_id = 1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sql, v_change, "SELECT * FROM v_change WHERE stage_id = 4")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sql, v_history, "SELECT * FROM v_history WHERE uid = 17")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sql, v_stage, "SELECT * FROM v_stage")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
