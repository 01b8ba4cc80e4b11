#include "core/recording/forced_write.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/view_scatter.h"
#include "core/ops/infer.h"

namespace aliascope {
namespace {

Diagnostic impossible(const Graph& g, NodeId node, const std::string& argument, std::string why) {
    Diagnostic d = userError("FORCE_IMPOSSIBLE", {{"arg", argument}, {"node", g.contains(node) ? g[node].name.str() : "?"}, {"why", std::move(why)}});
    if (g.contains(node)) d.node = g[node].name;
    return d;
}

bool isIndex(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// `xs` of `xs[1]`.
std::string parameterOf(const std::string& argument) { return argument.substr(0, argument.find('[')); }

/// What a wrapper's list of copies calls the argument: its name, or for v2 the bases that it is cut from.
std::vector<Value> keysOf(const Node& n, const std::string& argument) {
    if (isIndex(argument)) return {Value::integer(std::stoll(argument.substr(0, 9)))};
    std::vector<Value> out{Value::string(Name(argument)), Value::string(Name(parameterOf(argument)))};
    const std::string own = "_" + parameterOf(argument);
    for (const auto& [key, value] : n.kwargs) {
        const std::string_view text = key.view();
        if (!text.starts_with(own) || !text.ends_with("_base_index") || !value.isInt()) continue;
        const std::string_view between = text.substr(own.size(), text.size() - own.size() - std::string_view("_base_index").size());
        if (between.empty() || (between.front() == '_' && isIndex(std::string(between.substr(1))))) out.push_back(value);
    }
    return out;
}

std::optional<Value> without(const Value& list, const std::vector<Value>& keys) {
    std::vector<Value> left;
    for (const Value& item : list.items())
        if (std::find(keys.begin(), keys.end(), item) == keys.end()) left.push_back(item);
    if (left.size() == list.items().size()) return std::nullopt;
    return Value::list(std::move(left));
}

Status forceWrapper(Graph& g, NodeId node, const std::string& argument) {
    const Node& n = g[node];
    const std::vector<Value> keys = keysOf(n, argument);
    if (const Value* copies = n.kwarg("tensors_to_clone"_n)) {
        auto left = without(*copies, keys);
        if (!left) return fail(impossible(g, node, argument, "it is not copied there"));
        std::vector<Keyword> kwargs = n.kwargs;
        for (auto& [key, value] : kwargs)
            if (key == "tensors_to_clone"_n) value = *left;
        g.setKwargs(node, std::move(kwargs));
        return {};
    }
    const Value* copies = n.metaValue("clone_only"_n);
    if (!copies) return fail(impossible(g, node, argument, "re-inplacing has not come to it"));
    auto left = without(*copies, keys);
    if (!left) return fail(impossible(g, node, argument, "it is not copied there"));
    g.setMeta(node, "clone_only"_n, std::move(*left));
    return {};
}

NodeId insertCall(Graph& g, const OpRegistry& ops, NodeId before, std::string_view op, std::vector<Value> args) {
    Node n;
    n.op = Name(op);
    n.target = spellOp(n.op);
    std::string_view name = op.substr(op.rfind(':') + 1);
    n.name = Name(name.substr(0, name.find('.')));
    n.args = std::move(args);
    n.provenance = g[before].provenance;
    const NodeId id = g.insertBefore(before, std::move(n));
    setInferredType(ops, g, id);
    return id;
}

/// `select_scatter(x, src, 0, 1)` becomes `copy_(select(x, 0, 1), src)`, its value x.
Status forceScatter(Graph& g, const OpRegistry& ops, NodeId node, std::string_view view) {
    const auto call = bindCall(ops, g[node]);
    const NodeId self = call && call->values.size() > 2 ? (*call)[0].asNode() : NodeId();
    if (!self) return fail(impossible(g, node, "self", "its arguments are not understood"));
    std::vector<Value> args{(*call)[0]};
    args.insert(args.end(), call->values.begin() + 2, call->values.end());
    const Value source = (*call)[1];
    const NodeId piece = insertCall(g, ops, node, view, std::move(args));
    insertCall(g, ops, node, "aten::copy_", {Value::node(piece), source});
    g.replaceAllUses(node, self);
    g.erase(node);
    return {};
}

/// The operator's own in-place form; elements of a list that it gave are those of its argument then.
Status forceOperator(Graph& g, const OpRegistry& ops, NodeId node, const std::string& argument) {
    const OpDef* own = ops.find(g[node].op);
    const OpDef* writing = own ? ops.inPlaceOf(*own) : nullptr;
    if (!writing) return fail(impossible(g, node, argument, g[node].op.str() + " has no form that writes in place"));
    g.setCall(node, spellOp(writing->canonical), writing->canonical);
    const Value first = g[node].arg(0);
    if (!first.isSequence()) return {};
    for (NodeId user : g.users(node)) {
        const auto item = g[user].is("operator::getitem"_n) ? g[user].arg(1).asInt() : std::nullopt;
        if (!item || *item < 0 || *item >= static_cast<std::int64_t>(first.items().size())) continue;
        const NodeId element = first.items()[static_cast<std::size_t>(*item)].asNode();
        if (!element) continue;
        g.replaceAllUses(user, element);
        g.erase(user);
    }
    return {};
}

std::string labelOf(const Graph& g, const exec::ComparedValue& row) {
    if (!row.b || row.b->body != 0 || !g.contains(row.b->node)) return "a value inside a body";
    const Node& n = g[row.b->node];
    if (n.kind == NodeKind::Output) return fmt::format("returned value {}", row.outB);
    if (row.outB >= 0) return row.outB == 0 ? n.name.str() : fmt::format("{}[{}]", n.name.str(), row.outB);
    if (n.kind == NodeKind::Placeholder) return n.name.str() + " after the run";
    return fmt::format("what {} writes", n.name.str());
}

/// Stale reads that the stage with its copy does not have.
std::vector<exec::Finding> newReads(const ExecutedStage& stage, const ExecutedStage& variant) {
    constexpr std::size_t operand = 2;  // parameters of STALE_READ: reader, bytes, operand
    std::vector<exec::Finding> out;
    for (const exec::Finding& f : variant.findings) {
        const auto same = [&](const exec::Finding& old) {
            return old.code == f.code && old.reader == f.reader && old.params.size() > operand && old.params[operand] == f.params[operand];
        };
        if (f.code != "STALE_READ" || f.params.size() <= operand || std::any_of(stage.findings.begin(), stage.findings.end(), same)) continue;
        exec::Finding& read = out.emplace_back(f);
        for (auto& [key, value] : read.params)
            if (key == "pass") value = "the forced write";
    }
    return out;
}

}  // namespace

std::string ForcedWrite::sentence() const {
    if (error) return "Without the copy the graph does not run: " + error->sentence();
    if (verdict == exec::Verdict::Differs) {
        std::string out = fmt::format("Without the copy {} changes", firstValue.empty() ? "a result" : firstValue);
        if (first && first->measured) {
            std::string at;
            for (const std::int64_t i : first->at) at += (at.empty() ? "" : ", ") + std::to_string(i);
            out += fmt::format(": {} becomes {} at [{}]", first->valueA, first->valueB, at);
        }
        return out + ".";
    }
    if (!reads.empty()) return "Without the copy a value is read after it was overwritten; the numbers happen to agree on these inputs.";
    return "Without the copy nothing goes wrong on these inputs.";
}

Result<Graph> writtenInPlace(const Graph& g, const OpRegistry& ops, NodeId node, const std::string& argument) {
    if (!g.contains(node) || g[node].kind != NodeKind::CallFunction) return fail(impossible(g, node, argument, "the stage has no such call"));
    Graph out = g.clone();
    const Name op = out[node].op;
    const std::string_view view = viewOfScatter(op).view();
    Status done;
    if (op.view().starts_with("hop::"))
        done = forceWrapper(out, node, argument);
    else if (!view.empty())
        done = forceScatter(out, ops, node, view);
    else
        done = forceOperator(out, ops, node, argument);
    if (!done) return fail(std::move(done.error()));
    return out;
}

Result<ForcedWrite> forceWrite(StageRuns& runs, const Recording& recording, std::int64_t lane, const DecisionRow& decision, const OpRegistry& ops) {
    auto graph = recording.graph(lane, decision.stage, ops);
    if (!graph) return fail(std::move(graph.error()));
    const NodeId node = decision.uid ? NodeId(static_cast<std::uint32_t>(*decision.uid)) : NodeId();
    if (decision.uid && (*decision.uid >> 32) != 0)
        return fail(impossible(*graph, NodeId(), decision.argument, "it stands in the body of another operator"));
    auto forced = writtenInPlace(*graph, ops, node, decision.argument);
    if (!forced) return fail(std::move(forced.error()));

    ForcedWrite out;
    out.stage = decision.stage;
    out.stageName = decision.stageName;
    out.graph = std::make_shared<const Graph>(std::move(*forced));
    // The graph as opened runs first: its reads are those that are right.
    for (const int idx : {runs.stages().front().idx, decision.stage}) {
        auto ran = runs.run(idx);
        if (!ran) return fail(std::move(ran.error()));
        if (ran->get().error) return fail(*ran->get().error);
    }
    auto variant = runs.runVariant(out.graph, decision.stage);
    if (!variant) return fail(std::move(variant.error()));
    out.reads = newReads(runs.run(decision.stage)->get(), *variant);
    if (!variant->complete) {
        if (variant->error->code == "CANCELLED" || variant->error->code == "TIMEOUT") return fail(*variant->error);
        out.error = variant->error;
        return out;
    }
    auto compared = runs.compareVariant(decision.stage, *variant, "reinplace", {});
    if (!compared) return fail(std::move(compared.error()));
    out.verdict = compared->verdict;
    if (compared->first) {
        out.first = compared->rows[*compared->first];
        out.firstValue = labelOf(*out.graph, *out.first);
    }
    return out;
}

}  // namespace aliascope
