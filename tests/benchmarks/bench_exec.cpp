// The executor: what a prediction of memory costs, and the loop itself per node.

#include <benchmark/benchmark.h>

#include "core/exec/executor.h"
#include "core/text/document.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;
using namespace aliascope::exec;

namespace {

/// A training step of GPT-2 of about 3,000 nodes: types only.
void predictGpt2(benchmark::State& state) {
    const Graph g = bench::sampleGraph("gpt2_train_joint.py");
    const auto none = makeNullBackend();
    const auto inputs = typedInputs(g, *none);
    std::size_t events = 0;
    for (auto _ : state) {
        const ExecResult r = execute(g, OpRegistry::builtin(), *none, *inputs);
        if (!r.complete) {
            state.SkipWithError(r.error->format().c_str());
            return;
        }
        events = r.memory.events.size();
    }
    state.counters["nodes"] = static_cast<double>(g.size());
    state.counters["events"] = static_cast<double>(events);
}
BENCHMARK(predictGpt2)->Unit(benchmark::kMillisecond);

/// A chain of additions of one element.
Graph chain(int length) {
    std::string text = "def forward(self, x: \"f32[1][1]cpu\"):\n    a0 = torch.ops.aten.add.Tensor(x, 1)\n";
    for (int i = 1; i < length; ++i) text += "    a" + std::to_string(i) + " = torch.ops.aten.add.Tensor(a" + std::to_string(i - 1) + ", 1)\n";
    text += "    return (a" + std::to_string(length - 1) + ",)\n";
    auto document = readText(text, "chain", OpRegistry::builtin());
    return std::move(document->units[0].graph);
}

void costOfANode(benchmark::State& state, Backend& backend) {
    const Graph g = chain(static_cast<int>(state.range(0)));
    const auto inputs = typedInputs(g, backend);
    for (auto _ : state) {
        const ExecResult r = execute(g, OpRegistry::builtin(), backend, *inputs);
        if (!r.complete) state.SkipWithError(r.error->format().c_str());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void runNodes(benchmark::State& state) { costOfANode(state, *makeCpuBackend(Precision::Reference)); }
BENCHMARK(runNodes)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

void predictNodes(benchmark::State& state) { costOfANode(state, *makeNullBackend()); }
BENCHMARK(predictNodes)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
