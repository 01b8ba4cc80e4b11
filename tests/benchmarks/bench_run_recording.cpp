// What it costs to record runs (executor.md 9: at most a tenth).
// recordedStages: all stages of a lane, run and compared, as `exec` does it, with the session against without; `closed` counts the end of the session
// too, which waits for the disk twice.
// recordedRun: one stage alone, with digests, and with everything written into a session; there nothing runs beside which it could be written.
// Counters: ms of each, and ratios: recorded / with digests (what the session costs) and recorded / alone (what observing costs in all).
// With ALIASCOPE_SHARED, the folder of the reference corpus, its networks and programs; else the samples.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"
#include "core/recording/stage_execution.h"

namespace {

using namespace aliascope;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

double median(std::vector<double> list) {
    if (list.empty()) return 0;
    std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
    return list[list.size() / 2];
}

std::string sessionPath() { return (fs::temp_directory_path() / "bench_run_recording.aliascope").string(); }

/// A session with the lane of `torch-v2` over the first graph of the file.
Result<std::int64_t> record(const std::string& file, const OpRegistry& ops) {
    fs::remove(sessionPath());
    auto document = openFile(file, ops);
    if (!document) return fail(document.error());
    auto recorder = Recorder::create(sessionPath());
    if (!recorder) return fail(recorder.error());
    auto graphs = (*recorder)->addDocument(*document);
    if (!graphs) return fail(graphs.error());
    auto lane = (*recorder)->beginLane(graphs->front(), "torch-v2", ops);
    if (!lane) return fail(lane.error());
    Graph g = document->units.front().graph.clone();
    runPipeline(g, *namedPipeline("torch-v2"), ops, {*lane});
    if (auto closed = (*recorder)->close(); !closed) return fail(closed.error());
    auto recording = Recording::open(sessionPath());
    if (!recording) return fail(recording.error());
    return (*recording)->lanes().front().id;
}

/// Time of the first stage as StageRuns runs it.
Result<std::unique_ptr<StageRuns>> prepare(std::int64_t lane, const OpRegistry& ops, exec::DigestMode digests) {
    auto recording = Recording::open(sessionPath());
    if (!recording) return fail(recording.error());
    StageRunOptions options;
    options.digests = digests;
    return StageRuns::create(*recording, lane, ops, std::move(options));
}

void recordedRun(benchmark::State& state, const std::string& file, const std::string& operators) {
    OpRegistry ops = OpRegistry::withBuiltin();
    if (!operators.empty() && !ops.addFile(operators)) return state.SkipWithError("the operators cannot be read");
    const auto lane = record(file, ops);
    if (!lane) return state.SkipWithError(lane.error().format().c_str());
    std::vector<double> alone, digested, recorded;
    const auto once = [&](exec::DigestMode digests, bool write, std::vector<double>& times) {
        auto runs = prepare(*lane, ops, digests);
        if (!runs) return state.SkipWithError(runs.error().format().c_str());
        auto recorder = write ? Recorder::create(sessionPath()) : fail(Diagnostic());
        const auto start = Clock::now();
        auto ran = (*runs)->run((*runs)->stages().front().idx);
        if (!ran || !ran->get().complete) return state.SkipWithError("the stage does not run");
        if (write && recorder && !(*runs)->record(**recorder, ran->get().stage.idx)) return state.SkipWithError("the run cannot be recorded");
        times.push_back(milliseconds(start));
    };
    for (auto _ : state) {
        once(exec::DigestMode::None, false, alone);
        once(exec::DigestMode::All, false, digested);
        const std::size_t before = recorded.size();
        once(exec::DigestMode::All, true, recorded);
        if (recorded.size() > before) state.SetIterationTime(recorded.back() / 1000);
    }
    const double a = median(alone), d = median(digested), r = median(recorded);
    state.counters["alone_ms"] = a;
    state.counters["digests_ms"] = d;
    state.counters["recorded_ms"] = r;
    state.counters["session_ratio"] = d > 0 ? r / d : 0;
    state.counters["all_ratio"] = a > 0 ? r / a : 0;
}

/// Milliseconds.
struct StagesTime {
    double run = 0, closed = 0;
};

/// Of all stages; with `session`, recorded there until the file is whole. Nothing when a stage does not run.
std::optional<StagesTime> timeOfStages(std::int64_t lane, const OpRegistry& ops, bool session) {
    auto runs = prepare(lane, ops, exec::DigestMode::All);
    auto recorder = session ? Recorder::create(sessionPath()) : fail(Diagnostic());
    if (!runs || (session && !recorder)) return std::nullopt;
    std::vector<int> stages;
    for (const StageRow& stage : (*runs)->stages()) stages.push_back(stage.idx);
    const auto start = Clock::now();
    auto execution = executeStages(**runs, stages, true, {}, session ? recorder->get() : nullptr);
    if (!execution || execution->failed) return std::nullopt;
    if (session && !recordExecution(**recorder, **runs, *execution)) return std::nullopt;
    StagesTime time;
    time.run = milliseconds(start);
    runs->reset();  // the last reader
    if (session && !(*recorder)->close()) return std::nullopt;
    time.closed = milliseconds(start);
    return time;
}

void recordedStages(benchmark::State& state, const std::string& file, const std::string& operators) {
    OpRegistry ops = OpRegistry::withBuiltin();
    if (!operators.empty() && !ops.addFile(operators)) return state.SkipWithError("the operators cannot be read");
    std::vector<double> plain, recorded, closed;
    for (auto _ : state) {
        const auto lane = record(file, ops);
        if (!lane) return state.SkipWithError(lane.error().format().c_str());
        const auto without = timeOfStages(*lane, ops, false), with = timeOfStages(*lane, ops, true);
        if (!without || !with) return state.SkipWithError("a stage does not run");
        plain.push_back(without->run);
        recorded.push_back(with->run);
        closed.push_back(with->closed);
        state.SetIterationTime(with->run / 1000);
    }
    const double a = median(plain), r = median(recorded), c = median(closed);
    state.counters["plain_ms"] = a;
    state.counters["recorded_ms"] = r;
    state.counters["closed_ms"] = c;
    state.counters["ratio"] = a > 0 ? r / a : 0;
    state.counters["closed_ratio"] = a > 0 ? c / a : 0;
}

void add(const std::string& name, const std::string& file, const std::string& operators) {
    if (!fs::exists(file)) return;
    const auto measured = [&](const std::string& what, void (*run)(benchmark::State&, const std::string&, const std::string&)) {
        benchmark::RegisterBenchmark((what + "/" + name).c_str(), [=](benchmark::State& state) { run(state, file, operators); })
            ->Unit(benchmark::kMillisecond)
            ->UseManualTime()
            ->Iterations(15);
    };
    measured("recordedStages", recordedStages);
    measured("recordedRun", recordedRun);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string samples = std::string(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/";
    const char* shared = std::getenv("ALIASCOPE_SHARED");
    if (shared) {
        const std::string oracle = std::string(shared) + "/oracle/";
        for (const char* network : {"gpt_s_train", "llama_s_infer", "resnet_s_train"})
            add(network, oracle + "zoo/" + network + "/before_joint.0.readable.py", "");
        add("kv_cache", oracle + "cases/kv_cache/aten.mutable.readable.py", oracle + "mylib.ops");
        add("two_bases", oracle + "cases/two_bases/aten.mutable.readable.py", oracle + "mylib.ops");
    } else {
        add("inplace_aten_views", samples + "inplace_aten_views.py", "");
        add("kv_cache_layers", samples + "kv_cache_layers.py", samples + "mylib.ops");
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
