// Memory (executor.md 4, session.md 4): predicting a training step of 2,941 nodes (20 ms), planning its arena (100 ms), the allocator model, writing
// the events of a run (300,000 rows/s) and the questions of the memory view.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>
#include <string>

#include "core/exec/predict.h"
#include "core/memory/memory_model.h"
#include "core/memory/planner.h"
#include "core/recording/memory_rows.h"
#include "core/recording/recorder.h"
#include "core/recording/recording.h"

namespace {

using namespace aliascope;

const OpRegistry& ops() { return OpRegistry::builtin(); }

const Document& document() {
    static const Document doc = [] {
        auto read = openFile(std::string(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/gpt2_train_joint.py", ops());
        return read ? std::move(*read) : Document();
    }();
    return doc;
}

const exec::Prediction& prediction() {
    static const exec::Prediction p = [] {
        exec::PredictOptions options;
        options.findReuse = true;
        return exec::predict(document().units.front().graph, ops(), options);
    }();
    return p;
}

void predictTrainingStep(benchmark::State& state) {
    if (document().units.empty()) return state.SkipWithError("the sample does not open");
    exec::PredictOptions options;
    options.findReuse = state.range(0) != 0;
    std::size_t events = 0;
    for (auto _ : state) {
        const exec::Prediction p = exec::predict(document().units.front().graph, ops(), options);
        if (!p.complete) return state.SkipWithError("the prediction is not complete");
        events = p.log.events.size();
    }
    state.counters["events"] = static_cast<double>(events);
}
BENCHMARK(predictTrainingStep)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void planTrainingStep(benchmark::State& state) {
    memory::PlanOptions options;
    if (state.range(0) != 0) options.reuse = prediction().reuse;
    double ratio = 0;
    for (auto _ : state) ratio = memory::planMemory(prediction().log, options).ratio();
    state.counters["ratio"] = ratio;
}
BENCHMARK(planTrainingStep)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// Random traffic with about 500 live storages.
memory::EventLog traffic(std::size_t events) {
    memory::MemoryModel model;
    std::mt19937 random(1);
    std::vector<memory::StorageId> live;
    memory::StorageId next = 0;
    while (model.log().events.size() < events) {
        const memory::Site site{0, NodeId(static_cast<std::uint32_t>(random() % 3000)), 0};
        if (live.size() > 500 || (live.size() > 400 && random() % 2)) {
            const std::size_t k = random() % live.size();
            model.release(site, live[k]);
            live[k] = live.back();
            live.pop_back();
        } else {
            (void)model.allocate(memory::EventKind::Alloc, site, next, 1 + static_cast<std::int64_t>(random() % 10'000'000));
            live.push_back(next++);
        }
    }
    return model.takeLog();
}

void modelAMillionEvents(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(traffic(1'000'000));
}
BENCHMARK(modelAMillionEvents)->Unit(benchmark::kMillisecond);

std::string sessionPath() { return (std::filesystem::temp_directory_path() / "bench_memory.aliascope").string(); }

/// A session with one stage; the id of a fresh run of it.
std::int64_t freshRun(recording::Database& db) {
    recording::Statement insert(
        db,
        "INSERT INTO run(stage, kind, device, mode, accounting, state, created) SELECT min(id), 'measured', 'cpu', 'observe', 'exact', "
        "'complete', '' FROM stage RETURNING id");
    insert.bind();
    insert.step();
    return insert.integer(0);
}

void makeSession() {
    std::filesystem::remove(sessionPath());
    auto recorder = Recorder::create(sessionPath());
    const auto graphs = (*recorder)->addDocument(document());
    auto observer = (*recorder)->beginLane(graphs->front(), "none", ops());
    Graph g = document().units.front().graph.clone();
    (void)runPipeline(g, Pipeline(), ops(), {*observer});
}

void writeEvents(benchmark::State& state) {
    const memory::EventLog log = traffic(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        state.PauseTiming();
        makeSession();
        recording::Database db(sessionPath(), recording::Database::Access::Write);
        recording::RowQueue queue;
        recording::TextPool pool(queue, db);
        state.ResumeTiming();
        recording::Transaction transaction(db);
        recording::writeMemory(db, pool, freshRun(db), log);
        transaction.commit();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(writeEvents)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

std::shared_ptr<Recording> longRun() {
    static const std::shared_ptr<Recording> recording = [] {
        makeSession();
        {
            recording::Database db(sessionPath(), recording::Database::Access::Write);
            recording::RowQueue queue;
            recording::TextPool pool(queue, db);
            recording::Transaction transaction(db);
            recording::writeMemory(db, pool, freshRun(db), traffic(1'000'000));
            transaction.commit();
        }
        return *Recording::open(sessionPath());
    }();
    return recording;
}

void curveOfAMillionEvents(benchmark::State& state) {
    const auto recording = longRun();
    for (auto _ : state) benchmark::DoNotOptimize(recording->memoryCurve(1, 0, -1, 245));
}
BENCHMARK(curveOfAMillionEvents)->Unit(benchmark::kMillisecond);

void liveAfterAnEvent(benchmark::State& state) {
    const auto recording = longRun();
    std::int64_t seq = 90'000;
    for (auto _ : state) benchmark::DoNotOptimize(recording->memoryLiveAt(1, seq = (seq + 12'345) % 1'000'000));
}
BENCHMARK(liveAfterAnEvent)->Unit(benchmark::kMillisecond);

void holdersOfThePeak(benchmark::State& state) {
    const auto recording = longRun();
    for (auto _ : state) benchmark::DoNotOptimize(recording->memoryHolders(1, HolderKey::Module));
}
BENCHMARK(holdersOfThePeak)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
