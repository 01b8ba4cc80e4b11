// Reading and printing: the joint graph of a training step of GPT-2 small (2,940 nodes), once and ten times in one graph.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/text/arguments.h"
#include "core/text/print.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

Graph joint(int copies) { return bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), copies); }

enum class Caches { Warm, Cold };

/// Pushes everything else out of the processor's caches, as the work before a user's first read does.
void coolCaches() {
    static std::vector<std::uint64_t> other(std::size_t{8} << 20);
    for (std::size_t i = 0; i < other.size(); i += 8) ++other[i];
    benchmark::ClobberMemory();
}

void read(benchmark::State& state, const std::string& text, Caches caches = Caches::Warm) {
    ReadOptions options;
    options.inferTypes = false;
    std::size_t nodes = 0;
    for (auto _ : state) {
        if (caches == Caches::Cold) {
            state.PauseTiming();
            coolCaches();
            state.ResumeTiming();
        }
        const auto doc = readText(text, "joint", OpRegistry::builtin(), options);
        nodes = doc ? doc->units.front().graph.size() : 0;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void readReadable(benchmark::State& state) { read(state, printReadable(joint(static_cast<int>(state.range(0))))); }
BENCHMARK(readReadable)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void readReadableCold(benchmark::State& state) { read(state, printReadable(joint(static_cast<int>(state.range(0)))), Caches::Cold); }
BENCHMARK(readReadableCold)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void readGraphText(benchmark::State& state) { read(state, printGraphText(joint(static_cast<int>(state.range(0))))); }
BENCHMARK(readGraphText)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void readGraphTextCold(benchmark::State& state) { read(state, printGraphText(joint(static_cast<int>(state.range(0)))), Caches::Cold); }
BENCHMARK(readGraphTextCold)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

template <class Print>
void print(benchmark::State& state, Print f) {
    const Graph g = joint(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(f(g));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(g.size()));
}

void writeReadable(benchmark::State& state) { print(state, printReadable); }
BENCHMARK(writeReadable)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void writeGraphText(benchmark::State& state) { print(state, printGraphText); }
BENCHMARK(writeGraphText)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

/// A TORCH_TRACE of many compilations, ten graphs each: what the list of a large file waits for.
void readTrace(benchmark::State& state) {
    std::ifstream file(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log");
    const std::string once((std::istreambuf_iterator<char>(file)), {});
    std::string text;
    for (int i = 0; i < state.range(0); ++i) {
        std::string copy = once;
        const std::string from = "\"frame_id\": 0", to = "\"frame_id\": " + std::to_string(i);
        for (std::size_t at = copy.find(from); at != copy.npos; at = copy.find(from, at + to.size())) copy.replace(at, from.size(), to);
        text += copy;
    }
    read(state, text);
}
BENCHMARK(readTrace)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

/// What a recording does with every node of every stage that it shows.
void parseArgumentsOfAllNodes(benchmark::State& state) {
    const Graph g = joint(1);
    std::vector<std::string> texts;
    for (const NodeId id : inOrder(g)) texts.push_back(printArguments(g, g[id]));
    for (auto _ : state)
        for (const std::string& text : texts) benchmark::DoNotOptimize(parseArguments(text, g));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
}
BENCHMARK(parseArgumentsOfAllNodes)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
