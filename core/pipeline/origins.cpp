#include "core/pipeline/origins.h"

namespace aliascope {

Origins::Origins(const Graph& opened) : opened_(opened.idBound()) {
    for (NodeId id : inOrder(opened)) opened_[id.value] = opened[id].name;
}

void Origins::learn(const std::vector<Rewrite>& rewrites, std::size_t from) {
    for (std::size_t i = from; i < rewrites.size(); ++i) {
        const Rewrite& rewrite = rewrites[i];
        if (rewrite.state != Rewrite::State::Applied) continue;
        NodeRef source;
        for (const NodeRef& node : rewrite.before)
            if (source = of(node.id); source.id) break;
        if (!source.id) continue;
        for (const NodeRef& node : rewrite.after)
            if (node.id && !of(node.id).id) made_.emplace(node.id, source);
    }
}

NodeRef Origins::of(NodeId id) const {
    if (id.value < opened_.size() && !opened_[id.value].empty()) return {id, opened_[id.value]};
    const auto found = made_.find(id);
    return found == made_.end() ? NodeRef() : found->second;
}

}  // namespace aliascope
