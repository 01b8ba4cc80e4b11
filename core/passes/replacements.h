#pragma once
// Nodes that will be replaced by others, collected while a pass walks and applied at its end. Chains (`b` by `a`, `c` by `b`) end at their last node.

#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope {

class Replacements {
public:
    /// The first replacement of a node counts.
    void add(NodeId node, NodeId by);
    bool contains(NodeId node) const { return by_.contains(node); }
    const std::vector<NodeId>& nodes() const { return order_; }
    /// Redirects all uses and erases the nodes. Linear in nodes and uses.
    void apply(Graph& g);

private:
    std::unordered_map<NodeId, NodeId> by_;
    std::vector<NodeId> order_;
};

}  // namespace aliascope
