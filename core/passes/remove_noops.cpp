#include "core/passes/remove_noops.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/passes/clean_up.h"
#include "core/passes/copy_guard.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/layouts.h"
#include "core/passes/reinplace_scatter.h"
#include "core/passes/sub_graphs.h"
#include "core/passes/write_forms.h"

namespace aliascope {
namespace {

bool knownZero(const Graph& g, const Value& v) {
    const auto s = asSymInt(g, v);
    return s && *s == SymInt(0);
}

bool knownOne(const Graph& g, const Value& v) {
    const auto s = asSymInt(g, v);
    return s && *s == SymInt(1);
}

bool sameSymInts(const std::vector<SymInt>& a, const std::vector<SymInt>& b) { return a == b; }

/// start 0, step 1, end at or behind the last element.
bool coversDim(const Graph& g, const TensorType& t, const Value& dim, const Value& start, const Value& end, const Value& step) {
    const std::int64_t d = dim.isNone() ? 0 : dim.asInt().value_or(std::numeric_limits<std::int64_t>::max());
    const std::int64_t rank = static_cast<std::int64_t>(t.rank());
    if (d < -rank || d >= rank) return false;
    if (!knownZero(g, start) || !(step.isNone() || knownOne(g, step))) return false;
    const auto stop = asSymInt(g, end);
    if (!stop) return false;
    if (stop->constant() == std::numeric_limits<std::int64_t>::max()) return true;
    return knownLessEqual(t.sizes[static_cast<std::size_t>(d < 0 ? d + rank : d)], *stop, g.symbols) == Tri::Yes;
}

bool isIntegral(const TensorType& t) { return info(t.dtype).integral; }

std::optional<DType> dtypeOf(const Value& v) { return v.kind() == Value::Kind::Const ? dtypeFromTorchName(v.name().view()) : std::nullopt; }

bool allItems(const Value& v, const std::function<bool(const Value&)>& test) {
    if (!v.isSequence()) return false;
    for (const Value& item : v.items())
        if (!test(item)) return false;
    return true;
}

/// The operand that the call gives back, if its operator's own condition holds; invalid otherwise.
NodeId givesBack(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (n.kind != NodeKind::CallFunction) return {};
    const auto call = bindCall(ops, n);
    if (!call || call->values.empty()) return {};
    const BoundCall& c = *call;
    const auto value = [&](const char* name) -> const Value& {
        static const Value absent;
        const Value* v = c.find(Name(name));
        return v ? *v : absent;
    };
    const NodeId first = c[0].asNode();
    const TensorType* t = first ? g[first].tensor() : nullptr;
    const Name packet = packetOf(n.op);

    if (packet == "aten::clone" || packet == "aten::alias") return first;
    if (packet == "aten::copy") return c.values.size() > 1 ? c[1].asNode() : NodeId();
    if (packet == "aten::cat") return c[0].isSequence() && c[0].items().size() == 1 ? c[0].items()[0].asNode() : NodeId();
    if (!t) return {};
    const auto when = [&](bool holds) { return holds ? first : NodeId(); };
    if (packet == "aten::slice")
        return when(!value("start").isNone() && !value("end").isNone() &&
                    coversDim(g, *t, value("dim"), value("start"), value("end"), value("step")));
    if (packet == "aten::slice_scatter") {
        const NodeId source = value("src").asNode();
        const TensorType* s = source ? g[source].tensor() : nullptr;
        const Value start = value("start").isNone() ? Value::integer(0) : value("start");
        const Value end = value("end").isNone() ? Value::integer(std::numeric_limits<std::int64_t>::max()) : value("end");
        return s && sameSymInts(s->sizes, t->sizes) && coversDim(g, *t, value("dim"), start, end, value("step")) ? source : NodeId();
    }
    if (packet == "aten::repeat") return when(allItems(value("repeats"), [&](const Value& v) { return knownOne(g, v); }));
    if (packet == "aten::constant_pad_nd") return when(allItems(value("pad"), [&](const Value& v) { return knownZero(g, v); }));
    if (packet == "prims::convert_element_type" || n.op == "aten::view.dtype")
        return when(dtypeOf(value("dtype")) == t->dtype && t->dtype != DType::Unknown);
    if (packet == "prims::device_put") return when(value("device").kind() == Value::Kind::Device && value("device").name() == t->device);
    if (packet == "aten::ceil" || packet == "aten::floor" || packet == "aten::round" || packet == "aten::trunc") return when(isIntegral(*t));
    if (packet == "aten::pow") return when(c.values.size() > 1 && c[1].kind() == Value::Kind::Int && *c[1].asInt() == 1);
    if (n.op == "aten::view") {
        const Value& size = value("size");
        if (!size.isSequence() || size.items().size() != t->rank()) return {};
        for (std::size_t i = 0; i < t->rank(); ++i) {
            const auto s = asSymInt(g, size.items()[i]);
            if (!s || !(*s == t->sizes[i])) return {};
        }
        return first;
    }
    return {};
}

bool isCandidate(Name packet) {
    static const std::unordered_set<Name> packets = {"aten::clone"_n,
                                                     "aten::alias"_n,
                                                     "aten::copy"_n,
                                                     "aten::cat"_n,
                                                     "aten::slice"_n,
                                                     "aten::slice_scatter"_n,
                                                     "aten::repeat"_n,
                                                     "aten::constant_pad_nd"_n,
                                                     "prims::convert_element_type"_n,
                                                     "prims::device_put"_n,
                                                     "aten::ceil"_n,
                                                     "aten::floor"_n,
                                                     "aten::round"_n,
                                                     "aten::trunc"_n,
                                                     "aten::pow"_n,
                                                     "aten::view"_n};
    return packets.contains(packet);
}

bool sameDescription(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.dtypeName == b.dtypeName && a.device == b.device && sameSymInts(a.sizes, b.sizes) && a.strides && b.strides &&
           sameSymInts(*a.strides, *b.strides);
}

class NoopRemover {
public:
    NoopRemover(Graph& g, PassContext& ctx, bool extended)
        : g_(g), ctx_(ctx), extended_(extended), alias_(g, ctx.ops()), guard_(g, ctx.ops(), alias_) {
        readBoundary();
    }

