// Operators that nothing here computes: refused, or replaced by a smooth function of all that they are given (executor.md 6.4).

#include <algorithm>

#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

/// Weight of the k-th operand, fixed by the operator's name; all weights of `count` operands together stay below 1.
double weightOf(Name op, std::size_t k, std::size_t count) {
    std::uint64_t h = 0xCBF29CE484222325u + 0x9E3779B97F4A7C15u * (k + 1);
    for (const char c : op.view()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    h ^= h >> 29;
    return (0.25 + 0.5 * static_cast<double>(h % 1024) / 1024) / static_cast<double>(std::max<std::size_t>(count, 1));
}

}  // namespace

bool Run::reachedByStandIn(const Frame& f, const Node& n) const {
    bool reached = false;
    const auto look = [&](NodeId id) {
        if (id.value < f.values.size())
            f.values[id.value].forEachTensor([&](const Tensor& t) { reached = reached || (t.storage && t.storage->synthetic); });
    };
    for (const Value& v : n.args) v.forEachNode(look);
    for (const Keyword& k : n.kwargs) k.second.forEachNode(look);
    return reached;
}

void Run::markSynthetic(const RuntimeValue& v) {
    v.forEachTensor([&](const Tensor& t) {
        if (t.storage) t.storage->synthetic = true;
        ++syntheticValues_;
    });
}

RuntimeValue Run::unknownSchema(Frame& f, const Node& n, const NodePlan& plan) {
    if (!n.op) failUnsupported("it is no operator that is known");
    if (plan.stated.empty() || (backend_.computes() && !options_.standIn)) failUnsupported("its schema is not known");
    static const OpDef none;
    OpPlan op;
    op.op = &none;
    Args args;
    for (const Value& v : n.args) args.push_back(resolve(f, v));
    for (const Keyword& k : n.kwargs) args.push_back(resolve(f, k.second));
    std::vector<Tensor> outputs;
    const bool single = plan.stated.size() == 1 && !plan.onlyItems;
    RuntimeValue result = materialise(single ? plan.stated[0] : Type::tuple(plan.stated), outputs, nullptr, &f, op);
    standIn(n.op, args, outputs);
    return result;
}

RuntimeValue Run::unknownOperator(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame) {
    if (backend_.computes() && !options_.standIn) failUnsupported("there is no kernel for it");
    std::vector<Tensor> results;
    RuntimeValue value;
    const Schema& schema = op.op->schema;
    const bool returnsWritten = !schema.returns.empty() && std::any_of(op.written.begin(), op.written.end(),
                                                                       [&](std::size_t p) { return schema.alias(0, p) == AliasKind::Same; });
    if (!returnsWritten && !schema.returns.empty()) {
        const TypePtr type = resultType(op, args, node, frame);
        if (!type) failUnsupported("there is no kernel for it, and the shape of its result is not known");
        value = materialise(type, results, node, frame, op);
    }
    for (const std::size_t p : op.written)
        if (p < args.size()) args[p].forEachTensor([&](const Tensor& t) { results.push_back(t); });
    standIn(op.op->canonical, args, results);
    return returnsWritten ? returnedArguments(op, args, {}) : value;
}

/// Element i of a float result = sum of weight x operand[i mod its size] + a constant; of everything else 0.
void Run::standIn(Name op, const Args& args, const std::vector<Tensor>& results) {
    if (!backend_.computes()) return;
    const bool counted = ledger_.setUncounted(true);
    const auto wide = [&](const Tensor& t) { return fresh({DType::F64, t.sizes, contiguousStrides(t.sizes), 0, t.device}); };
    std::vector<std::vector<double>> operands;
    for (const RuntimeValue& v : args)
        v.forEachTensor([&](const Tensor& t) {
            if (!t.storage || t.numel() == 0) return;
            const Tensor converted = wide(t);
            backend_.copy(converted, t);
            operands.emplace_back(static_cast<std::size_t>(t.numel()));
            backend_.download(reinterpret_cast<std::byte*>(operands.back().data()), converted);
        });
    std::vector<double> weights;
    for (std::size_t k = 0; k < operands.size(); ++k) weights.push_back(weightOf(op, k, operands.size()));
    for (const Tensor& result : results) {
        if (!result.storage || result.numel() == 0) continue;
        std::vector<double> values(static_cast<std::size_t>(result.numel()), 0);
        if (info(result.dtype).floating)
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = 0.0625;
                for (std::size_t k = 0; k < operands.size(); ++k) values[i] += weights[k] * operands[k][i % operands[k].size()];
            }
        const Tensor converted = wide(result);
        backend_.upload(converted, reinterpret_cast<const std::byte*>(values.data()));
        backend_.copy(result, converted);
        result.storage->synthetic = true;
        ++syntheticValues_;
    }
    ledger_.setUncounted(counted);
    synthetic_ = true;
    if (std::find(standIns_.begin(), standIns_.end(), op) == standIns_.end()) standIns_.push_back(op);
}

std::vector<Diagnostic> Run::takeWarnings() {
    for (const Name op : standIns_) warnings_.push_back(warning("SYNTHETIC", {{"op", op.str()}, {"n", std::to_string(syntheticValues_)}}));
    standIns_.clear();
    return std::move(warnings_);
}

}  // namespace aliascope::exec
