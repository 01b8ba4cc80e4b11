// The end of the graph: new values of inputs are copied back, and what is returned is regenerated (functionalize.md 3.1 to 3.3).

#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kCopyBack("aten::copy_");
const Name kSetBack("aten::set_.source_Tensor");

}  // namespace

std::unordered_set<NodeId> epilogueCopies(const OpRegistry& ops, const Graph& g) {
    std::unordered_set<NodeId> copies;
    std::unordered_set<NodeId> overwritten;
    std::unordered_set<NodeId> readLater;  // placeholders that something after the copy reads
    for (NodeId id = g.output(); id; id = g[id].prev) {
        const Node& n = g[id];
        const bool isCopy = n.is(kCopyBack) && n.arg(0).isNode() && n.arg(1).isNode();
        if (isCopy) {
            const NodeId input = n.arg(0).asNode();
            const NodeKind kind = g[input].kind;
            if (kind != NodeKind::Placeholder && kind != NodeKind::GetAttr) break;
            if (!overwritten.insert(input).second || readLater.contains(input)) break;
            // Only the output may take the result of the copy.
            bool returned = true;
            for (const Node::User& user : n.users) returned = returned && user.id == g.output();
            if (!returned) break;
            copies.insert(id);
            readLater.insert(n.arg(1).asNode());
            continue;
        }
        if (n.kind != NodeKind::Output && !viewedOperand(ops, g, id)) break;
        for (NodeId operand : g.operands(id)) readLater.insert(operand);
    }
    return copies;
}

Status Functionalizer::epilogue(NodeId output) {
    std::unordered_map<const Storage*, NodeId> copies;
    std::vector<NodeId> bodyResults;
    std::unordered_map<NodeId, std::size_t> position;
    if (writtenInputs_)
        for (NodeId p : g_.placeholders()) position.emplace(p, position.size());
    for (Storage* storage : inputs_) {
        Handle* root = storage->root;
        const NodeId input = storage->input;
        Handle* now = knownHandle(input);
        origin_ = storage->writer ? storage->writer : output;
        if (storage->swapped) {
            const NodeId value = valueOf(now);
            const NodeId set = emit(kSetBack, {Value::node(input), Value::node(value)}, {}, g_[input].type, "set_");
            rewrite("set-back", {ref(g_, value)}, {ref(g_, set)});
            continue;
        }
        const bool moved = now != root && now->geometry && root->geometry && !(now->geometry->sizes == root->geometry->sizes && now->geometry->strides == root->geometry->strides);
        if (moved)
            return failAt(now->source, "WRITE_WITHOUT_WRITE_BACK", {{"node", nameOf(now)}, {"arg", nameOf(input)}, {"why", "the shape of a graph input would change for the caller"}});
        if (root->value == input) continue;
        const auto place = position.find(input);
        if (place != position.end()) {
            writtenInputs_->push_back({place->second, root->value});
            bodyResults.push_back(root->value);
            continue;
        }
        const NodeId copy = emit(kCopyBack, {Value::node(input), Value::node(root->value)}, {}, g_[input].type, "copy_");
        copies.emplace(storage, copy);
        rewrite("copy-back", {ref(g_, origin_)}, {ref(g_, copy)});
        decide(copy, "COPY_BACK", nameOf(input), {{"input", nameOf(input)}, {"value", g_[root->value].name.str()}}, origin_);
    }
    origin_ = output;
    const auto returned = [&](NodeId used) {
        Handle* h = knownHandle(used);
        if (!h) return Value::node(used);
        const auto copy = h->parent ? copies.end() : copies.find(h->storage);
        return Value::node(copy != copies.end() ? copy->second : valueOf(h));
    };
    std::vector<Value> args = g_[output].args;
    for (Value& v : args) v = v.mapNodes(returned);
    if (!bodyResults.empty()) {
        if (args.empty() || !args[0].isSequence())
            return failAt(output, "WRITE_WITHOUT_WRITE_BACK", {{"node", nameOf(output)}, {"arg", nameOf(bodyResults[0])}, {"why", "the body does not return a tuple"}});
        std::vector<Value> items = args[0].items();
        for (NodeId value : bodyResults) items.push_back(Value::node(value));
        args[0] = Value::container(args[0].kind(), std::move(items));
    }
    if (!(args == g_[output].args)) g_.setArgs(output, std::move(args));
    return {};
}

}  // namespace aliascope::functionalization
