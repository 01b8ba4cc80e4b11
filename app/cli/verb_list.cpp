// `list`: what a file or a session holds.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/command.h"
#include "app/cli/source.h"

namespace aliascope::cli {
namespace {

/// Operators of the graph that no schema is known of, operators inside wrappers included, each once, sorted.
std::vector<std::string> unknownOps(const OpRegistry& ops, const Graph& g) {
    std::set<std::string> out;
    auto check = [&](Name op) {
        const std::string_view text = op.view();
        const std::string_view space = text.substr(0, text.find("::"));
        static const std::set<std::string_view> known = {"hop", "operator", "torch", "python", "math", "builtin", ""};
        if (!known.contains(space) && !ops.find(op) && ops.overloads(packetOf(op)).empty()) out.insert(op.str());
    };
    for (NodeId id : inOrder(g)) {
        const Node& node = g[id];
        if (node.kind == NodeKind::CallFunction) check(node.op);
        for (const Value& arg : node.args)
            if (arg.kind() == Value::Kind::Op) check(arg.name());
    }
    return {out.begin(), out.end()};
}

std::int64_t callsOf(const Graph& g) {
    std::int64_t n = 0;
    for (NodeId id : inOrder(g)) n += g[id].isCall();
    return n;
}

std::int64_t distinctOps(const Graph& g) {
    std::set<Name> ops;
    for (NodeId id : inOrder(g))
        if (g[id].isCall()) ops.insert(g[id].op ? g[id].op : g[id].target);
    return static_cast<std::int64_t>(ops.size());
}

std::vector<std::string> symbolsOf(const Graph& g) {
    std::vector<std::string> out;
    for (const auto& [name, facts] : g.symbols) out.push_back(name.str());
    std::sort(out.begin(), out.end());
    return out;
}

std::string joined(const std::vector<std::string>& words, std::size_t most) {
    std::string out;
    for (std::size_t i = 0; i < words.size() && i < most; ++i) out += (i ? ", " : "") + words[i];
    if (words.size() > most) out += fmt::format(", … ({})", words.size());
    return out;
}

const std::vector<Column> columns = {{"id", "graph"},
                                     {"name", "name", false, 40},
                                     {"compile_id", "compilation", false, 24},
                                     {"kind", "kind"},
                                     {"nodes", "nodes", true},
                                     {"calls", "calls", true},
                                     {"ops", "operators", true},
                                     {"line", "line", true},
                                     {"symbols", "symbols", false, 30},
                                     {"unknown_ops", "unknown operators", false, 60},
                                     {"file", "file", false, 60}};
constexpr std::size_t kCompilation = 2, kFile = 10;

/// `0/0`, `rank 1 0/0 (2nd)`, `model 3`: which compilation a graph belongs to; empty when the file does not say.
std::string compilationOf(const UnitGroup& group) {
    std::string out = group.rank ? fmt::format("rank {} ", *group.rank) : "";
    if (!group.compileId.empty())
        out += group.compileId;
    else if (group.aotId)
        out += fmt::format("model {}", *group.aotId);
    else
        return {};
    return group.run > 0 ? fmt::format("{} (run {})", out, group.run + 1) : out;
}

Json optional(const std::optional<int>& number) { return number ? Json(*number) : Json(nullptr); }

Json signatureJson(const std::vector<SignatureEntry>& entries) {
    Json out = Json::array();
    for (const SignatureEntry& e : entries) out.push_back({{"kind", e.kind.str()}, {"name", e.name.str()}, {"target", orNull(e.target.str())}});
    return out;
}

/// What the file tells of a graph beside its nodes.
void addPlace(Json& row, const Unit& unit) {
    row["stage"] = orNull(unit.stage);
    row["compile_id"] = orNull(unit.group.compileId);
    row["rank"] = optional(unit.group.rank);
    row["attempt"] = optional(unit.group.attempt);
    row["aot_id"] = optional(unit.group.aotId);
    row["run"] = unit.group.run + 1;
    row["abandoned"] = unit.abandoned;
    row["file"] = orNull(unit.member);
    if (!unit.signature.empty())
        row["signature"] = {{"inputs", signatureJson(unit.signature.inputs)}, {"outputs", signatureJson(unit.signature.outputs)}};
}

/// Columns that say nothing of any graph are left out.
void dropEmptyColumn(Table& table, std::size_t column) {
    const auto filled = [&](const Row& row) { return !row.cells[column].empty(); };
    if (std::any_of(table.rows.begin(), table.rows.end(), filled)) return;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (Row& row : table.rows) row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
}

/// What the file tells beside the graphs: the first line of each note.
void tellNotes(Command& c, const Document& document) {
    constexpr std::size_t kShown = 10;
    std::size_t count = 0;
    for (const Unit& unit : document.units)
        for (const std::string& note : unit.notes)
            if (count++ < kShown) c.note(fmt::format("graph {}: {}", unit.id, note.substr(0, note.find('\n'))));
    if (count > kShown) c.note(fmt::format("{} more notes on graphs; --json lists them", count - kShown));
}

void listDocument(Command& c, const std::string& file) {
    const Document document = readDocument(c, file);
    Table table{columns, {}, "no graph"};
    Json diagnostics = Json::array();
    for (const Diagnostic& d : document.diagnostics) diagnostics.push_back(diagnosticJson(d));
    std::size_t announced = document.units.size();
    for (const GraphEntry& entry : selectedGraphs(c, document)) {
        const Unit& unit = document.units[entry.unit];
        const bool whole = entry.path.empty();
        if (whole && announced != entry.unit) {
            announced = entry.unit;
            c.warn(unit.diagnostics);
            for (const Diagnostic& d : unit.diagnostics) {
                Json row = diagnosticJson(d);
                row["graph"] = unit.id;
                diagnostics.push_back(std::move(row));
            }
        }
        const auto unknown = unknownOps(c.ops(), *entry.graph);
        const auto symbols = symbolsOf(*entry.graph);
        const std::string kind = whole ? std::string(toString(entry.graph->phase)) : "sub-graph";
        const std::int64_t calls = callsOf(*entry.graph), distinct = distinctOps(*entry.graph);
        Row row;
        row.cells = {entry.id,
                     entry.label,
                     compilationOf(unit.group),
                     kind,
                     std::to_string(entry.nodes),
                     std::to_string(calls),
                     std::to_string(distinct),
                     whole ? std::to_string(unit.firstLine) : "",
                     joined(symbols, 6),
                     joined(unknown, 4),
                     unit.member};
        row.json = {{"id", entry.id},
                    {"name", entry.label},
                    {"kind", kind},
                    {"form", std::string(graphFormName(unit.form))},
                    {"nodes", entry.nodes},
                    {"calls", calls},
                    {"ops", distinct},
                    {"unknown_ops", unknown},
                    {"symbols", symbols},
                    {"line", unit.firstLine},
                    {"notes", whole ? Json(unit.notes) : Json::array()}};
        if (whole) addPlace(row.json, unit);
        table.rows.push_back(std::move(row));
    }
    if (c.json()) {
        Json skipped = Json::array();
        for (const SkippedMember& member : document.skipped) skipped.push_back({{"file", member.name}, {"why", member.why}});
        return c.answerJson({{"graphs", table.json()}, {"diagnostics", diagnostics}, {"skipped", std::move(skipped)}});
    }
    tellNotes(c, document);
    if (!document.skipped.empty()) c.note(fmt::format("{} of the files hold no graph; --json lists them", document.skipped.size()));
    dropEmptyColumn(table, kFile);
    dropEmptyColumn(table, kCompilation);
    writeTable(c.out(), table, c.format());
}

/// Operators without schema among the stages of a graph.
Json unknownOps(const Recording& recording, std::int64_t graph) {
    Json out = Json::array();
    const auto found =
        recording.query("SELECT DISTINCT u.op FROM v_unknown_op u JOIN stage s ON s.id = u.stage_id JOIN lane l ON l.id = s.lane WHERE l.graph = " +
                        std::to_string(graph) + " AND u.op IS NOT NULL ORDER BY 1");
    if (found)
        for (const auto& row : found->rows) out.push_back(row[0].value_or(""));
    return out;
}

void listSession(Command& c, const std::string& file) {
    auto recording = Recording::open(file);
    if (!recording) endWith(recording.error());
    c.input = {{"path", file}, {"container", "session"}};
    const auto lanes = (*recording)->lanes();
    Table table{{{"id", "graph"},
                 {"name", "name", false, 40},
                 {"kind", "kind"},
                 {"nodes", "nodes", true},
                 {"source", "source", false, 40},
                 {"lanes", "lanes"}},
                {},
                "no graph"};
    const std::string wanted = c.args().get("--graph");
    for (const GraphRow& graph : (*recording)->graphs()) {
        if (!wanted.empty() && std::to_string(graph.id) != wanted && !graph.name.starts_with(wanted)) continue;
        std::vector<std::string> names;
        Json laneRows = Json::array();
        for (const LaneRow& lane : lanes) {
            if (lane.graph != graph.id) continue;
            names.push_back(lane.state == "complete" ? lane.name : lane.name + " (" + lane.state + ")");
            laneRows.push_back(
                {{"id", std::to_string(lane.id)}, {"name", lane.name}, {"pipeline", lane.pipeline}, {"state", lane.state}, {"stages", lane.stages}});
        }
        Row row;
        row.cells = {std::to_string(graph.id), graph.name, graph.phase, std::to_string(graph.nodes), graph.sourcePath, joined(names, 8)};
        row.json = {{"id", std::to_string(graph.id)},
                    {"name", graph.name},
                    {"kind", graph.phase},
                    {"nodes", graph.nodes},
                    {"unknown_ops", unknownOps(**recording, graph.id)},
                    {"source", graph.sourcePath},
                    {"lanes", laneRows}};
        table.rows.push_back(std::move(row));
    }
    if (!wanted.empty() && table.rows.empty()) throw Failure{ExitNotFound, fmt::format("no graph {} in {}", wanted, file)};
    if (!c.json()) return writeTable(c.out(), table, c.format());
    Json diagnostics = Json::array();
    for (const DiagnosticRow& d : (*recording)->diagnostics())
        diagnostics.push_back({{"severity", d.severity},
                               {"audience", d.audience},
                               {"code", d.code},
                               {"sentence", d.sentence},
                               {"file", orNull(d.file)},
                               {"line", d.line},
                               {"column", d.col}});
    c.answerJson({{"graphs", table.json()}, {"diagnostics", diagnostics}});
}

}  // namespace

void runList(Command& c) {
    const std::string file = c.args().at(0);
    if (file != "-" && isSessionFile(file))
        listSession(c, file);
    else
        listDocument(c, file);
}

}  // namespace aliascope::cli
