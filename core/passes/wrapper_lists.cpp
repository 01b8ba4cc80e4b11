#include "core/passes/wrapper_lists.h"

#include <algorithm>
#include <unordered_map>

#include "core/passes/functional_wrappers.h"

namespace aliascope {
namespace {

const Name kGetItem("operator::getitem"), kV2("hop::auto_functionalized_v2");

class ListCall {
public:
    ListCall(Graph& g, NodeId id, const WrapperCall& call) : g_(g), id_(id), call_(call) {}

    /// Gives each written tensor its base. False when the call cannot be said in v2 form.
    bool readBases() {
        for (const WrappedArgument& argument : call_.arguments)
            for (NodeId tensor : tensorsOf(argument.value)) {
                if (!tensor) continue;
                if (!baseOf_.emplace(tensor, bases_.size()).second) return false;
                bases_.push_back(Value::node(tensor));
            }
        return std::all_of(g_[id_].users.begin(), g_[id_].users.end(), [&](const Node::User& user) { return isElementwise(user.id); });
    }

    void convert(PassContext& ctx) {
        std::vector<NodeId> items;
        for (const Node::User& user : g_[id_].users) items.push_back(user.id);
        for (NodeId item : items) redirect(item);
        const Value inner = g_[id_].arg(0);
        g_.setKwargs(id_, encoded());
        g_.setCall(id_, spellOp(kV2), kV2);
        g_.setArgs(id_, {inner});
        ctx.rewrite({"list-by-element", {ref(g_, id_)}, {ref(g_, id_)}});
    }

private:
    /// Which written argument a getitem of the call takes; nothing when it takes a result of the operator's own.
    std::optional<std::size_t> argumentOf(NodeId item) const {
        const auto index = g_[item].arg(1).asInt();
        if (!index || *index < static_cast<std::int64_t>(call_.results)) return std::nullopt;
        return static_cast<std::size_t>(*index) - call_.results;
    }

    bool isElementwise(NodeId user) const {
        if (g_[user].op != kGetItem || g_[user].arg(1).asInt().value_or(-1) < 0) return false;  // counted from the end: means something else then
        const auto j = argumentOf(user);
        if (!j) return true;
        if (*j >= call_.arguments.size()) return false;
        const Value& value = call_.arguments[*j].value;
        if (!value.isSequence()) return value.isNode();
        return std::all_of(g_[user].users.begin(), g_[user].users.end(), [&](const Node::User& element) {
            const auto at = g_[element.id].op == kGetItem ? g_[element.id].arg(1).asInt() : std::nullopt;
            return at && *at >= 0 && static_cast<std::size_t>(*at) < value.items().size() && value.items()[static_cast<std::size_t>(*at)].isNode();
        });
    }

    Value baseIndex(NodeId tensor) const { return Value::integer(static_cast<std::int64_t>(call_.results + baseOf_.at(tensor))); }

    void redirect(NodeId item) {
        const auto j = argumentOf(item);
        if (!j) return;
        const Value& value = call_.arguments[*j].value;
        if (value.isNode()) return g_.setArg(item, 1, baseIndex(value.asNode()));
        std::vector<NodeId> elements;
        for (const Node::User& user : g_[item].users) elements.push_back(user.id);
        for (NodeId element : elements) {
            const auto at = static_cast<std::size_t>(*g_[element].arg(1).asInt());
            g_.setArgs(element, {Value::node(id_), baseIndex(value.items()[at].asNode())});
        }
        g_.erase(item);
    }

    std::vector<Keyword> encoded() const {
        std::vector<Keyword> kwargs;
        const auto isWritten = [&](Name key) {
            return std::any_of(call_.arguments.begin(), call_.arguments.end(), [&](const WrappedArgument& a) { return a.param == key; });
        };
        for (const Keyword& k : g_[id_].kwargs)
            if (!isWritten(k.first)) kwargs.push_back(k);
        const auto encode = [&](const std::string& prefix, const Value& v) {
            kwargs.emplace_back(Name(prefix + "_base_index"),
                                v.isNode() ? Value::integer(static_cast<std::int64_t>(baseOf_.at(v.asNode()))) : Value::none());
        };
        for (const WrappedArgument& argument : call_.arguments) {
            const std::string prefix = "_" + argument.param.str();
            if (!argument.list) {
                encode(prefix, argument.value);
                continue;
            }
            const auto& items = argument.value.items();
            kwargs.emplace_back(Name(prefix + "_length"),
                                argument.value.isNone() ? Value::none() : Value::integer(static_cast<std::int64_t>(items.size())));
            for (std::size_t i = 0; i < items.size(); ++i) encode(prefix + "_" + std::to_string(i), items[i]);
        }
        kwargs.emplace_back("_all_bases"_n, Value::list(bases_));
        return kwargs;
    }

    Graph& g_;
    NodeId id_;
    const WrapperCall& call_;
    std::vector<Value> bases_;
    std::unordered_map<NodeId, std::size_t> baseOf_;
};

}  // namespace

void listsByElement(Graph& g, PassContext& ctx) {
    std::vector<NodeId> calls;
    for (NodeId id : inOrder(g))
        if (wrapperKind(g[id]) == WrapperKind::V1) calls.push_back(id);
    for (NodeId id : calls) {
        const auto call = readWrapper(ctx.ops(), g, id);
        if (!call || call->assumed || !call->definition) continue;
        const bool list = std::any_of(call->arguments.begin(), call->arguments.end(), [](const WrappedArgument& a) { return a.value.isSequence(); });
        if (!list) continue;
        ListCall rewritten(g, id, *call);
        if (rewritten.readBases() && ctx.mayRewrite()) rewritten.convert(ctx);
    }
}

}  // namespace aliascope
