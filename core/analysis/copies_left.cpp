#include "core/analysis/copies_left.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/analysis/view_scatter.h"

namespace aliascope {
namespace {

/// Functional forms other than scatters that begin with a copy of what their in-place forms write (reinplace.md 3.3).
bool copiesWhatItWrites(const Node& n) {
    static const std::array<Name, 4> ops = {Name("aten::index_put"), Name("aten::_unsafe_index_put"), Name("_c10d_functional::all_reduce"),
                                            Name("_c10d_functional::all_reduce_coalesced")};
    return std::find(ops.begin(), ops.end(), n.op) != ops.end();
}

}  // namespace

std::int64_t bytesAtHints(const Graph& g, NodeId id) {
    const TensorType* t = g[id].tensor();
    const auto bytes = t ? t->bytes() : std::nullopt;
    return bytes ? bytes->evaluate(g.symbols).value_or(0) : 0;
}

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
            out.clonedBytes += bytesAtHints(g, id);
        } else if (isViewScatter(n.op)) {
            ++out.scatters;
            const NodeId source = n.arg(1).asNode();
            out.scatteredBytes += (coversInput(g, n) ? 0 : bytesAtHints(g, id)) + (source ? bytesAtHints(g, source) : 0);
        } else if (copiesWhatItWrites(n)) {
            ++out.scatters;
            n.arg(0).forEachNode([&](NodeId written) { out.scatteredBytes += bytesAtHints(g, written); });
        } else if (n.is(copy) && n.arg(0).isNode()) {
            if (!alias) alias.emplace(g, ops);
            const NodeId to = n.arg(0).asNode(), from = n.arg(1).asNode();
            if (from && isSelfCopy(*alias, to, from)) continue;
            ++out.copies;
            out.copiedBytes += bytesAtHints(g, to);
        }
    }
    return out;
}

}  // namespace aliascope
