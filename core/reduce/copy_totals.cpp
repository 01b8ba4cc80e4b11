#include "core/reduce/copy_totals.h"

#include "core/analysis/alias.h"
#include "core/analysis/copies_left.h"

namespace aliascope {
namespace {

void countClones(const Graph& g, CopyTotals& sum) {
    for (NodeId id : inOrder(g))
        if (g[id].is("aten::clone"_n)) {
            ++sum.clones;
            sum.clonedBytes += bytesAtHints(g, id);
        }
    for (const Graph::SubGraph& body : g.subGraphs()) countClones(*body.graph, sum);
}

}  // namespace

CopyTotals copyTotals(const Graph& g, const OpRegistry& ops) {
    CopyTotals sum;
    countClones(g, sum);
    const AliasInfo alias(g, ops);
    for (NodeId id : inOrder(g)) {
        if (!g[id].is("aten::copy_"_n)) continue;
        const NodeId to = g[id].arg(0).asNode(), from = g[id].arg(1).asNode();
        const StorageId storage = to ? alias.storageOf(to) : StorageId();
        if (!storage || alias.storage(storage).role != StorageRole::Input) continue;
        if (from && isSelfCopy(alias, to, from)) continue;
        ++sum.copiesBack;
        sum.copiedBackBytes += bytesAtHints(g, to);
    }
    return sum;
}

}  // namespace aliascope
