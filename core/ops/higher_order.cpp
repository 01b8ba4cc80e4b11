#include "core/ops/higher_order.h"

#include <algorithm>

namespace aliascope {
namespace {

const Graph* bodyNamed(const Graph& g, const Value& v) {
    if (!v.isNode()) return nullptr;
    const Node& n = g[v.asNode()];
    return n.kind == NodeKind::GetAttr ? g.subGraph(n.target) : nullptr;
}

}  // namespace

std::optional<BodyCall> bodyOf(const Graph& g, const Node& call) {
    BodyCall out;
    std::vector<Value> rest;
    for (const Value& v : call.args) {
        if (const Graph* body = bodyNamed(g, v)) {
            if (!out.body) out.body = body;
        } else if (out.body && v.isSequence()) {
            rest.insert(rest.end(), v.items().begin(), v.items().end());
        } else if (out.body) {
            rest.push_back(v);
        }
    }
    if (!out.body) return std::nullopt;
    // Between the bodies and the operands may stand other values (the identifier of invoke_subgraph): operands come last.
    const std::size_t wanted = out.body->placeholders().size();
    if (rest.size() >= wanted) out.operands.assign(rest.end() - static_cast<std::ptrdiff_t>(wanted), rest.end());
    return out;
}

bool returnsBodyResults(Name op) {
    static const Name table[] = {"hop::cond"_n,
                                 "hop::invoke_subgraph"_n,
                                 "hop::wrap"_n,
                                 "hop::tag_activation_checkpoint"_n,
                                 "hop::wrap_activation_checkpoint"_n,
                                 "hop::strict_mode"_n,
                                 "hop::hints_wrapper"_n,
                                 "hop::wrap_with_set_grad_enabled"_n,
                                 "hop::wrap_with_autocast"_n,
                                 "hop::run_const_graph"_n,
                                 "hop::control_deps"_n};
    return std::find(std::begin(table), std::end(table), op) != std::end(table);
}

}  // namespace aliascope
