#include "core/passes/replacements.h"

namespace aliascope {

void Replacements::add(NodeId node, NodeId by) {
    if (node != by && by_.emplace(node, by).second) order_.push_back(node);
}

void Replacements::apply(Graph& g) {
    std::vector<std::pair<NodeId, NodeId>> last;
    std::vector<NodeId> path;
    for (NodeId node : order_) {
        NodeId at = node;
        for (auto it = by_.find(at); it != by_.end(); it = by_.find(at)) {
            path.push_back(at);
            at = it->second;
            if (path.size() > order_.size()) break;  // a ring: only text that uses values before they exist can make one
        }
        // What was passed on the way ends there too, so no link is followed twice.
        for (NodeId passed : path) by_[passed] = at;
        path.clear();
        last.emplace_back(node, at);
    }
    g.replaceUses(last);
    for (NodeId node : order_)
        if (!g.hasUsers(node)) g.erase(node);
    by_.clear();
    order_.clear();
}

}  // namespace aliascope
