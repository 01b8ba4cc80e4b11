#include "core/passes/reinplace_order.h"

#include <algorithm>

namespace aliascope {
namespace {

/// Nodes that one reader may take along; beyond that the question is given up, so that the search stays linear in the graph.
constexpr std::size_t kMostMoved = 64;

}  // namespace

ReaderOrder::ReaderOrder(const Graph& g, const PassContext& ctx, std::unordered_set<NodeId> fixed) : g_(g), ctx_(ctx), fixed_(std::move(fixed)) {
    for (NodeId id : inOrder(g))
        if (g[id].isCall() && g[id].op == "aten::copy_") {
            firstWrite_ = id;
            return;
        }
}

bool ReaderOrder::movable(NodeId id) const {
    if (g_[id].kind != NodeKind::CallFunction || fixed_.contains(id) || (firstWrite_ && !g_.before(id, firstWrite_))) return false;
    return g_[id].op == "operator::getitem" || isPure(ctx_.ops(), g_, id);
}

ReaderOrder::Way ReaderOrder::plan(NodeId writer, NodeId reader, std::unordered_set<NodeId>& moved) const {
    std::vector<NodeId> open{reader};
    std::unordered_set<NodeId> seen{reader};
    bool fixed = false;
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        fixed = fixed || !movable(id);
        for (NodeId operand : g_.operands(id)) {
            if (operand == writer) return Way::Cycle;
            if (g_.before(operand, writer) || !seen.insert(operand).second) continue;
            if (seen.size() > kMostMoved) return Way::Fixed;
            open.push_back(operand);
        }
    }
    if (fixed) return Way::Fixed;
    moved.insert(seen.begin(), seen.end());
    return Way::Free;
}

std::optional<std::int64_t> ReaderOrder::heldBytes(const std::unordered_set<NodeId>& moved) const {
    std::int64_t sum = 0;
    const auto add = [&](NodeId id) {
        const TensorType* t = g_[id].tensor();
        const auto bytes = t ? t->bytes() : std::nullopt;
        const auto value = bytes ? bytes->evaluate(g_.symbols) : std::nullopt;
        return value && !__builtin_add_overflow(sum, *value, &sum);
    };
    for (NodeId id : moved) {
        const auto& users = g_[id].users;
        if (std::all_of(users.begin(), users.end(), [&](const Node::User& u) { return moved.contains(u.id); })) continue;
        if (viewedOperand(ctx_.ops(), g_, id)) continue;
        // Of several results those are held that somebody takes.
        const bool several = std::all_of(users.begin(), users.end(), [&](const Node::User& u) { return g_[u.id].op == "operator::getitem"; });
        if (!several) {
            const bool number = g_[id].type && !g_[id].tensor();
            if (!number && !add(id)) return std::nullopt;
            continue;
        }
        for (const Node::User& user : users)
            if (!moved.contains(user.id) && !add(user.id)) return std::nullopt;
    }
    return sum;
}

bool ReaderOrder::restoresSource(NodeId writer, const std::unordered_set<NodeId>& moved) const {
    if (!ctx_.originOf) return false;
    const NodeRef at = ctx_.originOf(writer);
    return at.id && std::all_of(moved.begin(), moved.end(), [&](NodeId id) {
               const NodeRef from = ctx_.originOf(id);
               return from.id && from.id < at.id;
           });
}

std::vector<NodeId> ReaderOrder::sorted(const std::unordered_set<NodeId>& moved) const {
    std::vector<NodeId> out(moved.begin(), moved.end());
    std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) { return g_.before(a, b); });
    return out;
}

}  // namespace aliascope
