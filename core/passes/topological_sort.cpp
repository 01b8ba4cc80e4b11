#include "core/passes/topological_sort.h"

#include <algorithm>
#include <vector>

namespace aliascope {

bool stableTopologicalSort(Graph& g) {
    const std::vector<NodeId> before = g.order();
    std::vector<NodeId> pending(before.rbegin(), before.rend()), sorted;
    std::vector<bool> ready(g.idBound());
    std::vector<std::vector<NodeId>> waiting(g.idBound());
    sorted.reserve(before.size());
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        const std::vector<NodeId> operands = g.operands(id);
        const auto missing = std::find_if(operands.rbegin(), operands.rend(), [&](NodeId operand) { return !ready[operand.value]; });
        if (missing != operands.rend()) {
            waiting[missing->value].push_back(id);
            continue;
        }
        ready[id.value] = true;
        sorted.push_back(id);
        auto& waiters = waiting[id.value];
        pending.insert(pending.end(), waiters.rbegin(), waiters.rend());
        waiters.clear();
    }
    if (sorted == before) return false;
    for (NodeId id : before)
        if (!ready[id.value]) sorted.push_back(id);
    for (NodeId id : sorted) g.moveBefore(id, NodeId());
    return true;
}

}  // namespace aliascope
