#include "core/passes/cse.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "core/analysis/alias.h"
#include "core/passes/clean_up.h"

namespace aliascope {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdull; }

std::uint64_t hashOf(const Value& v) {
    std::uint64_t h = static_cast<std::uint64_t>(v.kind()) + 1;
    if (v.isContainer()) {
        for (Name key : v.keys()) h = mix(h, key.hash());
        for (const Value& item : v.items()) h = mix(h, hashOf(item));
        return h;
    }
    if (v.isNode()) return mix(h, v.asNode().value);
    if (v.kind() == Value::Kind::Sym) return mix(h, v.asSym().hash());
    if (const auto number = v.asInt()) return mix(h, static_cast<std::uint64_t>(*number));
    if (const auto number = v.asNumber()) return mix(h, std::bit_cast<std::uint64_t>(*number));
    return mix(h, v.name().hash());
}

class Merger {
public:
    Merger(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx), regions_(ctx.ops(), g) {
        const AliasInfo alias(g, ctx.ops());
        storage_.reserve(g.idBound());
        for (std::uint32_t i = 0; i < g.idBound(); ++i) storage_.push_back(alias.storageOf(NodeId(i)));
        for (NodeId id : flattenedOutputs(g))
            if (storage_[id.value]) outputStorages_.insert(storage_[id.value]);
        if (isExtended(ctx)) shareBodies();
    }

    void run() {
        for (NodeId id : g_.order()) {
            if (!mayGoOn(ctx_)) return;
            if (isKeyed(id)) visit(id);
        }
    }

private:
    bool isKeyed(NodeId id) const {
        static const Name empty("aten::empty"), emptyStrided("aten::empty_strided");
        const Node& n = g_[id];
        if (n.kind != NodeKind::CallFunction || !isPure(ctx_.ops(), g_, id)) return false;
        const Name packet = packetOf(n.op);
        if (packet == empty || packet == emptyStrided) return false;
        if (storage_[id.value] && outputStorages_.contains(storage_[id.value])) return false;
        const SymInt* s = n.type ? n.type->asSym() : nullptr;
        if (!s) return true;
        const auto symbols = s->symbols();
        return std::none_of(symbols.begin(), symbols.end(), [](Name symbol) { return symbol.view().starts_with("u"); });
    }

    void visit(NodeId id) {
        auto& candidates = seen_[keyOf(id)];
        for (NodeId& earlier : candidates) {
            if (!sameCall(g_[earlier], g_[id])) continue;
            if (const NodeId write = regions_.writeBetween(earlier, id)) {
                refuse(g_, ctx_, id, "canonicalize 5.7", "REGION",
                       {{"a", g_[earlier].name.str()}, {"b", g_[id].name.str()}, {"write", g_[write].name.str()}}, write);
                earlier = id;
                return;
            }
            ctx_.mayRewrite();
            Rewrite rewrite{"common-subexpression", {ref(g_, id)}, {ref(g_, earlier)}};
            g_.replaceAllUses(id, earlier);
            g_.erase(id);
            ctx_.rewrite(std::move(rewrite));
            return;
        }
        candidates.push_back(id);
    }

    std::uint64_t keyOf(NodeId id) const {
        const Node& n = g_[id];
        std::uint64_t h = n.op.hash();
        for (const Value& v : n.args) h = mix(h, hashOf(v));
        for (const Keyword& k : n.kwargs) h = mix(mix(h, k.first.hash()), hashOf(k.second));
        return h;
    }
    static bool sameCall(const Node& a, const Node& b) { return a.op == b.op && a.args == b.args && a.kwargs == b.kwargs; }

    /// Constants that hold equal bodies become the first of them, so that calls of them have one key.
    void shareBodies() {
        static const Name invoke("hop::invoke_subgraph");
        std::unordered_map<std::uint64_t, NodeId> first;
        for (NodeId id : g_.order()) {
            const Graph* body = g_[id].kind == NodeKind::GetAttr ? g_.subGraph(g_[id].target) : nullptr;
            if (!body) continue;
            const auto& users = g_[id].users;
            if (!std::all_of(users.begin(), users.end(), [&](const Node::User& u) { return g_[u.id].is(invoke); })) continue;
            const auto [same, fresh] = first.try_emplace(body->hash(), id);
            if (fresh) continue;
            if (!ctx_.mayRewrite()) return;
            Rewrite rewrite{"common-body", {ref(g_, id)}, {ref(g_, same->second)}};
            g_.replaceAllUses(id, same->second);
            g_.erase(id);
            ctx_.rewrite(std::move(rewrite));
        }
    }

    Graph& g_;
    PassContext& ctx_;
    const MutationRegions regions_;
    std::vector<StorageId> storage_;  ///< by id
    std::unordered_set<StorageId> outputStorages_;
    std::unordered_map<std::uint64_t, std::vector<NodeId>> seen_;  ///< representatives by key
};

class Cse final : public Pass {
public:
    std::string_view name() const override { return "cse"; }
    std::string_view help() const override { return "Replaces a call by an earlier call of the same operator on the same operands"; }
    std::vector<PassOption> options() const override {
        return {modeOption("extended: equal bodies of invoke_subgraph count as one"), fpOption("no rewrite of this pass changes a float")};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        return onFunctionalGraphs(g, ctx, name(), [](Graph& body, PassContext& inner) { Merger(body, inner).run(); });
    }
};

}  // namespace

std::unique_ptr<Pass> makeCse() { return std::make_unique<Cse>(); }

}  // namespace aliascope
