// What runs around every pass: completing types, verifying, assigning storages; and the overlap test of one pair of views.

#include <benchmark/benchmark.h>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/analysis/verifier.h"
#include "core/ops/infer.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

Graph joint(benchmark::State& state) {
    Graph g = bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), static_cast<int>(state.range(0)));
    state.counters["nodes"] = static_cast<double>(g.size());
    return g;
}

void inferStatedTypes(benchmark::State& state) {
    Graph g = joint(state);
    for (auto _ : state) inferMissingTypes(OpRegistry::builtin(), g);
}
BENCHMARK(inferStatedTypes)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void inferAllTypes(benchmark::State& state) {
    const Graph g = joint(state);
    for (auto _ : state) {
        state.PauseTiming();
        Graph bare = g.clone();
        for (NodeId id : inOrder(bare))
            if (bare[id].isCall()) bare.setType(id, nullptr, Trust::Unknown);
        state.ResumeTiming();
        inferMissingTypes(OpRegistry::builtin(), bare);
    }
}
BENCHMARK(inferAllTypes)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void verifyGraph(benchmark::State& state) {
    const Graph g = joint(state);
    for (auto _ : state) benchmark::DoNotOptimize(verify(g, OpRegistry::builtin()));
}
BENCHMARK(verifyGraph)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void assignStorages(benchmark::State& state) {
    const Graph g = joint(state);
    for (auto _ : state) benchmark::DoNotOptimize(AliasInfo(g, OpRegistry::builtin()).storageCount());
}
BENCHMARK(assignStorages)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void overlapOfTwoBlocks(benchmark::State& state) {
    TensorType a = *Type::parseAnnotation("f32[16, 12, 512, 64][786432, 64, 768, 1]")->asTensor();
    a.offset = SymInt(0);
    TensorType b = a;
    b.offset = SymInt(64);
    const SymbolTable symbols;
    for (auto _ : state) benchmark::DoNotOptimize(exactOverlap(a, b, symbols));
}
BENCHMARK(overlapOfTwoBlocks)->Unit(benchmark::kNanosecond);

}  // namespace

BENCHMARK_MAIN();
