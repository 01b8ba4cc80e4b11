#include "core/passes/clean_up.h"

#include <algorithm>

#include "core/passes/sub_graphs.h"
#include "core/passes/write_forms.h"

namespace aliascope {
namespace {

bool unsupportedTensor(const TensorType* t) {
    return t && (info(t->dtype).complex || t->dtype == DType::F8E8M0FNU || t->dtype == DType::F8E8M0FNU_X4 || t->device == "meta");
}

}  // namespace

PassOption modeOption(std::string help) { return {PassOption::Type::Enum, "mode", {"reference", "extended"}, "reference", std::move(help)}; }

PassOption fpOption(std::string help) {
    return {PassOption::Type::Enum, "fp", {"strict", "fast"}, "by-mode", std::move(help) + " (by mode: fast in reference, strict in extended)"};
}

bool isFpFast(const PassContext& ctx) {
    const std::string& fp = ctx.options().get("fp");
    return fp == "fast" || (fp != "strict" && !isExtended(ctx));
}

Outcome onFunctionalGraphs(Graph& g, PassContext& ctx, std::string_view pass, const std::function<void(Graph&, PassContext&)>& work) {
    NodeId writer;
    if (const WrittenOperand write = firstPlainWrite(ctx.ops(), g, &writer); writer) {
        Diagnostic d = info("NEEDS_FUNCTIONAL", {{"pass", std::string(pass)}, {"write", g[writer].name.str()}, {"arg", write.param.str()}});
        d.node = g[writer].name;
        ctx.say(std::move(d));
        return Outcome::Skipped;
    }
    inEveryGraph(g, ctx, [&](Graph& body, PassContext& inner) {
        NodeId innerWriter;
        firstPlainWrite(inner.ops(), body, &innerWriter);
        if (!innerWriter) work(body, inner);
    });
    return Outcome::Done;
}

void refuse(const Graph& g, PassContext& ctx, NodeId node, std::string rule, std::string code, Params params, NodeId blocker) {
    Decision d;
    d.node = ref(g, node);
    if (ctx.originOf) d.origin = ctx.originOf(node);
    d.op = g[node].op;
    d.verdict = "refused";
    d.need = "none";
    d.code = std::move(code);
    d.blocker = ref(g, blocker);
    d.rule = std::move(rule);
    d.params = std::move(params);
    ctx.decide(std::move(d));
}

const WriteForms::Effect* shownByRun(const Graph& g, const PassContext& ctx, WriteForms::List WriteForms::*list, NodeId node) {
    if (!isExtended(ctx) || !ctx.forms) return nullptr;
    const auto found = (ctx.forms->*list).find(g[node].name);
    return found == (ctx.forms->*list).end() ? nullptr : &found->second;
}

void decideByRun(const Graph& g, PassContext& ctx, NodeId node, bool goes, std::string code, Params params, const WriteForms::Effect& effect) {
    Decision d;
    d.node = ref(g, node);
    if (ctx.originOf) d.origin = ctx.originOf(node);
    d.op = g[node].op;
    d.verdict = goes ? "applied" : "refused";
    d.code = std::move(code);
    d.rule = "reinplace 9 L5";
    d.params = std::move(params);
    for (auto& param : effect.params()) d.params.push_back(std::move(param));
    ctx.decide(std::move(d));
}

MutationRegions::MutationRegions(const OpRegistry& ops, const Graph& g) : of_(g.idBound(), kEvery) {
    for (NodeId id : inOrder(g)) {
        if (isMutationOp(ops, g[id])) writers_.push_back(id);
        of_[id.value] = static_cast<std::uint32_t>(writers_.size());
    }
}

bool MutationRegions::same(NodeId a, NodeId b) const { return at(a) == at(b) || at(a) == kEvery || at(b) == kEvery; }

NodeId MutationRegions::writeBetween(NodeId a, NodeId b) const { return same(a, b) ? NodeId() : writers_[std::min(at(a), at(b))]; }

bool touchesUnsupported(const Graph& g, NodeId id) {
    if (unsupportedTensor(g[id].tensor())) return true;
    for (NodeId operand : g.operands(id))
        if (unsupportedTensor(g[operand].tensor())) return true;
    return false;
}

bool anyCall(const Graph& g, Name op) {
    for (NodeId id : inOrder(g))
        if (g[id].is(op)) return true;
    return std::any_of(g.subGraphs().begin(), g.subGraphs().end(), [&](const Graph::SubGraph& sub) { return sub.graph && anyCall(*sub.graph, op); });
}

std::unordered_set<NodeId> flattenedOutputs(const Graph& g) {
    std::unordered_set<NodeId> out;
    if (g.output()) g[g.output()].arg(0).forEachNode([&](NodeId id) { out.insert(id); });
    return out;
}

void eraseDeadChain(const OpRegistry& ops, Graph& g, NodeId id, std::vector<NodeRef>* erased) {
    std::vector<NodeId> work{id};
    while (!work.empty()) {
        const NodeId at = work.back();
        work.pop_back();
        if (!g.contains(at) || g.hasUsers(at) || g[at].kind != NodeKind::CallFunction || !isPure(ops, g, at)) continue;
        for (NodeId operand : g.operands(at)) work.push_back(operand);
        if (erased) erased->push_back(ref(g, at));
        g.erase(at);
    }
}

}  // namespace aliascope
