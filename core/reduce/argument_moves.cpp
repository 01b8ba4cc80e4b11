#include "core/reduce/reduce_moves.h"

namespace aliascope::reduce {
namespace {

/// Values in place of `v`, the plainest first.
std::vector<Value> plainer(const Value& v, bool optional) {
    std::vector<Value> out;
    if (optional && !v.isNone()) out.push_back(Value::none());
    if (v.isInt()) {
        const std::int64_t n = *v.asInt();
        if (n != 0) out.push_back(Value::integer(0));
        if (n > 1 || n < 0) out.push_back(Value::integer(1));
        return out;
    }
    if (v.kind() == Value::Kind::Float) {
        if (*v.asNumber() != 1.0) out.push_back(Value::real(1.0));
        return out;
    }
    if (!v.isSequence() || v.items().size() < 2) return out;
    // Shorter lists of tensors; lists of numbers are shapes, which have their own steps.
    bool tensors = true;
    for (const Value& item : v.items()) tensors = tensors && (item.isNode() || item.isNone());
    for (std::size_t drop = 0; tensors && drop < v.items().size(); ++drop) {
        std::vector<Value> items = v.items();
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(drop));
        out.push_back(Value::container(v.kind(), std::move(items)));
    }
    return out;
}

const SchemaParam* paramOf(const OpDef* op, std::size_t position, const Keyword* keyword) {
    if (!op) return nullptr;
    const auto& params = op->schema.params;
    if (!keyword) return position < params.size() ? &params[position] : nullptr;
    const int index = op->schema.paramIndex(keyword->first);
    return index < 0 ? nullptr : &params[static_cast<std::size_t>(index)];
}

}  // namespace

std::vector<ArgumentStep> argumentSteps(const Graph& g, const OpRegistry& ops) {
    std::vector<ArgumentStep> out;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.isCall()) continue;
        const OpDef* op = ops.find(n.op);
        for (std::size_t i = 0; i < n.args.size() + n.kwargs.size(); ++i) {
            const Keyword* keyword = i < n.args.size() ? nullptr : &n.kwargs[i - n.args.size()];
            const Value& v = keyword ? keyword->second : n.args[i];
            const SchemaParam* param = paramOf(op, i, keyword);
            if (keyword && param && param->defaultValue) out.push_back({id, i, Value(), true});
            for (Value& p : plainer(v, param && param->type.isOptional())) out.push_back({id, i, std::move(p), false});
        }
    }
    return out;
}

bool apply(Graph& g, const ArgumentStep& step) {
    if (!g.contains(step.node)) return false;
    const Node& n = g[step.node];
    if (step.position < n.args.size()) {
        if (n.args[step.position] == step.plainer) return false;
        g.setArg(step.node, step.position, step.plainer);
        return true;
    }
    const std::size_t at = step.position - n.args.size();
    if (at >= n.kwargs.size()) return false;
    std::vector<Keyword> kwargs = n.kwargs;
    if (step.drop)
        kwargs.erase(kwargs.begin() + static_cast<std::ptrdiff_t>(at));
    else if (kwargs[at].second == step.plainer)
        return false;
    else
        kwargs[at].second = step.plainer;
    g.setKwargs(step.node, std::move(kwargs));
    return true;
}

}  // namespace aliascope::reduce
