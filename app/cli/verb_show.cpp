// `show` and `opt`: one graph as text.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/graph_text.h"
#include "app/cli/source.h"
#include "app/cli/stage_selection.h"

namespace aliascope::cli {
namespace {

GraphOutput chosenForm(Command& c, GraphOutput fallback) {
    const std::string name = c.args().get("--as");
    if (!c.args().has("--as")) return c.json() ? GraphOutput::Json : fallback;
    const GraphOutput form = graphOutput(name);
    if (c.json() && form != GraphOutput::Json) usage(fmt::format("--json and --as {} contradict each other", name));
    return form;
}

void print(Command& c, const Graph& g, GraphOutput form) {
    if (form == GraphOutput::Json) return c.answerJson({{"graph", graphJson(g)}});
    c.out().writeForeign(graphText(g, form));
}

GraphOutput formOf(const Unit& unit) {
    const bool asGraph = unit.form == GraphForm::GraphText || unit.form == GraphForm::Table;
    return asGraph ? GraphOutput::Graph : GraphOutput::Readable;
}

/// The graph itself or the sub-graph at `path`; a pass may have removed it.
const Graph& descend(const Graph& g, const GraphEntry& entry) {
    const Graph* at = &g;
    for (Name attribute : entry.path) {
        at = at->subGraph(attribute);
        if (!at) throw Failure{ExitNotFound, fmt::format("sub-graph {} is no longer there after the passes", entry.id)};
    }
    return *at;
}

void showStage(Command& c, const Staged& staged) {
    const std::string selector = c.args().get("--stage");
    const StageRow stage = pickStage(staged, selector.empty() ? "last" : selector);
    c.input["stage"] = stage.name;
    const std::string as = c.args().get("--as");
    if (as == "svg") return c.out().write(report::stageSvg(pictureOf(c, staged, stage), true, c.cancel()));
    if (const auto nodes = selectedNodes(c, staged, stage)) {
        if (as == "dot") return c.out().write(report::stageDot(pictureOf(c, staged, stage)));
        if (!as.empty() && as != "json") usage(fmt::format("--find and --node give rows; --as {} is the whole stage", as));
        const Table table = nodeRows(staged, stage, *nodes);
        if (table.rows.empty()) c.setExit(ExitNotFound);
        if (as == "json") return c.answerJson({{"nodes", table.json()}});
        return c.answer(table, "nodes");
    }
    const GraphOutput form = chosenForm(c, GraphOutput::Readable);
    auto graph = staged.recording->graph(staged.lane.id, stage.idx, c.ops());
    if (!graph) endWith(graph.error());
    print(c, *graph, form);
}

void optimise(Command& c, Graph& g, const Pipeline& pipeline) {
    if (pipeline.steps.empty()) return;
    const RunResult result = runPipeline(g, pipeline, c.ops(), {}, runOptions(c, pipeline));
    for (const Diagnostic& d : result.diagnostics)
        if (!result.error || d.code != result.error->code) c.warn(d);
    if (result.error) c.error(*result.error, ExitPass);
}

}  // namespace

void runShow(Command& c) {
    const std::string file = c.args().at(0);
    const bool runs = c.args().has("--pipeline") || c.args().has("--passes") || c.args().has("--stage");
    // A part, or a picture, is one of a stage: then the graph as it was read is the stage.
    const bool part = c.args().has("--find") || c.args().has("--node") || c.args().get("--as") == "svg" || c.args().has("--width");
    if (part && !runs && (file == "-" || !isSessionFile(file))) return showStage(c, openImported(c, file));
    if (runs || (file != "-" && isSessionFile(file))) return showStage(c, openStaged(c, file));
    const Document document = readDocument(c, file, Wanted::Picked);
    const GraphEntry picked = pickGraph(c, document);
    warnOf(c, document.units[picked.unit]);
    print(c, *picked.graph, chosenForm(c, formOf(document.units[picked.unit])));
}

void runOpt(Command& c) {
    const std::string file = c.args().at(0);
    const Pipeline pipeline = chosenPipeline(c, "");
    if (file != "-" && isSessionFile(file)) {
        Graph graph = graphOfSession(c, file);
        const GraphOutput form = chosenForm(c, GraphOutput::Readable);
        optimise(c, graph, pipeline);
        return print(c, graph, form);
    }
    if (c.args().has("--stage")) usage("--stage names a stage of a session; " + file + " is none");
    if (pipeline.steps.empty() && (c.args().has("--until") || c.args().has("--skip"))) usage("--until and --skip need --pipeline or --passes");
    Document document = readDocument(c, file, Wanted::Picked);
    const GraphEntry picked = pickGraph(c, document);
    Unit& unit = document.units[picked.unit];
    warnOf(c, unit);
    const GraphOutput form = chosenForm(c, formOf(unit));
    optimise(c, unit.graph, pipeline);
    print(c, descend(unit.graph, picked), form);
}

}  // namespace aliascope::cli
