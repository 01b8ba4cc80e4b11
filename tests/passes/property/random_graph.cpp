#include "tests/passes/property/random_graph.h"

#include "core/ops/infer.h"

namespace aliascope::testing {
namespace {

constexpr std::int64_t kMostElements = 512;

/// Seeds beyond 32 bits give programs of their own.
std::mt19937 seeded(std::uint64_t seed) {
    if (seed <= UINT32_MAX) return std::mt19937(static_cast<std::uint32_t>(seed));
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    return std::mt19937(words);
}

}  // namespace

RandomGraph::RandomGraph(const OpRegistry& ops, std::uint64_t seed, Name device) : ops_(ops), random_(seeded(seed)), device_(device) {}

std::int64_t RandomGraph::valueOf(const SymInt& s) const { return s.isConst() ? *s.constant() : s.evaluate(g_.symbols).value_or(1); }

std::vector<std::int64_t> RandomGraph::sizesOf(NodeId id) const {
    std::vector<std::int64_t> out;
    for (const SymInt& s : type(id).sizes) out.push_back(valueOf(s));
    return out;
}

NodeId RandomGraph::call(std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs) {
    Node n;
    n.op = Name(op);
    n.target = spellOp(n.op);
    std::string_view name = op;
    name.remove_prefix(name.rfind(':') + 1);
    n.name = Name(name.substr(0, name.find('.')));
    n.args = std::move(args);
    n.kwargs = std::move(kwargs);
    const NodeId id = g_.append(std::move(n));
    setInferredType(ops_, g_, id);
    return id;
}

NodeId RandomGraph::keep(NodeId id) {
    if (g_[id].tensor() && g_[id].tensor()->strides && numel(id) > 0 && numel(id) <= kMostElements) pool_.push_back(id);
    return id;
}

NodeId RandomGraph::addInput(int number, TensorType type) {
    Node n;
    n.kind = NodeKind::Placeholder;
    n.name = n.target = Name("x" + std::to_string(number));
    n.type = Type::tensor(std::move(type));
    n.trust = Trust::Stated;
    pool_.push_back(g_.append(std::move(n)));
    return pool_.back();
}

Graph RandomGraph::finish(int percent) {
    Node output;
    output.kind = NodeKind::Output;
    output.name = output.target = "output"_n;
    std::vector<Value> returned;
    for (NodeId id : pool_)
        if (chance(percent)) returned.push_back(Value::node(id));
    if (returned.empty()) returned.push_back(Value::node(pool_.back()));
    output.args = {Value::tuple(std::move(returned))};
    g_.append(std::move(output));
    return std::move(g_);
}

Value RandomGraph::ints(const std::vector<std::int64_t>& v) {
    std::vector<Value> out;
    for (std::int64_t i : v) out.push_back(Value::integer(i));
    return Value::list(std::move(out));
}

Value RandomGraph::dtypeValue(DType d) { return Value::constant(Name("torch." + std::string(info(d).torchName))); }

}  // namespace aliascope::testing
