// `chunk`: what the auto-chunker would cut of a graph, why it refuses, and the predicted peaks.

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "app/cli/source.h"
#include "core/passes/chunk_proposal.h"
#include "core/passes/chunk_rules.h"
#include "core/support/reasons.h"

namespace aliascope::cli {
namespace {

constexpr std::string_view kChunkPass = "auto-chunk";

/// The pass as the pipeline asks for it, with the options of the command line on top.
PassOptions chunkOptions(Command& c, const Pipeline& pipeline) {
    PassOptions options;
    for (const PassOption& option : findPass(kChunkPass)->options()) options.set(option.key, option.defaultValue);
    for (const PipelineStep& step : pipeline.steps)
        if (step.pass->name() == kChunkPass) options = step.options;
    const auto amount = [&](const char* name, const char* key, const char* example) {
        if (!c.args().has(name)) return;
        const auto n = parseAmount(c.args().get(name));
        if (!n || *n < 1) usage(fmt::format("{} {}: a number above 0 expected, for example {}", name, c.args().get(name), example));
        options.set(key, std::to_string(*n));
    };
    amount("--chunks", "num-chunks", "8");
    amount("--budget", "budget", "12GiB");
    if (const std::string mode = c.args().get("--mode"); !mode.empty()) {
        if (mode != "reference" && mode != "extended") usage(fmt::format("--mode {}: reference or extended", mode));
        options.set("mode", mode);
    }
    return options;
}

/// What runs before the chunker: its place is behind canonicalize-views.
void runBefore(Command& c, Graph& g, Pipeline pipeline) {
    const auto named = [&](std::string_view name) {
        return std::find_if(pipeline.steps.begin(), pipeline.steps.end(), [&](const PipelineStep& s) { return s.pass->name() == name; });
    };
    auto end = named(kChunkPass);
    if (end == pipeline.steps.end())
        if (const auto views = named("canonicalize-views"); views != pipeline.steps.end()) end = std::next(views);
    pipeline.steps.erase(end, pipeline.steps.end());
    RunOptions options;
    options.cancel = c.cancel();
    const RunResult result = runPipeline(g, pipeline, c.ops(), {}, options);
    c.warn(result.diagnostics);
    if (result.error) endWith(*result.error);
}

Graph chunkedGraph(Command& c, const std::string& file) {
    if (file != "-" && isSessionFile(file)) return graphOfSession(c, file);
    if (c.args().has("--stage")) usage("--stage names a stage of a session; " + file + " is none");
    Document document = readDocument(c, file, Wanted::Picked);
    const GraphEntry picked = pickGraph(c, document);
    if (!picked.path.empty()) usage(fmt::format("--graph {}: the chunker runs on a whole graph; take {}", picked.id, document.units[picked.unit].id));
    warnOf(c, document.units[picked.unit]);
    return std::move(document.units[picked.unit].graph);
}

std::string signedDim(const ChunkMeta& m) { return m.cut() ? std::to_string(m.dim) : "-"; }

Table nodeTable(const Graph& g, const ChunkPlan& plan) {
    Table table{{{"node", "node", false, 36},
                 {"op", "op", false, 32},
                 {"type", "type", false, 28},
                 {"dim", "chunk dim", true},
                 {"sum", "need sum"},
                 {"scale", "scale by", false, 24},
                 {"class", "class"}},
                {},
                "no node is followed"};
    const NodeId refused = plan.refusal ? plan.refusal->node : NodeId();
    for (NodeId id : g.order()) {
        const ChunkMeta* m = plan.metas.find(id);
        if (!m && id != refused) continue;
        const ChunkMeta meta = m ? *m : ChunkMeta();
        const std::string type = g[id].tensor() ? g[id].tensor()->str(false, false) : "";
        const std::string op = g[id].isCall() ? g[id].op.str() : std::string(toString(g[id].kind));
        const std::string scale = meta.scale ? "%" + g[meta.scale].name.str() : "-";
        const std::string what = plan.chunkable() ? std::string(toString(plan.classOf(id))) : id == refused ? "refuses" : "-";
        Row row;
        row.cells = {"%" + g[id].name.str(), op, type, m ? signedDim(meta) : "-", m ? (meta.sum ? "yes" : "no") : "-", scale, what};
        row.json = {{"node", g[id].name.str()},
                    {"op", op},
                    {"type", type},
                    {"dim", meta.cut() ? Json(meta.dim) : Json(nullptr)},
                    {"sum", meta.sum},
                    {"scale", meta.scale ? Json(g[meta.scale].name.str()) : Json(nullptr)},
                    {"class", what}};
        if (id == refused) row.style = Output::Style::Amber;
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table peakTable(const ChunkProposal& proposal) {
    Table table{{{"chunks", "chunks", true},
                 {"rows", "rows", true},
                 {"peak", "predicted peak", true},
                 {"saving", "saving", true},
                 {"in_chunk", "in one chunk", true},
                 {"chosen", "chosen"}},
                {},
                "no peak is predicted"};
    for (const ChunkEstimate& e : proposal.estimates) {
        const bool whole = e.asked == 1;
        const bool chosen = proposal.chosen && proposal.chosen->asked == e.asked && !proposal.refusal;
        const std::int64_t saving = proposal.estimates.front().peak - e.peak, chunks = whole ? 1 : e.cut.chunks();
        Row row;
        row.cells = {std::to_string(chunks),
                     std::to_string(whole ? proposal.plan.rows : e.rows(proposal.plan)),
                     bytesText(e.peak),
                     whole        ? "-"
                     : saving < 0 ? "-" + bytesText(-saving)
                                  : bytesText(saving),
                     whole ? "-" : bytesText(e.inBody),
                     chosen ? "yes" : ""};
        row.json = {{"chunks", chunks}, {"rows", whole ? proposal.plan.rows : e.rows(proposal.plan)}, {"peak", e.peak},
                    {"saving", saving}, {"in_chunk", whole ? Json(nullptr) : Json(e.inBody)},         {"chosen", chosen}};
        if (chosen) row.style = Output::Style::Green;
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string sentenceOf(const ChunkRefusal& refusal) {
    const Reason* reason = findReason(refusal.code, "chunk");
    return refusal.code + ": " + (reason ? fillSentence(reason->sentence, refusal.params) : "");
}

std::string pathText(const Graph& g, const ChunkPlan& plan) {
    std::string out;
    for (NodeId id : plan.path) {
        const ChunkMeta* m = plan.metas.find(id);
        out += fmt::format("  %{} {}{}\n", g[id].name.str(), g[id].op.str(), m ? ", cut " + describeMeta(*m) : "");
    }
    return out;
}

Json proposalJson(const Graph& g, const ChunkProposal& proposal, bool nodes) {
    const ChunkPlan& plan = proposal.plan;
    Json amplifier = nullptr;
    if (plan.amplifier)
        amplifier = {{"node", g[plan.amplifier->node].name.str()},
                     {"bytes_in", plan.amplifier->bytesIn},
                     {"bytes_out", plan.amplifier->bytesOut},
                     {"ratio", plan.amplifier->ratio()}};
    Json refusal = nullptr;
    if (proposal.refusal) {
        Json params = Json::object(), path = Json::array();
        for (const auto& [key, value] : proposal.refusal->params) params[key] = value;
        for (NodeId id : plan.path) path.push_back(g[id].name.str());
        const Reason* reason = findReason(proposal.refusal->code, "chunk");
        refusal = {{"code", proposal.refusal->code},
                   {"sentence", reason ? fillSentence(reason->sentence, proposal.refusal->params) : ""},
                   {"params", params},
                   {"node", proposal.refusal->node ? Json(g[proposal.refusal->node].name.str()) : Json(nullptr)},
                   {"path", path}};
    }
    Json out = {{"status", proposal.refusal ? "refused" : "applied"},
                {"amplifier", amplifier},
                {"refusal", refusal},
                {"chunks", proposal.chosen && !proposal.refusal ? Json(proposal.chosen->cut.chunks()) : Json(nullptr)},
                {"region",
                 {{"nodes", plan.annotated()},
                  {"tangents", plan.tangents.size()},
                  {"inputs", plan.inputs.size()},
                  {"body", plan.body.size()},
                  {"outputs", plan.outputs.size()}}},
                {"peaks", peakTable(proposal).json()}};
    if (nodes) out["nodes"] = nodeTable(g, plan).json();
    return out;
}

void writeProposal(Command& c, const Graph& g, const ChunkProposal& proposal, bool nodes) {
    const ChunkPlan& plan = proposal.plan;
    Output& out = c.out();
    if (plan.amplifier)
        out.write(fmt::format("amplifier %{}: {} in, {} out ({:.1f} x)\n", g[plan.amplifier->node].name.str(), bytesText(plan.amplifier->bytesIn),
                              bytesText(plan.amplifier->bytesOut), plan.amplifier->ratio()));
    if (proposal.refusal) {
        out.write(out.styled(Output::Style::Amber, "not applied, " + sentenceOf(*proposal.refusal)) + "\n");
        if (plan.path.size() > 1) out.write("from the amplifier to the node that refuses:\n" + pathText(g, plan));
    } else {
        out.write(out.styled(Output::Style::Green,
                             fmt::format("applied: {} chunks of {} rows", proposal.chosen->cut.chunks(), proposal.chosen->rows(plan))) +
                  "\n");
    }
    if (plan.chunkable())
        out.write(fmt::format("region: {} nodes, {} of them inputs, {} outputs, {} tangents\n\n", plan.annotated(), plan.inputs.size(),
                              plan.outputs.size(), plan.tangents.size()));
    if (!proposal.estimates.empty()) writeTable(out, peakTable(proposal), Format::Table);
    if (!nodes) return;
    out.write("\n");
    writeTable(out, nodeTable(g, plan), Format::Table);
}

}  // namespace

void runChunk(Command& c) {
    const Pipeline pipeline = chosenPipeline(c, "remove-noops,fold-constants,canonicalize-views");
    ChunkRequest request = chunkRequest(chunkOptions(c, pipeline));
    request.everyEstimate = true;
    Graph graph = chunkedGraph(c, c.args().at(0));
    runBefore(c, graph, pipeline);
    const ChunkProposal proposal = proposeChunks(graph, c.ops(), request);
    const bool nodes = c.args().has("--plan");
    if (c.json()) return c.answerJson(proposalJson(graph, proposal, nodes));
    if (c.format() != Format::Table) return writeTable(c.out(), nodes ? nodeTable(graph, proposal.plan) : peakTable(proposal), c.format());
    writeProposal(c, graph, proposal, nodes);
}

}  // namespace aliascope::cli
