#include "core/passes/reinplace_index.h"

#include <algorithm>

#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

bool readsOnlySizes(const Node& n) {
    static const Name size("aten::sym_size.int"), stride("aten::sym_stride.int"), numel("aten::sym_numel"), offset("aten::sym_storage_offset");
    return n.is(size) || n.is(stride) || n.is(numel) || n.is(offset);
}

/// Nodes that never look at an element: size queries, and views whose users are all such nodes (E3 of reinplace.md 4.4).
std::vector<bool> metaOnlyNodes(const Graph& g, const OpRegistry& ops) {
    std::vector<bool> metaOnly(g.idBound(), false);
    for (NodeId id = g.last(); id; id = g[id].prev) {
        const Node& n = g[id];
        bool only = readsOnlySizes(n);
        if (!only && isSchemaView(ops, n)) {
            only = true;
            for (const Node::User& user : n.users) only = only && metaOnly[user.id.value];
        }
        metaOnly[id.value] = only;
    }
    return metaOnly;
}

/// Whether result `key` of `producer` is the new value of `input`.
bool isOwnResult(const OpRegistry& ops, const Graph& g, NodeId producer, const Value& key, NodeId input) {
    const auto index = key.asInt();
    if (!index || *index < 0) return false;
    if (isInPlaceableForeach(g[producer].op)) {
        const auto tensors = tensorsOf(g[producer].arg(0));
        return static_cast<std::size_t>(*index) < tensors.size() && tensors[static_cast<std::size_t>(*index)] == input;
    }
    const auto call = readWrapper(ops, g, producer);
    if (!call || static_cast<std::size_t>(*index) < call->results) return false;
    const std::size_t j = static_cast<std::size_t>(*index) - call->results;
    return j < call->arguments.size() && call->arguments[j].value.asNode() == input;
}

}  // namespace

bool isInPlaceableForeach(Name op) {
    static const std::vector<Name> ops = {"aten::_foreach_add.List"_n,   "aten::_foreach_add.Scalar"_n, "aten::_foreach_mul.List"_n,
                                          "aten::_foreach_mul.Scalar"_n, "aten::_foreach_div.List"_n,   "aten::_foreach_div.Scalar"_n,
                                          "aten::_foreach_copy"_n};
    for (Name n : ops)
        if (n == op) return true;
    return false;
}

ReinplaceIndex::ReinplaceIndex(const Graph& g, const OpRegistry& ops, AnalysisMode mode, const ScatterForms& forms) : alias_(g, ops) {
    uses_.resize(alias_.storageCount());
    inputs_.resize(alias_.storageCount());
    const std::vector<bool> metaOnly = metaOnlyNodes(g, ops);
    static const Name copy("aten::copy_");
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        const StorageId own = alias_.storageOf(id);
        if (own && isInput(n)) inputs_[own.value].push_back(id);
        if (n.is(copy) && n.arg(0).isNode() && isInput(g[n.arg(0).asNode()])) indexWriteBack(g, ops, mode, id);
        if (metaOnly[id.value]) continue;
        const NodeId overwritten = mode == AnalysisMode::Extent && forms.coversInput(g, id) ? n.arg(0).asNode() : NodeId();
        for (NodeId operand : g.operands(id)) {
            const StorageId storage = alias_.storageOf(operand);
            if (!storage || (operand == overwritten && n.arg(1).asNode() != operand)) continue;
            // Whether an undecided reshape shares memory is unknown: it counts as a view and as a reader.
            const bool view =
                isSchemaView(ops, n) && !alias_.undecided(id) && (own == storage || (!own && ops.find(n.op)->schema.isMultiOutputView()));
            uses_[storage.value].push_back({id, operand, view});
        }
    }
}

std::size_t ReinplaceIndex::usersMoved(const Graph& g, const std::vector<NodeId>& moved) {
    std::vector<StorageId> touched;
    for (NodeId id : moved)
        for (NodeId operand : g.operands(id))
            if (const StorageId storage = alias_.storageOf(operand)) touched.push_back(storage);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::size_t looked = 0;
    for (StorageId storage : touched) {
        auto& uses = uses_[storage.value];
        looked += uses.size();
        std::stable_sort(uses.begin(), uses.end(), [&](const StorageUse& a, const StorageUse& b) { return g.before(a.user, b.user); });
    }
    return looked;
}

void ReinplaceIndex::dropUse(NodeId user, NodeId value) {
    std::erase_if(uses_[alias_.storageOf(value).value], [&](const StorageUse& u) { return u.user == user && u.value == value; });
}

void ReinplaceIndex::indexWriteBack(const Graph& g, const OpRegistry& ops, AnalysisMode mode, NodeId copy) {
    const NodeId input = g[copy].arg(0).asNode(), source = g[copy].arg(1).asNode();
    firstCopy_.emplace(input, copy);
    if (!source) return;
    NodeId producer = source;
    const Node& s = g[source];
    if (s.op == "operator::getitem" && s.arg(0).isNode()) {
        const NodeId from = s.arg(0).asNode();
        const WrapperKind kind = wrapperKind(g[from]);
        if (kind == WrapperKind::Launch) {
            const Value* kwargs = g[from].kwarg("kwargs"_n);
            const Value* value = kwargs ? kwargs->find(s.arg(1).name()) : nullptr;
            if (value && value->asNode() == input) producer = from;
        } else if (kind == WrapperKind::V1 || isInPlaceableForeach(g[from].op)) {
            const bool own = isOwnResult(ops, g, from, s.arg(1), input);
            if (!own) foreign_.push_back({copy, input, from, source});
            if (own || mode == AnalysisMode::Reference) producer = from;
        }
    }
    writeBack_.emplace(std::pair(input, producer), copy);
}

NodeId ReinplaceIndex::firstCopy(NodeId input) const {
    const auto it = firstCopy_.find(input);
    return it == firstCopy_.end() ? NodeId() : it->second;
}

NodeId ReinplaceIndex::writeBack(NodeId input, NodeId producer) const {
    const auto it = writeBack_.find({input, producer});
    return it == writeBack_.end() ? NodeId() : it->second;
}

}  // namespace aliascope
