#include "core/passes/reorder_for_locality.h"

#include <algorithm>

#include "core/analysis/alias.h"
#include "core/passes/write_forms.h"

namespace aliascope {
namespace {

bool isTraining(const Graph& g) {
    switch (g.phase) {
        case Phase::Joint:
        case Phase::Forward:
        case Phase::Backward:
            return true;
        case Phase::Inference:
            return false;
        default:
            break;
    }
    for (NodeId id : inOrder(g))
        if (g[id].kind == NodeKind::Placeholder && (g[id].name.view().starts_with("primals_") || g[id].name.view().starts_with("tangents_")))
            return true;
    return false;
}

/// Computes the new order beside the graph, because thousands of single moves to one place are slow there, and then puts the nodes into it.
class LocalityOrder {
public:
    LocalityOrder(Graph& g, PassContext& ctx, bool extended)
        : g_(g), ctx_(ctx), extended_(extended), alias_(g, ctx.ops()), writers_(alias_.storageCount()), places_(g.idBound()) {
        std::uint32_t region = 0, position = 0;
        for (NodeId id : inOrder(g)) {
            if (isMutationOp(ctx.ops(), g[id])) ++region;
            places_[id.value] = {g[id].prev, g[id].next, position++, 0, region, false};
            if (!firstCopy_ && g[id].op == "aten::copy_") firstCopy_ = id;
            for (NodeId operand : operandsToBeWritten(ctx.ops(), g, id))
                if (const StorageId s = operand ? alias_.storageOf(operand) : StorageId()) writers_[s.value].push_back(id);
        }
    }

    void run() {
        bool pastWriteBacks = !firstCopy_;
        for (NodeId id = g_.last(); id; id = at(id).prev) {
            at(id).seen = true;
            if (!pastWriteBacks) {
                pastWriteBacks = id == firstCopy_;
                continue;
            }
            if (ctx_.cancelled()) return;
            if (g_[id].op == "_c10d_functional::wait_tensor") continue;
            for (NodeId producer : g_.operands(id)) moveTo(producer, id);
        }
        apply();
    }

private:
    struct Place {
        NodeId prev, next;
        std::uint32_t position = 0;  ///< in the order as found
        std::uint32_t moved = 0;     ///< how manieth move; 0 = not moved
        std::uint32_t region = 0;    ///< writes at or before it
        bool seen = false;
    };
    Place& at(NodeId id) { return places_[id.value]; }

    void moveTo(NodeId producer, NodeId consumer) {
        const Node& n = g_[producer];
        if (n.kind != NodeKind::CallFunction || n.op == "operator::getitem" || at(producer).region != at(consumer).region) return;
        for (const Node::User& user : n.users)
            if (!at(user.id).seen) return;
        if (at(producer).next == consumer || at(producer).seen) return;
        if (const NodeId write = crossedWrite(producer)) {
            if (extended_) return refuse(producer, consumer, write);
            warn(producer, write);
        }
        if (!ctx_.mayRewrite()) return;
        unlink(producer);
        const NodeId before = at(consumer).prev;
        at(producer).prev = before;
        at(producer).next = consumer;
        at(producer).moved = ++moves_;
        at(consumer).prev = producer;
        if (before)
            at(before).next = producer;
        else
            first_ = producer;
        ctx_.rewrite({"reorder", {ref(g_, producer)}, {ref(g_, producer)}});
    }

    void unlink(NodeId id) {
        const Place& p = at(id);
        if (p.prev)
            at(p.prev).next = p.next;
        else
            first_ = p.next;
        if (p.next) at(p.next).prev = p.prev;
    }

    /// Of two nodes that the walk has not reached: those that moved stand behind those that did not, in the order of their moves.
    bool before(NodeId a, NodeId b) {
        const Place &x = at(a), &y = at(b);
        return x.moved != y.moved ? x.moved < y.moved : x.position < y.position;
    }

    /// A functional form between `producer` and the node that the walk has reached that will want to write what `producer` reads.
    NodeId crossedWrite(NodeId producer) {
        constexpr std::size_t kMostLookedAt = 64;
        for (NodeId operand : g_.operands(producer)) {
            const StorageId s = alias_.storageOf(operand);
            if (!s) continue;
            const auto& writers = writers_[s.value];
            for (std::size_t i = 0; i < writers.size() && i < kMostLookedAt; ++i)
                if (writers[i] != producer && !at(writers[i]).seen && before(producer, writers[i])) return writers[i];
        }
        return {};
    }

    void apply() {
        if (moves_ == 0) return;
        NodeId id = first_ ? first_ : g_.first();
        while (id) {
            const NodeId next = at(id).next;
            g_.moveBefore(id, NodeId());
            id = next;
        }
    }

    void refuse(NodeId producer, NodeId consumer, NodeId write) {
        Decision d;
        d.node = ref(g_, producer);
        if (ctx_.originOf) d.origin = ctx_.originOf(producer);
        d.op = g_[producer].op;
        d.verdict = "refused";
        d.code = "REGION";
        d.blocker = ref(g_, write);
        d.rule = "canonicalize 5.9";
        d.params = {{"a", d.node.name.str()}, {"b", g_[consumer].name.str()}, {"write", g_[write].name.str()}};
        ctx_.decide(std::move(d));
    }

    void warn(NodeId producer, NodeId write) {
        if (warned_) return;
        warned_ = true;
        Diagnostic d = warning("REGION", {{"a", g_[producer].name.str()}, {"b", g_[write].name.str()}, {"write", g_[write].name.str()}});
        d.node = g_[producer].name;
        d.note = "PyTorch 2.11 moves the reader behind the write all the same, which costs a clone (defect R7); mode=extended does not.";
        ctx_.say(std::move(d));
    }

    Graph& g_;
    PassContext& ctx_;
    bool extended_;
    AliasInfo alias_;
    std::vector<std::vector<NodeId>> writers_;
    std::vector<Place> places_;
    NodeId first_;  ///< valid once the first node has changed
    NodeId firstCopy_;
    std::uint32_t moves_ = 0;
    bool warned_ = false;
};

class ReorderForLocality final : public Pass {
public:
    std::string_view name() const override { return "reorder-for-locality"; }
    std::string_view help() const override { return "Moves producers next to their last consumers (inference graphs)"; }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum,
                 "mode",
                 {"reference", "extended"},
                 "reference",
                 "extended: readers stay before the operator that replaces what they read"},
                {PassOption::Type::Enum, "fp", {"strict", "fast"}, "fast", "no rewrite of this pass changes a float"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        if (isTraining(g)) return Outcome::Done;
        NodeId writer;
        if (const WrittenOperand write = firstPlainWrite(ctx.ops(), g, &writer); writer) {
            Diagnostic d = info("NEEDS_FUNCTIONAL", {{"pass", "reorder-for-locality"}, {"write", g[writer].name.str()}, {"arg", write.param.str()}});
            d.node = g[writer].name;
            ctx.say(std::move(d));
            return Outcome::Skipped;
        }
        const bool extended = ctx.options().is("mode", "extended");
        LocalityOrder(g, ctx, extended).run();
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeReorderForLocality() { return std::make_unique<ReorderForLocality>(); }

}  // namespace aliascope