    void run() {
        // What a value is read and written for counts for what it is a copy of, so copies onto themselves go first.
        if (extended_) visitAll([&](NodeId id) { return copiesItself(id); });
        visitAll([](NodeId) { return true; });
    }

private:
    template <class Which>
    void visitAll(const Which& which) {
        for (NodeId id : g_.order()) {
            if (ctx_.cancelled()) return;
            if (!g_.contains(id)) continue;
            const Node& n = g_[id];
            if (n.kind == NodeKind::CallFunction && isCandidate(packetOf(n.op)) && which(id)) visit(id);
        }
    }

    void readBoundary() {
        for (NodeId id : inOrder(g_))
            if (g_[id].kind == NodeKind::Placeholder) {
                inputs_.insert(id);
                if (const StorageId s = alias_.storageOf(id)) inputStorages_.insert(s);
            }
        if (extended_) writtenBack_ = storagesWrittenBack(ctx_.ops(), g_, alias_);
        if (!g_.output()) return;
        const Value& result = g_[g_.output()].arg(0);
        if (result.isNode()) bareOutput_ = result.asNode();
        const Value* shown = extended_ ? g_[g_.output()].metaValue(kShownInputs) : nullptr;
        std::size_t at = 0;
        result.forEachNode([&](NodeId id) {
            outputs_.insert(id);
            guard_.markReturned(id);
            if (shown && at < shown->items().size())
                if (const StorageId s = alias_.storageOf(id)) shown_.emplace(s, shown->items()[at].name());
            ++at;
            if (const StorageId s = alias_.storageOf(id)) outputStorages_.insert(s);
        });
    }

