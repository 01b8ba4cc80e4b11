// Layout of the largest sample and of networks with ten and forty times its layers; the peer is `dot` on 200 nodes, which is what dot can do in the time.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/layout/graph_layout.h"
#include "tests/benchmarks/scaled_graph.h"

using namespace aliascope;

namespace {

LayoutInput inputOf(const Graph& g) {
    LayoutInput in;
    std::unordered_map<NodeId, std::uint32_t> index;
    for (NodeId id : inOrder(g)) {
        index[id] = static_cast<std::uint32_t>(in.nodes.size());
        LayoutNode n;
        n.uid = id.value;
        if (g[id].kind == NodeKind::Placeholder) n.shelf = LayoutNode::Shelf::Input;
        if (g[id].kind == NodeKind::Output) n.shelf = LayoutNode::Shelf::Output;
        in.nodes.push_back(n);
        for (NodeId used : g.operands(id)) in.edges.push_back({index[used], index[id]});
    }
    return in;
}

void layout(benchmark::State& state) {
    const LayoutInput in = inputOf(bench::stacked(bench::sampleGraph("gpt2_train_joint.py"), static_cast<int>(state.range(0))));
    for (auto _ : state) benchmark::DoNotOptimize(layoutGraph(in));
    state.counters["nodes"] = static_cast<double>(in.nodes.size());
}
BENCHMARK(layout)->Arg(1)->Arg(10)->Arg(40)->Unit(benchmark::kMillisecond);

/// Independent copies side by side: wide ranks instead of many.
void layoutWide(benchmark::State& state) {
    const LayoutInput one = inputOf(bench::sampleGraph("gpt2_train_joint.py"));
    LayoutInput in;
    for (std::int64_t k = 0; k < state.range(0); ++k) {
        const auto base = static_cast<std::uint32_t>(in.nodes.size());
        for (LayoutNode n : one.nodes) {
            n.uid += base;
            in.nodes.push_back(n);
        }
        for (const LayoutEdge& e : one.edges) in.edges.push_back({e.from + base, e.to + base});
    }
    for (auto _ : state) benchmark::DoNotOptimize(layoutGraph(in));
    state.counters["nodes"] = static_cast<double>(in.nodes.size());
}
BENCHMARK(layoutWide)->Arg(10)->Unit(benchmark::kMillisecond);

/// First `limit` nodes of the sample, laid out by us and by dot on the same edges.
LayoutInput head(std::uint32_t limit) {
    LayoutInput in = inputOf(bench::sampleGraph("gpt2_train_joint.py"));
    in.nodes.resize(std::min<std::size_t>(limit, in.nodes.size()));
    std::erase_if(in.edges, [&](const LayoutEdge& e) { return e.from >= in.nodes.size() || e.to >= in.nodes.size(); });
    return in;
}

void layoutOfHead(benchmark::State& state) {
    const LayoutInput in = head(static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(layoutGraph(in));
}
BENCHMARK(layoutOfHead)->Arg(200)->Arg(600)->Unit(benchmark::kMillisecond);

void dotOfHead(benchmark::State& state) {
    if (std::system("command -v dot >/dev/null 2>&1") != 0) {
        state.SkipWithError("dot is not installed");
        return;
    }
    const LayoutInput in = head(static_cast<std::uint32_t>(state.range(0)));
    const auto path = std::filesystem::temp_directory_path() / "aliascope_bench.dot";
    std::FILE* f = std::fopen(path.c_str(), "w");
    std::fputs("digraph g { node [shape=box, width=3.3, height=1.1];\n", f);
    for (const LayoutEdge& e : in.edges) std::fprintf(f, "n%u -> n%u;\n", e.from, e.to);
    std::fputs("}\n", f);
    std::fclose(f);
    const std::string command = "dot -Tplain " + path.string() + " >/dev/null";
    for (auto _ : state)
        if (std::system(command.c_str()) != 0) state.SkipWithError("dot failed");
    std::filesystem::remove(path);
}
BENCHMARK(dotOfHead)->Arg(200)->Arg(600)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
