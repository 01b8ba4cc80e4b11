#include "core/passes/write_forms.h"

#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_index.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

/// `(?<!_)(_$|_[.]|(\b|_)(set|enter|exit|seed)(\b|_))(?!_)` of PyTorch, on one name.
bool looksMutating(std::string_view name) {
    if (name.empty()) return false;
    if (name.ends_with('_') && !name.ends_with("__")) return true;
    for (std::string_view word : {"set", "enter", "exit", "seed"})
        for (auto at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
            const bool starts = at == 0 || name[at - 1] == '_' || name[at - 1] == '.';
            const auto end = at + word.size();
            const bool ends = end == name.size() || name[end] == '_' || name[end] == '.';
            if (starts && ends) return true;
        }
    return false;
}

std::string_view packetName(Name op) {
    std::string_view text = op.view();
    if (const auto colons = text.rfind("::"); colons != std::string_view::npos) text.remove_prefix(colons + 2);
    return text.substr(0, text.find('.'));
}

}  // namespace

bool isMutationOp(const OpRegistry& ops, const Node& node) {
    if (!node.isCall()) return false;
    if (wrapperKind(node) != WrapperKind::None || node.op == "operator::getitem") return false;
    if (const OpDef* def = ops.find(node.op); def && node.kind == NodeKind::CallFunction) return def->schema.isMutable();
    if (looksMutating(packetName(node.op ? node.op : node.target))) return true;
    const Value* out = node.kwarg("out"_n);
    return out && !out->isNone();
}

WrittenOperand firstPlainWrite(const OpRegistry& ops, const Graph& g, NodeId* writer) {
    static const Name copy("aten::copy_");
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!isMutationOp(ops, n)) continue;
        if (n.is(copy) && n.arg(0).isNode() && isInput(g[n.arg(0).asNode()])) continue;
        const auto written = writtenOperands(ops, g, id);
        if (written.empty()) continue;
        *writer = id;
        return written.front();
    }
    return {};
}

std::vector<NodeId> operandsToBeWritten(const OpRegistry& ops, const Graph& g, NodeId id) {
    static const Name copy("aten::copy_"), put("aten::index_put"), unsafePut("aten::_unsafe_index_put");
    const Node& n = g[id];
    if (n.is(copy) || n.is(put) || n.is(unsafePut) || isViewScatter(n.op) || isInPlaceableForeach(n.op)) return tensorsOf(n.arg(0));
    std::vector<NodeId> out;
    const auto call = readWrapper(ops, g, id);
    if (!call) return out;
    const auto add = [&](const Value& v) {
        for (NodeId t : tensorsOf(v))
            if (t) out.push_back(t);
    };
    for (const Value& base : call->bases) add(base);
    for (const WrappedArgument& argument : call->arguments) add(argument.value);
    return out;
}

}  // namespace aliascope
