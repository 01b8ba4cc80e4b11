#include "core/passes/copy_guard.h"

#include <functional>
#include <numeric>

#include "core/analysis/footprint.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_scatter.h"
#include "core/passes/write_forms.h"

namespace aliascope {
namespace {

/// `operand` is only what the `copy_` writes.
bool isWriteBackOnly(const Node& n, NodeId operand) { return n.is("aten::copy_"_n) && operand == n.arg(0).asNode() && !n.arg(1).usesNode(operand); }

/// What a view, or a part of a list of views, may be cut out of; invalid = it is neither.
NodeId cutOutOf(const OpRegistry& ops, const Node& n) { return n.op == "operator::getitem"_n || isSchemaView(ops, n) ? n.arg(0).asNode() : NodeId(); }

bool isIndexPut(const Node& n) { return n.is("aten::index_put"_n) || n.is("aten::_unsafe_index_put"_n); }

/// Its operator needs the value in memory, so that it is sure to be written where it stands if it may.
bool isMadeInMemory(const Graph& g, NodeId id) {
    const Node& n = g[id];
    return isIndexPut(n) || (n.op == "operator::getitem" && n.arg(0).isNode() && wrapperKind(g[n.arg(0).asNode()]) != WrapperKind::None);
}

/// What the value is the new value of, when its operator may write that in place, or what it is a copy of; invalid = nothing.
NodeId replacedBy(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (n.is("aten::copy"_n)) return n.arg(1).asNode();
    if (n.is("aten::clone"_n) || isIndexPut(n)) return n.arg(0).asNode();
    if (isViewScatter(n.op)) return coversInput(g, n) ? NodeId() : n.arg(0).asNode();
    if (n.op != "operator::getitem" || !n.arg(0).isNode()) return {};
    const auto call = readWrapper(ops, g, n.arg(0).asNode());
    if (!call) return {};
    const Value& key = n.arg(1);
    if (call->kind == WrapperKind::Launch) {
        for (const WrappedArgument& argument : call->arguments)
            if (key.name() == argument.param) return argument.value.asNode();
        return {};
    }
    const auto index = key.asInt();
    if (!index || *index < static_cast<std::int64_t>(call->results)) return {};
    const std::size_t j = static_cast<std::size_t>(*index) - call->results;
    if (call->kind == WrapperKind::V2) return j < call->bases.size() ? call->bases[j].asNode() : NodeId();
    return j < call->arguments.size() ? call->arguments[j].value.asNode() : NodeId();
}

/// Users of a value and of its views; `visit` says whether to go on. False when there are too many.
bool eachReader(const OpRegistry& ops, const Graph& g, NodeId value, const std::function<bool(NodeId at, NodeId user)>& visit) {
    constexpr std::size_t kMostLookedAt = 4096;
    std::vector<NodeId> work{value};
    std::unordered_set<NodeId> seen{value};
    std::size_t looked = 0;
    while (!work.empty()) {
        const NodeId at = work.back();
        work.pop_back();
        for (const Node::User& user : g[at].users) {
            if (++looked > kMostLookedAt) return false;
            if (!visit(at, user.id)) return true;
            if (cutOutOf(ops, g[user.id]) == at && seen.insert(user.id).second) work.push_back(user.id);
        }
    }
    return true;
}

}  // namespace

CopyGuard::CopyGuard(const Graph& g, const OpRegistry& ops, const AliasInfo& alias)
    : g_(g), alias_(alias), parent_(alias.storageCount()), facts_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (const StorageId own = alias.storageOf(id); own && (n.kind == NodeKind::Placeholder || n.kind == NodeKind::GetAttr))
            facts_[own.value].input = true;
        const bool writeBack = n.is("aten::copy_"_n);
        for (NodeId operand : g.operands(id))
            if (const StorageId s = alias.storageOf(operand); s && !isWriteBackOnly(n, operand) && !facts_[s.value].writeBack)
                facts_[s.value].lastRead = id;
        for (NodeId operand : operandsToBeWritten(ops, g, id)) {
            const StorageId s = operand ? alias.storageOf(operand) : StorageId();
            if (!s) continue;
            Facts& f = facts_[s.value];
            if (!f.wrapper && n.op.view().starts_with("hop::")) f.wrapper = id;
            if (!f.writeBack && writeBack) f.writeBack = id;
        }
    }
}