    void visit(NodeId id) {
        const NodeId source = givesBack(ctx_.ops(), g_, id);
        if (!source) return;
        const TensorType *own = g_[id].tensor(), *from = g_[source].tensor();
        if (!own || !from) return refuse(id, "NO_DESCRIPTION", {{"node", g_[id].name.str()}}, source);
        if (!sameDescription(*own, *from) || wouldAlias(id, source)) return;
        if (!ctx_.mayRewrite()) return;
        if (!isView(id, source)) {
            const NodeId exposing = guard_.exposes(id, source);
            // `x.copy_(x)` does nothing: taking it away moves no copy elsewhere.
            const NodeId misplaced = startMoves(id, source) ? addressedByPlace(ctx_.ops(), g_, {id}) : NodeId();
            const auto* removed = listed(&WriteForms::removed, id);
            const bool harmless = copiesItself(id) || (extended_ && knownEmpty(*own)) || removed;
            const NodeId conflict = exposing || harmless ? exposing : guard_.conflict(id, source);
            const NodeId write = conflict ? conflict : misplaced;
            if (const auto* kept = listed(&WriteForms::kept, id)) return decideByRun(id, false, *kept);
            if (write && extended_) return refuse(id, "CLONE_GUARD", {{"clone", g_[id].name.str()}, {"node", g_[write].name.str()}}, write);
            if (exposing) ctx_.say(readsOverwritten(g_, id, source, exposing));
            if (misplaced) sayMovedStart(id, source, misplaced);
            if (removed) decideByRun(id, true, *removed);
            guard_.merge(id, source);
            mergeWrittenBack(writtenBack_, alias_, id, source);
        }
        Rewrite rewrite{"remove-noop", {ref(g_, id)}, {ref(g_, source)}};
        const std::vector<NodeId> operands = g_.operands(id);
        g_.replaceAllUses(id, source);
        g_.erase(id);
        if (extended_)
            for (NodeId operand : operands)
                if (operand != source) eraseDead(operand, rewrite);
        ctx_.rewrite(std::move(rewrite));
    }

    const WriteForms::Effect* listed(WriteForms::List WriteForms::*list, NodeId id) const { return shownByRun(g_, ctx_, list, id); }

    void decideByRun(NodeId id, bool goes, const WriteForms::Effect& effect) {
        Params params = {{"clone", g_[id].name.str()}, {"what", goes ? "goes" : "stays"}};
        aliascope::decideByRun(g_, ctx_, id, goes, "CLONE_BY_RUN", std::move(params), effect);
    }

    /// What only the removed call read (the destination of a `copy`) goes with it.
    void eraseDead(NodeId id, Rewrite& rewrite) {
        std::vector<NodeId> work{id};
        while (!work.empty()) {
            const NodeId at = work.back();
            work.pop_back();
            if (!g_.contains(at) || g_.hasUsers(at) || g_[at].kind != NodeKind::CallFunction || !isPure(ctx_.ops(), g_, at)) continue;
            for (NodeId operand : g_.operands(at)) work.push_back(operand);
            rewrite.before.push_back(ref(g_, at));
            g_.erase(at);
        }
    }

    /// Every element is put where it stands.
    bool copiesItself(NodeId id) const {
        const Node& n = g_[id];
        const NodeId to = n.arg(0).asNode(), from = n.arg(1).asNode();
        return (n.is("aten::copy"_n) || isViewScatter(n.op)) && to && from && guard_.sameMemory(to, from);
    }

    bool isView(NodeId id, NodeId source) const { return alias_.sameStorage(id, source); }

    bool wouldAlias(NodeId id, NodeId source) {
        const StorageId own = alias_.storageOf(id), from = alias_.storageOf(source);
        const auto refused = [&](std::string what) {
            refuse(id, "OUTPUT_ALIAS", {{"output", g_[id].name.str()}, {"what", std::move(what)}, {"other", g_[source].name.str()}}, source);
            return true;
        };
        if (!isView(id, source)) {
            // A run may have shown that re-inplacing then leaves the input alone: it never lets what is returned apart lie in one.
            const bool ends = extended_ && guard_.isReturned(id) && !listed(&WriteForms::removed, id) && endsInInput(id, from) && !copiesItself(id);
            // PyTorch asks for storages as they were before the pass.
            const bool shared = extended_ ? guard_.returnsShared(id, source) || ends
                                          : outputStorages_.contains(own) && (inputStorages_.contains(from) || outputStorages_.contains(from));
            return shared && refused("memory of " + g_[source].name.str());
        }
        // PyTorch looks at the returned value only when it is no tuple.
        const auto isOutput = [&](NodeId n) { return extended_ ? outputs_.contains(n) : n == bareOutput_; };
        return isOutput(id) && (inputs_.contains(source) || isOutput(source)) && refused(g_[source].name.str() + " itself");
    }

