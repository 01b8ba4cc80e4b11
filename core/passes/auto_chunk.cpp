#include "core/passes/auto_chunk.h"

#include "core/passes/chunk_proposal.h"
#include "core/passes/chunk_rules.h"

namespace aliascope {
namespace {

class AutoChunk final : public Pass {
public:
    std::string_view name() const override { return "auto-chunk"; }
    std::string_view help() const override { return "Runs a large product and what hangs on it in chunks of rows"; }
    std::vector<PassOption> options() const override {
        return {
            {PassOption::Type::Enum, "mode", {"reference", "extended"}, "reference", "extended: more operators, and only where it saves memory"},
            {PassOption::Type::Int, "num-chunks", {}, "auto", "how many; auto: 8, extended: by predicted peak"},
            {PassOption::Type::Int, "budget", {}, "none", "bytes that the predicted peak may have: as few chunks as keep within it"},
            {PassOption::Type::Int, "min-bytes", {}, "1048576", "the result of the product must be larger"},
            {PassOption::Type::Float, "min-ratio", {}, "auto", "bytes of its result to bytes of its operands must be more; auto: 8, extended: 1"},
            {PassOption::Type::Enum, "accum", {"auto", "f32", "native"}, "auto", "type in which chunks are added up; auto: native, extended: f32"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        ChunkRequest request = chunkRequest(ctx.options());
        request.everyEstimate = true;
        const ChunkProposal proposal = proposeChunks(g, ctx.ops(), request);
        if (proposal.refusal) {
            refuse(g, ctx, proposal, request);
            return Outcome::Done;
        }
        if (!ctx.mayRewrite()) return Outcome::Done;
        decide(g, ctx, proposal);
        Rewrite region;
        region.rule = "chunk";
        region.theorem = "chunker 6";
        for (NodeId id : proposal.plan.body) region.before.push_back(ref(g, id));
        std::vector<Rewrite> results;
        for (NodeId id : proposal.plan.outputs) results.push_back({"chunk", {ref(g, id)}, {}, Rewrite::State::Applied, "chunker 8.6", {}});
        const auto made = applyChunks(g, ctx.ops(), proposal.plan, proposal.chosen->cut, request.form);
        if (!made) return fail(made.error());
        ctx.rewrite(std::move(region));
        for (std::size_t i = 0; i < results.size(); ++i) {
            for (NodeId id : made->recovered[i]) results[i].after.push_back(ref(g, id));
            ctx.rewrite(std::move(results[i]));
        }
        return Outcome::Done;
    }

private:
    static Decision decisionAt(const Graph& g, const PassContext& ctx, NodeId id) {
        Decision d;
        d.node = ref(g, id);
        if (id && ctx.originOf) d.origin = ctx.originOf(id);
        if (id) d.op = g[id].op;
        d.need = "none";
        return d;
    }

    /// `1=900 2=500 4=300`: bytes by number of chunks.
    static std::string peaksText(const ChunkProposal& proposal) {
        std::string text;
        for (const ChunkEstimate& e : proposal.estimates)
            text += (text.empty() ? "" : " ") + std::to_string(e.asked == 1 ? 1 : e.cut.chunks()) + "=" + std::to_string(e.peak);
        return text;
    }

    /// One decision for each node of the region; that of the amplifier comes first.
    static void decide(const Graph& g, PassContext& ctx, const ChunkProposal& proposal) {
        const ChunkPlan& plan = proposal.plan;
        const ChunkEstimate& chosen = *proposal.chosen;
        const NodeId amplifier = plan.amplifier->node;
        const Params sentence = {{"amp", g[amplifier].name.str()},
                                 {"n", std::to_string(plan.annotated() - 1)},
                                 {"chunks", std::to_string(chosen.cut.chunks())},
                                 {"rows", std::to_string(chosen.rows(plan))},
                                 {"peak", std::to_string(chosen.peak)}};
        const auto one = [&](NodeId id) {
            Decision d = decisionAt(g, ctx, id);
            const ChunkMeta& m = *plan.metas.find(id);
            d.verdict = "applied";
            d.code = "CHUNKED";
            d.argument = std::string(toString(plan.classOf(id)));
            d.rule = "chunker 5";
            d.params = sentence;
            if (id == amplifier) d.params.emplace_back("peaks", peaksText(proposal));
            d.params.emplace_back("dim", m.cut() ? std::to_string(m.dim) : "-");
            d.params.emplace_back("sum", m.sum ? "yes" : "no");
            d.params.emplace_back("scale", m.scale ? g[m.scale].name.str() : "-");
            ctx.decide(std::move(d));
        };
        one(amplifier);
        for (const std::vector<NodeId>* part : {&plan.tangents, &plan.inputs, &plan.body, &plan.outputs})
            for (NodeId id : *part)
                if (id != amplifier) one(id);
    }

    static void refuse(const Graph& g, PassContext& ctx, const ChunkProposal& proposal, const ChunkRequest& request) {
        const ChunkPlan& plan = proposal.plan;
        const ChunkRefusal& refusal = *proposal.refusal;
        const bool remark = plan.nothingToDo || refusal.code == "WITHIN_BUDGET";
        const NodeId amplifier = plan.amplifier ? plan.amplifier->node : NodeId();
        Decision d = decisionAt(g, ctx, amplifier);
        d.verdict = remark ? "not-attempted" : "refused";
        d.code = refusal.code;
        d.params = refusal.params;
        d.blocker = ref(g, refusal.node);
        d.rule = "chunker 14";
        if (!proposal.estimates.empty()) d.params.emplace_back("peaks", peaksText(proposal));
        for (NodeId id : plan.path) {
            const ChunkMeta* m = plan.metas.find(id);
            const bool last = id == plan.path.back();
            d.checks.push_back({"%" + g[id].name.str() + " " + g[id].op.str(), last ? CheckStep::Answer::Failed : CheckStep::Answer::Ok,
                                m ? "cut " + describeMeta(*m) : "not followed further"});
        }
        Diagnostic message = remark ? info(refusal.code, refusal.params) : warning(refusal.code, refusal.params);
        message.node = refusal.node ? g[refusal.node].name : Name();
        message.note = note(g, ctx, plan, request, remark);
        ctx.decide(std::move(d));
        ctx.say(std::move(message));
    }

    /// How the node was reached, and whether the extended rules would cut the graph.
    static std::string note(const Graph& g, const PassContext& ctx, const ChunkPlan& plan, const ChunkRequest& request, bool remark) {
        std::string text;
        if (plan.path.size() > 1) {
            text = "Reached by";
            for (NodeId id : plan.path) text += (id == plan.path.front() ? " %" : ", %") + g[id].name.str();
            text += ".";
        }
        if (request.limits.extended || remark) return text;
        ChunkLimits extended = request.limits;
        extended.extended = true;
        if (planChunks(g, ctx.ops(), extended).chunkable()) text += (text.empty() ? "" : " ") + std::string("mode=extended can cut it.");
        return text;
    }
};

}  // namespace

std::unique_ptr<Pass> makeAutoChunk() { return std::make_unique<AutoChunk>(); }

}  // namespace aliascope
