// Patterns: building PyTorch's attention patterns, and matching many patterns of a user on GPT-2's joint graph. Ten times the patterns should cost
// less than twice the time: the second argument of `matching` is the number of patterns.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/passes/attention_rules.h"
#include "core/patterns/rewrite.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

/// `count` patterns that begin like parts of the network: chains of pointwise operators over a view or a product, with different numbers.
std::string rules(int count) {
    static const char* const ops[] = {"sin", "cos", "exp", "tanh", "neg", "abs", "relu", "sigmoid", "erf", "rsqrt"};
    static const char* const sources[] = {"aten.mm", "aten.view", "aten.permute", "aten.sub.Tensor", "aten.convolution"};
    std::string out = "set many {\n";
    for (int i = 0; i < count; ++i)
        out += fmt::format("  rule r{} {{ find aten.mul.Tensor(aten.add.Tensor(aten.{}({}($x, $y)), {}), aten.{}($z)) make $x }}\n", i, ops[i % 10],
                           std::string(sources[i / 10 % 5]) == "aten.convolution" ? "aten.sub.Tensor" : sources[i / 10 % 5], i / 50, ops[i / 3 % 10]);
    return out + "}\n";
}

void matching(benchmark::State& state) {
    const Graph g = bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), 1);
    patterns::PatternSet set(OpRegistry::builtin());
    const auto file = patterns::parsePatterns(rules(static_cast<int>(state.range(0))), "many.patterns");
    if (!file || !set.add(*file)) {
        state.SkipWithError("the patterns are not accepted");
        return;
    }
    const std::vector<Name> roots = set.roots();
    std::size_t tried = 0;
    for (auto _ : state) {
        for (NodeId id : inOrder(g)) {
            if (std::find(roots.begin(), roots.end(), g[id].op) == roots.end()) continue;
            const auto found = patterns::attempt(
                set, g, id, {}, [](NodeId, NodeId) { return NodeId(); }, true);
            tried += found.refusals.size();
        }
    }
    benchmark::DoNotOptimize(tried);
    state.counters["patterns"] = static_cast<double>(set.actions().size());
}
BENCHMARK(matching)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

/// Every root of the graph is asked, though it has no batched product.
void attentionOnGpt2(benchmark::State& state) {
    const Graph g = bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), static_cast<int>(state.range(0)));
    const patterns::PatternSet& set = attentionPatterns(false);
    const std::vector<Name> roots = set.roots();
    for (auto _ : state)
        for (NodeId id : inOrder(g))
            if (std::find(roots.begin(), roots.end(), g[id].op) != roots.end())
                benchmark::DoNotOptimize(patterns::attempt(
                    set, g, id, {}, [](NodeId, NodeId) { return NodeId(); }, true));
    state.counters["nodes"] = static_cast<double>(g.size());
}
BENCHMARK(attentionOnGpt2)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void attention(benchmark::State& state) {
    for (auto _ : state) {
        patterns::PatternSet set(OpRegistry::builtin(), attentionPatterns(state.range(0) != 0).options());
        const auto file = patterns::readPatternFile(std::string(ALIASCOPE_SOURCE_DIR) + "/resources/patterns/torch_attention.patterns");
        if (!file || !set.add(*file)) state.SkipWithError("the attention patterns are not accepted");
        benchmark::DoNotOptimize(set);
    }
}
BENCHMARK(attention)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
