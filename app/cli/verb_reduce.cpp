// `reduce`: the smallest graph that still shows a property, and the command that shows it.

#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/number_option.h"
#include "app/cli/progress_line.h"
#include "app/cli/source.h"
#include "core/reduce/property.h"
#include "core/reduce/reduce_graph.h"
#include "core/support/shell_word.h"
#include "core/text/print.h"

namespace aliascope::cli {
using words::shellWord;

namespace {

double seconds(Command& c) {
    const auto value = numberOption<double>(c, "--timeout", "seconds");
    if (value && *value == 0) usage("--timeout 0: seconds expected");
    return value.value_or(0);
}

/// The command that shows the property of a graph in `file`.
std::string showingCommand(Command& c, const std::string& file, const std::string& keep) {
    const auto has = [&](const char* word) { return keep.find(word) != std::string::npos; };
    std::string verb = "run", more;
    if (has("differs")) verb = "exec";
    if (has("finding(STALE_READ)") || has("finding(UNDEFINED_READ)")) verb = "exec", more = " --sanitize reads";
    if (has("decision(") || has("code:") || has("need:") || has("verdict:")) verb = "decisions";
    if (verb == "exec" && c.args().has("--seed")) more += " --seed " + c.args().get("--seed");
    std::string out = fmt::format("aliascope {} {}", verb, shellWord(file));
    for (const char* option : {"--pipeline", "--passes", "--patterns"})
        if (c.args().has(option)) out += fmt::format(" {} {}", option, shellWord(c.args().get(option)));
    for (const std::string& ops : c.args().all("--ops")) out += " --ops " + shellWord(ops);
    return out + more;
}

Graph openedGraph(Command& c, const std::string& file) {
    if (file != "-" && isSessionFile(file)) return graphOfSession(c, file);
    if (c.args().has("--stage")) usage("--stage names a stage of a session; " + file + " is none");
    Document document = readDocument(c, file, Wanted::Picked);
    const GraphEntry picked = pickGraph(c, document);
    warnOf(c, document.units[picked.unit]);
    return picked.graph->clone();
}

/// What was written may be read differently: symbols have no hints in a text.
bool holdsWhenRead(const std::string& text, const Property& property, const OpRegistry& ops) {
    const auto again = readText(text, "reduced", ops);
    return again && again->units.size() == 1 && property.holds(again->units[0].graph);
}

}  // namespace

void runReduce(Command& c) {
    const std::string keep = c.args().get("--keep");
    if (keep.empty()) usage("reduce needs --keep: what the smaller graph must still show, for example --keep 'clones>=1'");
    const Pipeline pipeline = chosenPipeline(c, "best");
    PropertyOptions options;
    options.seed = numberOption<std::uint64_t>(c, "--seed", "a number").value_or(0);
    options.standIn = c.args().has("--stand-in");
    options.cancel = c.cancel();
    ReduceOptions limits;
    limits.mostSeconds = seconds(c);
    limits.cancel = c.cancel();
    if (colorTerminal(stderr) && !c.args().has("--quiet"))
        limits.progress = [line = std::make_shared<ProgressLine>()](double fraction, std::string_view what) { line->show(fraction, what); };

    const Graph opened = openedGraph(c, c.args().at(0));
    auto property = Property::parse(keep, pipeline, c.ops(), options);
    if (!property) throw Failure{ExitUsage, "--keep: " + property.error().format()};
    if (!property->holds(opened)) throw Failure{ExitNotFound, fmt::format("the graph does not show {}; nothing was reduced", keep)};

    const Reduction reduced = reduceGraph(
        opened, c.ops(), [&](const Graph& g) { return property->holds(g); }, limits);
    limits.progress = nullptr;
    const std::string text = printReadable(reduced.graph);
    const std::string file = c.args().has("--output") ? c.args().get("--output") : "reduced.py";
    const std::string command = showingCommand(c, file, keep);
    if (!holdsWhenRead(text, *property, c.ops()))
        c.note("read back from its text the graph does not show the property: sizes that are symbols have no values there");
    if (c.cancel().cancelled())
        c.setExit(ExitInterrupted);
    else if (!reduced.complete)
        c.setExit(ExitTimeout);
    if (c.json())
        return c.answerJson({{"keep", keep},
                             {"graph", text},
                             {"nodes", reduced.graph.size()},
                             {"nodes_before", opened.size()},
                             {"tries", reduced.tries},
                             {"taken", reduced.taken},
                             {"complete", reduced.complete},
                             {"command", command}});
    c.note(fmt::format("{} of {} nodes left after {} tries{}", reduced.graph.size(), opened.size(), reduced.tries,
                       reduced.complete ? "" : "; stopped before it was done"));
    c.out().writeForeign("# " + keep + ": " + command + "\n" + text);
}

}  // namespace aliascope::cli