NodeId CopyGuard::conflict(NodeId copy, NodeId source) {
    if (!alias_.storageOf(copy) || !alias_.storageOf(source)) return {};
    const Facts &c = factsOf(copy), &s = factsOf(source);
    if (c.wrapper && ((s.input && !s.writeBack) || notBefore(s.lastRead, c.wrapper))) return c.wrapper;
    return notBefore(c.lastRead, s.wrapper) ? s.wrapper : exposes(copy, source);
}

NodeId CopyGuard::exposes(NodeId copy, NodeId source) {
    if (!alias_.storageOf(copy) || !alias_.storageOf(source)) return {};
    const Facts &c = factsOf(copy), &s = factsOf(source);
    return notBefore(c.lastRead, s.writeBack) && !becomesSelfCopy(s.writeBack, c.lastRead, copy, source) ? s.writeBack : NodeId();
}

bool CopyGuard::sameMemory(NodeId a, NodeId b) const {
    const TensorType *x = alias_.geometry(a), *y = alias_.geometry(b);
    return a == b || (alias_.sameStorage(a, b) && x && y && x->strides && *x == *y);
}

void CopyGuard::markReturned(NodeId id) {
    if (alias_.storageOf(id)) factsOf(id).returned.push_back(id);
}

bool CopyGuard::isReturned(NodeId id) { return alias_.storageOf(id) && !factsOf(id).returned.empty(); }

bool CopyGuard::seenOutside(NodeId id) { return alias_.storageOf(id) && (factsOf(id).input || !factsOf(id).returned.empty()); }

bool CopyGuard::returnsShared(NodeId copy, NodeId source) {
    constexpr std::size_t kMostPairs = 256;
    if (!isReturned(copy) || !seenOutside(source)) return false;
    const Facts &c = factsOf(copy), &s = factsOf(source);
    if (s.input || c.shifted || s.shifted || !samePlace(copy, source) || c.returned.size() * s.returned.size() > kMostPairs) return true;
    return std::any_of(c.returned.begin(), c.returned.end(), [&](NodeId mine) {
        const TensorType* x = alias_.geometry(mine);
        return std::any_of(s.returned.begin(), s.returned.end(), [&](NodeId its) {
            const TensorType* y = alias_.geometry(its);
            return !x || !y || exactOverlap(*x, *y, g_.symbols) != Overlap::Disjoint;
        });
    });
}

/// In two storages: as far from their starts, with the same strides.
bool CopyGuard::samePlace(NodeId a, NodeId b) const {
    const TensorType *x = alias_.geometry(a), *y = alias_.geometry(b);
    return x && y && x->strides && x->offset && *x == *y;
}

void CopyGuard::merge(NodeId copy, NodeId source) {
    if (!alias_.storageOf(copy) || !alias_.storageOf(source)) return;
    const std::uint32_t a = find(alias_.storageOf(copy).value), b = find(alias_.storageOf(source).value);
    if (a == b) return;
    parent_[a] = b;
    Facts &from = facts_[a], &to = facts_[b];
    to.input = to.input || from.input;
    to.shifted = to.shifted || from.shifted || !samePlace(copy, source);
    to.returned.insert(to.returned.end(), from.returned.begin(), from.returned.end());
    from.returned.clear();
    const auto later = [&](NodeId& x, NodeId y) {
        if (y && (!x || g_.before(x, y))) x = y;
    };
    const auto earlier = [&](NodeId& x, NodeId y) {
        if (y && (!x || g_.before(y, x))) x = y;
    };
    later(to.lastRead, from.lastRead);
    earlier(to.wrapper, from.wrapper);
    earlier(to.writeBack, from.writeBack);
}

