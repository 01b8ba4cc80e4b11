// Schemas, lookup, binding and symbolic integers: what every reader and pass does once or more per node.

#include <benchmark/benchmark.h>

#include "core/ir/op_registry.h"
#include "core/ir/sym.h"

using namespace aliascope;

namespace {

void parseAllSchemas(benchmark::State& state) {
    std::vector<std::string> texts;
    for (const OpDef* d : OpRegistry::builtin().all()) texts.push_back(d->schema.str());
    for (auto _ : state)
        for (const std::string& t : texts) benchmark::DoNotOptimize(Schema::parse(t));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
}
BENCHMARK(parseAllSchemas)->Unit(benchmark::kMillisecond);

void findOperator(benchmark::State& state) {
    const Name name("aten::add.Tensor");
    for (auto _ : state) benchmark::DoNotOptimize(OpRegistry::builtin().find(name));
}
BENCHMARK(findOperator);

void canonicalName(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(canonicalOp("torch.ops.aten.add.Tensor"));
}
BENCHMARK(canonicalName);

void writesOfCall(benchmark::State& state) {
    Graph g;
    Node x;
    x.kind = NodeKind::Placeholder;
    x.name = x.target = Name("x");
    const Value operand = Value::node(g.append(std::move(x)));
    Node add;
    add.name = Name("add_");
    add.op = Name("aten::add_.Tensor");
    add.target = spellOp(add.op);
    add.args = {operand, operand};
    const NodeId id = g.append(std::move(add));
    for (auto _ : state) benchmark::DoNotOptimize(writtenOperands(OpRegistry::builtin(), g, id));
}
BENCHMARK(writesOfCall);

void parseSymbol(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(SymInt::parse("s77"));
}
BENCHMARK(parseSymbol);

void parseExpression(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(SymInt::parse("s27*(s77 - ((s77//2)) - 1) + s27"));
}
BENCHMARK(parseExpression);

void orderOfExpressions(benchmark::State& state) {
    const SymInt a = *SymInt::parse("s27*((s77//2))"), b = *SymInt::parse("s27*s77");
    const SymbolTable symbols;
    for (auto _ : state) benchmark::DoNotOptimize(knownLessEqual(a, b, symbols));
}
BENCHMARK(orderOfExpressions);

void addExpressions(benchmark::State& state) {
    const SymInt a = *SymInt::parse("s27*(s77 - 1) + s27"), b = *SymInt::parse("s27*s77 + 4");
    for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(addExpressions);

}  // namespace

BENCHMARK_MAIN();
