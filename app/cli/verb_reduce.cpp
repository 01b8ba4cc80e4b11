// `reduce`: the smallest graph that still shows a property, and the command that shows it.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/number_text.h"
#include "app/cli/source.h"
#include "core/reduce/property.h"
#include "core/reduce/reduce_graph.h"
#include "core/text/print.h"

namespace aliascope::cli {
namespace {

double seconds(Command& c) {
    const std::string text = c.args().get("--timeout");
    if (text.empty()) return 0;
    const auto value = numberIn<double>(text);
    if (!value || !(*value > 0)) usage(fmt::format("--timeout {}: seconds expected", text));
    return *value;
}

std::uint64_t seedOf(Command& c) {
    const std::string text = c.args().get("--seed");
    if (text.empty()) return 0;
    const auto value = numberIn<std::uint64_t>(text);
    if (!value) usage(fmt::format("--seed {}: a number expected", text));
    return *value;
}

std::string quoted(const std::string& word) {
    if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,") == std::string::npos)
        return word;
    std::string out = "'";
    for (char ch : word) out += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
    return out + "'";
}

/// The command that shows the property of a graph in `file`.
std::string showingCommand(Command& c, const std::string& file, const std::string& keep) {
    const auto has = [&](const char* word) { return keep.find(word) != std::string::npos; };
    std::string verb = "run", more;
    if (has("differs")) verb = "exec";
    if (has("finding(STALE_READ)") || has("finding(UNDEFINED_READ)")) verb = "exec", more = " --sanitize reads";
    if (has("decision(") || has("code:") || has("need:") || has("verdict:")) verb = "decisions";
    if (verb == "exec" && c.args().has("--seed")) more += " --seed " + c.args().get("--seed");
    std::string out = fmt::format("aliascope {} {}", verb, quoted(file));
    for (const char* option : {"--pipeline", "--passes", "--patterns"})
        if (c.args().has(option)) out += fmt::format(" {} {}", option, quoted(c.args().get(option)));
    for (const std::string& ops : c.args().all("--ops")) out += " --ops " + quoted(ops);
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
    options.seed = seedOf(c);
    options.standIn = c.args().has("--stand-in");
    options.cancel = c.cancel();
    ReduceOptions limits;
    limits.mostSeconds = seconds(c);
    limits.cancel = c.cancel();
    if (colorTerminal(stderr) && !c.args().has("--quiet"))
        limits.progress = [](double, std::string_view what) { std::fprintf(stderr, "\r\x1b[K%.*s", static_cast<int>(what.size()), what.data()); };

    const Graph opened = openedGraph(c, c.args().at(0));
    auto property = Property::parse(keep, pipeline, c.ops(), options);
    if (!property) throw Failure{ExitUsage, "--keep: " + property.error().format()};
    if (!property->holds(opened)) throw Failure{ExitNotFound, fmt::format("the graph does not show {}; nothing was reduced", keep)};

    const Reduction reduced = reduceGraph(
        opened, c.ops(), [&](const Graph& g) { return property->holds(g); }, limits);
    if (limits.progress) std::fputs("\r\x1b[K", stderr);
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