    /// The source may come to lie in an input, and what is returned of the copy does not belong to that input anyway.
    bool endsInInput(NodeId id, StorageId source) const {
        const auto back = writtenBack_.find(source);
        if (back == writtenBack_.end()) return false;
        const auto returned = shown_.equal_range(alias_.storageOf(id));
        if (returned.first == returned.second) return true;
        return std::any_of(returned.first, returned.second, [&](const auto& entry) { return entry.second != g_[back->second].name; });
    }

    bool startMoves(NodeId id, NodeId source) const {
        const TensorType *own = alias_.geometry(id), *from = alias_.geometry(source);
        return own && from && own->offset && from->offset && !(*own->offset == *from->offset);
    }

    /// PyTorch compares sizes and strides, not where in the storage a value begins: who counts from the start of the copy's storage then counts from
    /// the start of another one.
    void sayMovedStart(NodeId id, NodeId source, NodeId user) {
        Diagnostic d = warning("SLICE_START_OFFSET", {{"start", alias_.geometry(id)->offset->str()},
                                                      {"view", g_[user].name.str()},
                                                      {"offset", alias_.geometry(source)->offset->str()},
                                                      {"node", g_[id].name.str()}});
        d.node = g_[id].name;
        ctx_.say(std::move(d));
    }

    void refuse(NodeId id, std::string code, Params params, NodeId blocker) {
        Decision d;
        d.node = ref(g_, id);
        if (ctx_.originOf) d.origin = ctx_.originOf(id);
        d.op = g_[id].op;
        d.verdict = "refused";
        d.code = std::move(code);
        d.blocker = ref(g_, blocker);
        d.rule = "canonicalize 5.1";
        d.params = std::move(params);
        ctx_.decide(std::move(d));
    }

    Graph& g_;
    PassContext& ctx_;
    bool extended_;
    AliasInfo alias_;
    CopyGuard guard_;
    std::unordered_set<NodeId> inputs_, outputs_;
    std::unordered_set<StorageId> inputStorages_, outputStorages_;
    std::unordered_map<StorageId, NodeId> writtenBack_;  ///< what ends in an input: written where it stands, it is the input
    std::unordered_multimap<StorageId, Name> shown_;     ///< storage of a returned value -> input to which the program says that value belongs
    NodeId bareOutput_;
};

class RemoveNoops final : public Pass {
public:
    std::string_view name() const override { return "remove-noops"; }
    std::string_view help() const override { return "Replaces calls that give back their operand by the operand"; }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum,
                 "mode",
                 {"reference", "extended"},
                 "reference",
                 "extended: flattened outputs, and copies that a write needs stay"},
                {PassOption::Type::Enum, "fp", {"strict", "fast"}, "fast", "no rewrite of this pass changes a float"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        const bool extended = ctx.options().is("mode", "extended");
        NodeId writer;
        if (const WrittenOperand write = firstPlainWrite(ctx.ops(), g, &writer); writer) {
            Diagnostic d = info("NEEDS_FUNCTIONAL", {{"pass", "remove-noops"}, {"write", g[writer].name.str()}, {"arg", write.param.str()}});
            d.node = g[writer].name;
            ctx.say(std::move(d));
            return Outcome::Skipped;
        }
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& context) {
            NodeId inner;
            firstPlainWrite(context.ops(), body, &inner);
            if (!inner) NoopRemover(body, context, extended).run();
        });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeRemoveNoops() { return std::make_unique<RemoveNoops>(); }

}  // namespace aliascope
