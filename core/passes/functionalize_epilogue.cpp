// The end of the graph: new values of inputs are copied back, and what is returned is regenerated (functionalize.md 3.1 to 3.3).

#include "core/passes/functional_wrappers.h"
#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kCopyBack("aten::copy_");
const Name kSetBack("aten::set_.source_Tensor");

}  // namespace

std::unordered_set<NodeId> epilogueCopies(const OpRegistry& ops, const Graph& g) {
    const auto copiedInput = [&](NodeId id) {
        const Node& n = g[id];
        if (!n.is(kCopyBack) || !n.arg(0).isNode() || !n.arg(1).isNode()) return NodeId();
        const NodeId input = n.arg(0).asNode();
        return g[input].kind == NodeKind::Placeholder || g[input].kind == NodeKind::GetAttr ? input : NodeId();
    };
    bool any = false;
    for (NodeId id = g.output(); id && !any; id = g[id].prev) {
        any = copiedInput(id).valid();
        if (!any && needsFunctionalizing(ops, g, id)) break;
    }
    std::unordered_set<NodeId> copies;
    if (!any) return copies;
    const AliasInfo alias(g, ops);
    std::unordered_set<std::uint32_t> readLater;  // storages that something after the copy reads
    for (NodeId id = g.output(); id; id = g[id].prev) {
        const NodeId input = copiedInput(id);
        if (!input) {
            if (needsFunctionalizing(ops, g, id)) break;
            for (NodeId operand : g.operands(id))
                if (const StorageId s = alias.storageOf(operand); s && !(id == g.output() && copiedInput(operand))) readLater.insert(s.value);
            continue;
        }
        const StorageId written = alias.storageOf(input);
        bool returnedOnly = true;
        for (const Node::User& user : g[id].users) returnedOnly = returnedOnly && user.id == g.output();
        // What is read later must be the functional value, not the input; so must what a later copy takes, and each input is written once.
        if (!written || !returnedOnly || readLater.contains(written.value)) break;
        copies.insert(id);
        readLater.insert(written.value);
        if (const StorageId source = alias.storageOf(g[id].arg(1).asNode())) readLater.insert(source.value);
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
        const bool moved = now != root && now->geometry && root->geometry &&
                           !(now->geometry->sizes == root->geometry->sizes && now->geometry->strides == root->geometry->strides);
        if (moved)
            return failAt(now->source, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(now)}, {"arg", nameOf(input)}, {"why", "the shape of a graph input would change for the caller"}});
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
    if (form_ == Form::Auto && !writtenInputs_ && !args.empty()) {
        std::vector<Value> shown;
        args[0].forEachNode([&](NodeId used) {
            const Handle* h = knownHandle(used);
            const NodeId input = h ? h->storage->input : g_[used].kind == NodeKind::CallFunction ? NodeId() : used;
            shown.push_back(Value::string(input ? g_[input].name : Name()));
        });
        if (!copies.empty()) g_.setMeta(output, kShownInputs, Value::list(std::move(shown)));
    }
    for (Value& v : args) v = v.mapNodes(returned);
    if (!bodyResults.empty()) {
        if (args.empty() || !args[0].isSequence())
            return failAt(output, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(output)}, {"arg", nameOf(bodyResults[0])}, {"why", "the body does not return a tuple"}});
        std::vector<Value> items = args[0].items();
        for (NodeId value : bodyResults) items.push_back(Value::node(value));
        args[0] = Value::container(args[0].kind(), std::move(items));
    }
    if (!(args == g_[output].args)) g_.setArgs(output, std::move(args));
    return {};
}

NodeId Functionalizer::inMemory(Handle* h) {
    std::vector<Handle*> missing;
    for (Handle* p = h; p->parent && !inMemory_.contains(p); p = p->parent) missing.push_back(p);
    for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
        Handle* parent = (*p)->parent;
        const NodeId base = parent->parent ? inMemory_.at(parent) : parent->storage->first;
        inMemory_[*p] = replay(*p, base);
    }
    return h->parent ? inMemory_.at(h) : h->storage->first;
}

Status Functionalizer::stopBefore(NodeId id) {
    std::vector<NodeId> rest;
    for (NodeId at = id; at; at = g_[at].next) rest.push_back(at);
    for (Storage& storage : storages_) {
        if (storage.swapped || storage.frozen)
            return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(id)}, {"arg", nameOf(storage.first)}, {"why", "its storage was replaced before"}});
        if (storage.generation == 0) continue;
        const NodeId value = valueOf(storage.root);
        if (value == storage.first) continue;
        const NodeId copy = emit(kCopyBack, {Value::node(storage.first), Value::node(value)}, {}, g_[storage.first].type, "copy_");
        rewrite("copy-back", {ref(g_, storage.first)}, {ref(g_, copy)});
    }
    const auto memory = [&](NodeId used) {
        Handle* h = knownHandle(used);
        return Value::node(h && h->storage->generation > 0 ? inMemory(h) : used);
    };
    for (const NodeId node : rest) {
        std::vector<Value> args = g_[node].args;
        for (Value& v : args) v = v.mapNodes(memory);
        if (!(args == g_[node].args)) g_.setArgs(node, std::move(args));
        auto kwargs = g_[node].kwargs;
        for (Keyword& k : kwargs) k.second = k.second.mapNodes(memory);
        if (!(kwargs == g_[node].kwargs)) g_.setKwargs(node, std::move(kwargs));
    }
    return {};
}

}  // namespace aliascope::functionalization
