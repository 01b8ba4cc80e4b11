// `import`: reads files into a session without running a pipeline; every graph gets a lane that holds the graph as it was read.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "app/cli/command.h"
#include "app/cli/limits.h"
#include "app/cli/source.h"
#include "core/recording/foreign_lanes.h"
#include "core/recording/recorder.h"
#include "core/recording/recording.h"
#include "core/text/stage_order.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

/// With --latest the file that was changed last, else all that are given.
std::vector<std::string> chosenFiles(Command& c) {
    std::vector<std::string> files = c.args().positional;
    if (!c.args().has("--latest")) return files;
    const auto timeOf = [](const std::string& file) {
        std::error_code error;
        const auto time = fs::last_write_time(file, error);
        return error ? fs::file_time_type::min() : time;
    };
    const std::string latest = *std::max_element(files.begin(), files.end(), [&](const auto& a, const auto& b) { return timeOf(a) < timeOf(b); });
    if (files.size() > 1) c.note("latest: " + latest);
    return {latest};
}

/// Units that --graph names, else all.
std::vector<std::size_t> chosenUnits(Command& c, const Document& document) {
    std::vector<std::size_t> out;
    for (const GraphEntry& entry : selectedGraphs(c, document))
        if (std::find(out.begin(), out.end(), entry.unit) == out.end()) out.push_back(entry.unit);
    return out;
}

/// A lane with the graph as it was read. False, with a warning, when the session may have no further lane.
bool importUnit(Command& c, Recorder& recorder, std::int64_t graph, Unit& unit) {
    auto observer = recorder.beginLane(graph, "imported", c.ops());
    if (!observer && observer.error().code == "R050") {
        Diagnostic d = observer.error();
        d.severity = Severity::Warning;
        d.note = "the graphs are in the session, stages of their own only those before graph " + std::to_string(graph) +
                 " have; --graph or --latest picks";
        c.warn(d);
        return false;
    }
    if (!observer) endWith(observer.error());
    RunOptions options;
    options.cancel = c.cancel();
    const RunResult result = runPipeline(unit.graph, Pipeline(), c.ops(), {*observer}, options);
    if (result.error) c.error(*result.error, ExitPass);
    return true;
}

/// Stages that the file holds already, as lanes.
void importStages(Command& c, Recorder& recorder, const Document& document, const std::vector<std::size_t>& units,
                  const std::vector<std::int64_t>& ids) {
    if (auto recorded = recordForeignLanes(recorder, document, units, ids, c.ops(), c.cancel()); !recorded) {
        Diagnostic d = recorded.error();
        d.severity = Severity::Warning;
        if (d.code == "R050") d.note = "the graphs are in the session, not all stages of theirs; --graph or --latest picks";
        c.warn(d);
    }
}

/// Lanes that the file needs for all that importUnit and importStages make of these units, beside those that the session has.
std::size_t lanesWanted(const std::string& session, const Document& document, const std::vector<std::size_t>& units) {
    const auto recording = Recording::open(session);
    const std::unordered_set<std::size_t> named(units.begin(), units.end());
    const auto chains = stageChains(document);
    const auto stepped = std::count_if(chains.begin(), chains.end(), [&](const StageChain& chain) {
        return named.contains(chain.home) || std::any_of(units.begin(), units.end(), [&](std::size_t unit) {
                   return sameCompilation(document.units[chain.home], document.units[unit]);
               });
    });
    return (recording ? (*recording)->lanes().size() : 0) + units.size() + std::size_t(stepped);
}

}  // namespace

void runImport(Command& c) {
    const std::string session = c.args().get("--output");
    if (session.empty() || session == "-") usage("`import` needs -o SESSION, the file that the graphs go to");
    auto recorder = Recorder::create(session, chosenLimits(c).recording);
    if (!recorder) throw Failure{exitCodeOf(recorder.error()) == ExitInput ? ExitOutput : exitCodeOf(recorder.error()), recorder.error().format()};
    Table table{
        {{"id", "graph"}, {"name", "name", false, 48}, {"kind", "kind"}, {"nodes", "nodes", true}, {"source", "source", false, 48}}, {}, "no graph"};
    Json sources = Json::array();
    for (const std::string& file : chosenFiles(c)) {
        if (file != "-" && isSessionFile(file)) usage(file + " is a session already; `run` adds lanes to it");
        Document document = readDocument(c, file);
        for (const Unit& unit : document.units) warnOf(c, unit);
        sources.push_back(file);
        const auto ids = (*recorder)->addDocument(document);
        if (!ids) endWith(ids.error());
        const auto units = chosenUnits(c, document);
        // Where there is no room for a lane of every graph, stages count more than single graphs.
        const bool crowded = lanesWanted(session, document, units) > static_cast<std::size_t>(chosenLimits(c).recording.lanes);
        if (crowded) importStages(c, **recorder, document, units, *ids);
        bool room = true;
        for (const std::size_t unit : units) {
            Unit& one = document.units[unit];
            const std::int64_t nodes = one.statedNodes;
            room = room && importUnit(c, **recorder, ids->at(unit), one);
            Row row;
            row.cells = {std::to_string(ids->at(unit)), one.label, std::string(toString(one.graph.phase)), std::to_string(nodes), file};
            row.json = {
                {"id", std::to_string(ids->at(unit))}, {"name", one.label}, {"kind", toString(one.graph.phase)}, {"nodes", nodes}, {"source", file}};
            table.rows.push_back(std::move(row));
        }
        // Behind the graphs: what is shown of a session without further ado is its last lanes.
        if (!crowded) importStages(c, **recorder, document, units, *ids);
    }
    if (auto closed = (*recorder)->close(); !closed) c.error(closed.error(), ExitOutput);
    c.input["path"] = sources;
    c.input["session"] = session;
    if (c.json()) return c.answerJson({{"graphs", table.json()}, {"session", session}});
    writeTable(c.out(), table, c.format());
    c.note("written to " + session);
}

}  // namespace aliascope::cli
