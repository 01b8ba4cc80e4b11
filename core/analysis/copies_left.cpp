#include "core/analysis/copies_left.h"

#include <optional>

#include "core/analysis/view_scatter.h"

namespace aliascope {
namespace {

std::int64_t bytesOf(const Graph& g, NodeId id) {
    const TensorType* t = g[id].tensor();
    const auto bytes = t ? t->bytes() : std::nullopt;
    return bytes ? bytes->evaluate(g.symbols).value_or(0) : 0;
}

}  // namespace

bool isSelfCopy(const AliasInfo& alias, NodeId to, NodeId from) {
    if (to == from) return true;
    const TensorType *a = alias.geometry(to), *b = alias.geometry(from);
    return alias.sameStorage(to, from) && a && b && a->strides && *a == *b;
}

CopiesLeft copiesLeft(const Graph& g, const OpRegistry& ops) {
    static const Name clone("aten::clone"), functionalCopy("aten::copy"), copy("aten::copy_");
    CopiesLeft out;
    std::optional<AliasInfo> alias;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.is(clone) || n.is(functionalCopy)) {
            ++out.clones;
            out.clonedBytes += bytesOf(g, id);
        } else if (isViewScatter(n.op)) {
            ++out.scatters;
            const NodeId source = n.arg(1).asNode();
            out.scatteredBytes += (coversInput(g, n) ? 0 : bytesOf(g, id)) + (source ? bytesOf(g, source) : 0);
        } else if (n.is(copy) && n.arg(0).isNode()) {
            if (!alias) alias.emplace(g, ops);
            const NodeId to = n.arg(0).asNode(), from = n.arg(1).asNode();
            if (from && isSelfCopy(*alias, to, from)) continue;
            ++out.copies;
            out.copiedBytes += bytesOf(g, to);
        }
    }
    return out;
}

}  // namespace aliascope
