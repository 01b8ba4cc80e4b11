// Reading and printing: the joint graph of a training step of GPT-2 small (2,940 nodes), once and ten times in one graph.

#include <benchmark/benchmark.h>

#include "core/text/arguments.h"
#include "core/text/print.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

Graph joint(int copies) { return bench::repeated(bench::sampleGraph("gpt2_train_joint.py"), copies); }

void read(benchmark::State& state, const std::string& text) {
    ReadOptions options;
    options.inferTypes = false;
    std::size_t nodes = 0;
    for (auto _ : state) {
        const auto doc = readText(text, "joint", OpRegistry::builtin(), options);
        nodes = doc ? doc->units.front().graph.size() : 0;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void readReadable(benchmark::State& state) { read(state, printReadable(joint(static_cast<int>(state.range(0))))); }
BENCHMARK(readReadable)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void readGraphText(benchmark::State& state) { read(state, printGraphText(joint(static_cast<int>(state.range(0))))); }
BENCHMARK(readGraphText)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

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
