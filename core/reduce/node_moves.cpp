#include <algorithm>
#include <unordered_set>

#include "core/reduce/reduce_moves.h"

namespace aliascope::reduce {
namespace {

/// An operand that can stand for the node: of its type, the earliest argument first.
NodeId standIn(const Graph& g, NodeId id) {
    const Node& n = g[id];
    for (NodeId operand : g.operands(id)) {
        if (const TensorType* a = n.tensor(), *b = g[operand].tensor(); a && b && a->dtype == b->dtype && a->sizes == b->sizes) return operand;
        if (n.type && n.type->asSym() && g[operand].type && g[operand].type->asSym()) return operand;
    }
    return {};
}

/// A new input of the node's type; invalid when a caller could not give it.
NodeId inputLike(Graph& g, NodeId id) {
    const Node& n = g[id];
    if (!n.type || (!n.type->asTensor() && !n.type->asSym())) return {};
    Node input;
    input.kind = NodeKind::Placeholder;
    input.name = input.target = g.uniqueName(n.name.view());
    if (const TensorType* t = n.tensor()) {
        TensorType own = *t;
        own.offset.reset();
        input.type = Type::tensor(std::move(own));
    } else {
        input.type = n.type;
    }
    input.trust = Trust::Stated;
    const auto inputs = g.placeholders();
    return inputs.empty() ? g.insertBefore(g.first(), std::move(input)) : g.insertAfter(inputs.back(), std::move(input));
}

}  // namespace

std::vector<NodeId> calls(const Graph& g) {
    std::vector<NodeId> out;
    for (NodeId id : inOrder(g))
        if (g[id].isCall()) out.push_back(id);
    return out;
}

bool takeOut(Graph& g, const std::vector<NodeId>& ids, TakeOut how) {
    bool changed = false;
    for (auto it = ids.rbegin(); it != ids.rend(); ++it) {
        if (g.hasUsers(*it)) {
            NodeId instead = standIn(g, *it);
            if (how == TakeOut::Cut) instead = inputLike(g, *it);
            if (!instead) continue;
            g.replaceAllUses(*it, instead);
        }
        g.erase(*it);
        changed = true;
    }
    return changed;
}

std::size_t resultCount(const Graph& g) {
    if (!g.output()) return 0;
    const Value& tree = g[g.output()].arg(0);
    return tree.isSequence() ? tree.items().size() : 0;
}

bool dropResults(Graph& g, std::size_t begin, std::size_t end) {
    const Value& tree = g[g.output()].arg(0);
    std::vector<Value> items = tree.items();
    if (begin >= end || end > items.size()) return false;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end));
    g.setArgs(g.output(), {Value::container(tree.kind(), std::move(items))});
    return true;
}

std::vector<NodeId> idleInputs(const Graph& g, bool main) {
    std::vector<NodeId> out;
    for (NodeId id : inOrder(g)) {
        const NodeKind kind = g[id].kind;
        if (!g.hasUsers(id) && (kind == NodeKind::GetAttr || (main && kind == NodeKind::Placeholder))) out.push_back(id);
    }
    return out;
}

bool erase(Graph& g, const std::vector<NodeId>& idle) {
    for (NodeId id : idle) g.erase(id);
    return !idle.empty();
}

bool dropIdleBodies(Graph& g) {
    std::unordered_set<Name> named;
    for (NodeId id : inOrder(g))
        if (g[id].kind == NodeKind::GetAttr) named.insert(g[id].target);
    return std::erase_if(g.subGraphs(), [&](const Graph::SubGraph& body) { return !named.contains(body.attribute); }) > 0;
}

}  // namespace aliascope::reduce
