#include "core/passes/insert_replacement.h"

#include <algorithm>

#include "core/passes/new_nodes.h"

namespace aliascope {
using patterns::Refusal;
using patterns::Replacement;

namespace {

/// A node of `g` whose value is this size.
NodeId sizeNode(const Graph& g, const SymInt& size) {
    for (NodeId id : inOrder(g))
        if (const TypePtr& t = g[id].type; t && t->asSym() && *t->asSym() == size) return id;
    return {};
}

class Insertion {
public:
    Insertion(const Replacement& r, Graph& g) : r_(r), g_(g), from_(r.program->graph()) {}

    std::optional<Refusal> run(InsertedNodes& out) {
        for (NodeId id : needed())
            if (!prepare(id)) return Refusal{"UNDECIDED", {{"guard", "a size of " + from_[id].name.str()}}, r_.match.outputs.front(), {}, {}};
        for (NodeId old : r_.match.outputs)
            if (old && (!at_ || g_.before(old, at_))) at_ = old;
        for (NodeId id : needed()) out.made.push_back(copy(id));
        for (std::size_t i = 0; i < r_.match.outputs.size() && i < r_.results.size(); ++i)
            if (r_.match.outputs[i] && r_.results[i].isNode()) out.outputs.emplace_back(r_.match.outputs[i], mapped(r_.results[i].asNode()).asNode());
        return std::nullopt;
    }

private:
    /// Calls on which a result depends, in order.
    std::vector<NodeId> needed() const {
        std::vector<bool> wanted(from_.idBound(), false);
        for (const Value& v : r_.results)
            if (v.isNode()) wanted[v.asNode().value] = true;
        std::vector<NodeId> out;
        const std::vector<NodeId> order = from_.order();
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            if (!wanted[it->value] || !from_[*it].isCall()) continue;
            out.push_back(*it);
            for (NodeId operand : from_.operands(*it)) wanted[operand.value] = true;
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

    /// Looks up the nodes of symbolic sizes.
    bool prepare(NodeId id) {
        bool complete = true;
        const std::function<void(const Value&)> visit = [&](const Value& v) {
            if (v.kind() == Value::Kind::Sym) {
                const NodeId size = sizeNode(g_, v.asSym());
                if (size) sizes_.emplace_back(v.asSym(), size);
                complete &= static_cast<bool>(size);
            }
            for (const Value& item : v.items()) visit(item);
        };
        for (const Value& v : from_[id].args) visit(v);
        for (const auto& [key, v] : from_[id].kwargs) visit(v);
        return complete;
    }

    Value mapped(NodeId id) const {
        if (const auto it = r_.inputs.find(id); it != r_.inputs.end()) return it->second;
        return Value::node(copies_.at(id));
    }

    Value translate(const Value& v) const {
        if (v.isNode()) return mapped(v.asNode());
        if (v.kind() == Value::Kind::Sym) {
            for (const auto& [size, node] : sizes_)
                if (size == v.asSym()) return Value::node(node);
        }
        if (!v.isSequence()) return v;
        std::vector<Value> items;
        for (const Value& item : v.items()) items.push_back(translate(item));
        return Value::container(v.kind(), std::move(items));
    }

    NodeId copy(NodeId id) {
        const Node& n = from_[id];
        std::vector<Value> args;
        std::vector<Keyword> kwargs;
        for (const Value& v : n.args) args.push_back(translate(v));
        for (const auto& [key, v] : n.kwargs) kwargs.emplace_back(key, translate(v));
        Node made = newCall(n.op, std::move(args), std::move(kwargs));
        NodeId last;  // the operand that comes latest
        const auto later = [&](NodeId operand) {
            if (!last || g_.before(last, operand)) last = operand;
        };
        for (const Value& v : made.args) v.forEachNode(later);
        for (const auto& [key, v] : made.kwargs) v.forEachNode(later);
        const bool early = !last || g_.before(last, at_);
        const TypePtr type = n.type;
        const NodeId out = early ? g_.insertBefore(at_, std::move(made)) : g_.insertAfter(behind(last), std::move(made));
        if (!early) lastBehind_[last] = out;
        g_.setType(out, type);
        return copies_[id] = out;
    }

    /// Several new nodes that wait for one operand stand behind it in their order.
    NodeId behind(NodeId operand) const {
        const auto it = lastBehind_.find(operand);
        return it == lastBehind_.end() ? operand : behind(it->second);
    }

    const Replacement& r_;
    Graph& g_;
    const Graph& from_;
    NodeId at_;
    std::vector<std::pair<SymInt, NodeId>> sizes_;
    std::map<NodeId, NodeId> copies_, lastBehind_;
};

}  // namespace

std::optional<Refusal> insertReplacement(const Replacement& r, Graph& g, InsertedNodes& out) { return Insertion(r, g).run(out); }

}  // namespace aliascope