/// The only read in the way is a `copy_` that moves nothing once both are one: each element comes from the place where it goes.
bool CopyGuard::becomesSelfCopy(NodeId write, NodeId read, NodeId copy, NodeId source) const {
    const Node& n = g_[write];
    if (write != read || !n.is("aten::copy_"_n)) return false;
    const NodeId to = n.arg(0).asNode(), from = n.arg(1).asNode();
    if (to == source && from == copy) return true;
    const TensorType *a = alias_.geometry(to), *b = alias_.geometry(from), *c = alias_.geometry(copy), *s = alias_.geometry(source);
    return a && b && c && s && a->strides && c->strides && *a == *b && *c == *s && alias_.sameStorage(from, copy);
}

std::uint32_t CopyGuard::find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
}

std::unordered_map<StorageId, NodeId> storagesWrittenBack(const OpRegistry& ops, const Graph& g, const AliasInfo& alias) {
    constexpr std::size_t kLongestChain = 4096;
    std::unordered_map<StorageId, NodeId> out;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.is("aten::copy_"_n) || !n.arg(0).isNode() || !n.arg(1).isNode() || g[n.arg(0).asNode()].kind != NodeKind::Placeholder) continue;
        const StorageId end = alias.storageOf(n.arg(0).asNode());
        std::vector<StorageId> chain;
        for (NodeId at = n.arg(1).asNode(); at && chain.size() < kLongestChain; at = replacedBy(ops, g, alias.storage(chain.back()).base)) {
            const StorageId storage = alias.storageOf(at);
            if (storage == end)
                for (StorageId link : chain)
                    if (isMadeInMemory(g, alias.storage(link).base)) out.emplace(link, n.arg(0).asNode());
            if (!storage || storage == end) break;
            chain.push_back(storage);
        }
    }
    return out;
}

void mergeWrittenBack(std::unordered_map<StorageId, NodeId>& back, const AliasInfo& alias, NodeId copy, NodeId source) {
    if (const auto it = back.find(alias.storageOf(source)); it != back.end()) back.emplace(alias.storageOf(copy), it->second);
}

NodeId writtenBeforeReaders(const OpRegistry& ops, const Graph& g, NodeId value, NodeId source) {
    const NodeId input = viewedRoot(ops, g, source);
    if (g[input].kind == NodeKind::CallFunction) return {};
    NodeId write;
    for (const Node::User& user : g[input].users) {
        const Node& n = g[user.id];
        if (n.is("aten::copy_"_n) && n.arg(0).asNode() == input && (!write || g.before(user.id, write))) write = user.id;
    }
    if (!write) return {};
    bool behind = false;
    const bool all = eachReader(ops, g, value, [&](NodeId at, NodeId user) {
        const bool ontoItself = user == write && at == value && source == input;
        behind = !g.before(user, write) && !ontoItself;
        return !behind;
    });
    return behind || !all ? write : NodeId();
}

NodeId viewedRoot(const OpRegistry& ops, const Graph& g, NodeId value) {
    while (const NodeId operand = cutOutOf(ops, g[value])) value = operand;
    return value;
}

bool returnedThroughViews(const OpRegistry& ops, const Graph& g, NodeId value) {
    bool returned = false;
    const bool all = eachReader(ops, g, value, [&](NodeId, NodeId user) {
        returned = user == g.output();
        return !returned;
    });
    return returned || !all;
}

Diagnostic readsOverwritten(const Graph& g, NodeId value, NodeId source, NodeId write) {
    Diagnostic d =
        warning("OUTPUT_ALIAS",
                {{"output", g[value].name.str()}, {"what", "memory that " + g[write].name.str() + " overwrites"}, {"other", g[source].name.str()}});
    d.node = g[value].name;
    return d;
}

}  // namespace aliascope
