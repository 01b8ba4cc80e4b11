// `compare`: two lanes, sessions, files or stages side by side (ui.md 2.14): the first stage that differs, figures of both, nodes that only one has.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/cli/command.h"
#include "app/cli/gates.h"
#include "app/cli/number_text.h"
#include "app/cli/source.h"
#include "core/recording/lane_comparison.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

/// `FILE[:LANE][@STAGE]`.
struct Side {
    std::string text, file, lane, stage;
};

bool fileExists(const std::string& path) {
    std::error_code ignored;
    return path == "-" || fs::exists(path, ignored);
}

Side sideOf(const std::string& text) {
    Side out{text, text, "", ""};
    if (fileExists(out.file)) return out;
    if (const std::size_t at = out.file.rfind('@'); at != std::string::npos && at > 0) {
        out.stage = out.file.substr(at + 1);
        out.file.resize(at);
        if (out.stage.empty()) usage(fmt::format("{}: a stage is expected after @", text));
        if (fileExists(out.file)) return out;
    }
    // A pipeline may hold colons in its options; the file is the longest part that exists.
    for (std::size_t colon = out.file.rfind(':'); colon != std::string::npos && colon > 0; colon = out.file.rfind(':', colon - 1)) {
        if (!fileExists(out.file.substr(0, colon))) continue;
        out.lane = out.file.substr(colon + 1);
        out.file.resize(colon);
        if (out.lane.empty()) usage(fmt::format("{}: a lane or pipeline is expected after :", text));
        return out;
    }
    throw Failure{ExitInput, fmt::format("{}: no such file; a side of `compare` is FILE, FILE:LANE, FILE@STAGE or FILE:LANE@STAGE", text)};
}

struct Loaded {
    Side side;
    Staged staged;
    StageRow stage;  ///< whose figures are compared
    LaneFigures figures;
    std::string title;
    LaneRef lane() const { return {staged.recording.get(), staged.lane.id}; }
};

Loaded load(Command& c, const Side& side) {
    Loaded out{side, openLane(c, side.file, side.lane), {}, {}, ""};
    const std::string asked = !side.stage.empty() ? side.stage : c.args().get("--stage");
    const StageRow lastGood = totalsOf(out.lane()).last;
    out.stage = asked.empty() && lastGood.id != 0 ? lastGood : pickStage(out.staged, asked.empty() ? "last" : asked);
    out.figures = figuresOf(c, out.staged, true, out.stage);
    const std::string file = fs::path(side.file).filename().string();
    out.title = fmt::format("{}:{}", file, out.staged.lane.name);
    if (!asked.empty()) out.title += "@" + out.stage.name;
    if (const std::string why = incompleteness(out.staged); !why.empty()) c.note(fmt::format("{}: {}", side.text, why));
    return out;
}

/// What is recorded of the stage's values against the first stage of its lane; empty = nothing. Stages of equal graphs share one run.
std::string numericsOf(const Loaded& side) {
    std::map<int, std::uint64_t> hashes;
    for (const StageRow& stage : side.staged.recording->stages(side.staged.lane.id)) hashes[stage.idx] = stage.hash;
    std::string out;
    for (const ComparisonRow& row : side.staged.recording->comparisons(side.staged.lane.id)) {
        if (hashes[row.stageA] == side.stage.hash && out.empty()) out = "same";
        if (hashes[row.stageB] != side.stage.hash) continue;
        out = row.verdict;
        if (!row.first.empty()) out += " from " + row.first + " on";
    }
    return out;
}

struct Figure {
    std::string name, key;
    std::optional<std::int64_t> a, b;
    bool bytes = false;
};

std::vector<Figure> figuresOf(const Loaded& a, const Loaded& b) {
    return {{"nodes", "nodes", a.stage.nodes, b.stage.nodes, false},
            {"clones", "clones", a.stage.clones, b.stage.clones, false},
            {"cloned", "cloned_bytes", a.stage.clonedBytes, b.stage.clonedBytes, true},
            {"copied back", "copied_back_bytes", a.stage.copiedBackBytes, b.stage.copiedBackBytes, true},
            {"copies back", "copies_back", a.stage.copiesBack, b.stage.copiesBack, false},
            {"self-copies", "self_copies", a.stage.selfCopies, b.stage.selfCopies, false},
            {"predicted peak", "peak", a.figures.peak, b.figures.peak, true}};
}

std::string figureText(const std::optional<std::int64_t>& n, bool bytes) { return bytes ? bytesText(n, "unknown") : n ? grouped(*n) : "unknown"; }

std::string difference(const Figure& f) {
    if (!f.a || !f.b) return "?";
    if (*f.a == *f.b) return "=";
    const std::int64_t d = *f.b - *f.a;
    return (d > 0 ? "+" : "-") + (f.bytes ? bytesText(d > 0 ? d : -d) : grouped(d > 0 ? d : -d));
}

Table figureTable(const Loaded& a, const Loaded& b, const std::string& numericsA, const std::string& numericsB) {
    Table table{{{"figure", ""}, {"a", a.title, true}, {"b", b.title, true}, {"difference", "difference", true}}, {}, ""};
    for (const Figure& f : figuresOf(a, b))
        table.rows.push_back(
            {{f.name, figureText(f.a, f.bytes), figureText(f.b, f.bytes), difference(f)},
             {{"figure", f.key}, {"a", orNull(f.a)}, {"b", orNull(f.b)}, {"difference", f.a && f.b ? Json(*f.b - *f.a) : Json(nullptr)}}});
    const std::string none = "not recorded";
    const bool known = !numericsA.empty() && !numericsB.empty();
    table.rows.push_back({{"numerics", numericsA.empty() ? none : numericsA, numericsB.empty() ? none : numericsB,
                           !known                   ? "?"
                           : numericsA == numericsB ? "="
                                                    : "differs"},
                          {{"figure", "numerics"}, {"a", orNull(numericsA)}, {"b", orNull(numericsB)}, {"difference", nullptr}}});
    table.columns[0].title = " ";
    return table;
}

Table pairTable(const std::vector<StagePair>& pairs) {
    Table table{{{"name", "stage"},
                 {"equal", "graph"},
                 {"nodes_a", "nodes A", true},
                 {"nodes_b", "B", true},
                 {"clones_a", "clones A", true},
                 {"clones_b", "B", true}},
                {},
                "no stages"};
    const auto number = [](const StageRow* row, std::int64_t StageRow::*field) { return row ? Json(row->*field) : Json(nullptr); };
    const auto text = [](const StageRow* row, std::int64_t StageRow::*field) { return row ? std::to_string(row->*field) : std::string("-"); };
    for (const StagePair& pair : pairs) {
        const StageRow& any = pair.a ? *pair.a : *pair.b;
        const bool twoNames = pair.a && pair.b && pair.a->name != pair.b->name;
        const std::string word = !pair.a ? "only in B" : !pair.b ? "only in A" : pair.same() ? "same" : "differs";
        Row row;
        row.cells = {twoNames ? fmt::format("{} / {}", any.name, pair.b->name) : any.name,
                     word,
                     text(pair.a, &StageRow::nodes),
                     text(pair.b, &StageRow::nodes),
                     text(pair.a, &StageRow::clones),
                     text(pair.b, &StageRow::clones)};
        row.json = {{"name", any.name},
                    {"name_b", pair.b ? Json(pair.b->name) : Json(nullptr)},
                    {"equal", pair.same()},
                    {"in", !pair.a   ? "b"
                           : !pair.b ? "a"
                                     : "both"},
                    {"nodes_a", number(pair.a, &StageRow::nodes)},
                    {"nodes_b", number(pair.b, &StageRow::nodes)},
                    {"clones_a", number(pair.a, &StageRow::clones)},
                    {"clones_b", number(pair.b, &StageRow::clones)},
                    {"cloned_bytes_a", pair.a ? orNull(pair.a->clonedBytes) : Json(nullptr)},
                    {"cloned_bytes_b", pair.b ? orNull(pair.b->clonedBytes) : Json(nullptr)}};
        if (pair.same()) row.style = Output::Style::Dim;
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string nodeText(const NodeRowPtr& node) { return node ? fmt::format("{}({}) : {}", node->target, node->args, node->type) : std::string(); }

Table differenceTable(const std::vector<NodeDifference>& list, std::size_t most) {
    Table table{{{"mark", ""}, {"name", "node"}, {"op", "op"}, {"a", ""}, {"b", ""}}, {}, "no node differs"};
    table.columns[0].title = " ";
    for (const NodeDifference& d : list) {
        if (table.rows.size() == most) break;
        const NodeRow& any = d.b ? *d.b : *d.a;
        const std::string mark(1, static_cast<char>(d.mark)), op = any.op.empty() ? any.kind : any.op;
        const std::string a = nodeText(d.a), b = nodeText(d.b);
        const bool twoNames = d.a && d.b && d.a->name != d.b->name;
        table.rows.push_back(
            {{mark, twoNames ? fmt::format("{} / {}", d.a->name, d.b->name) : any.name, op, a, b},
             {{"mark", mark}, {"name", any.name}, {"name_a", d.a ? Json(d.a->name) : Json(nullptr)}, {"op", op}, {"a", orNull(a)}, {"b", orNull(b)}},
             d.mark == ChangeMark::Added     ? Output::Style::Green
             : d.mark == ChangeMark::Removed ? Output::Style::Red
                                             : Output::Style::Amber});
    }
    return table;
}

std::size_t rowLimit(Command& c) {
    const std::string text = c.args().get("--limit");
    if (text.empty()) return c.json() ? 10'000 : 20;
    const auto n = numberIn<std::size_t>(text);
    if (!n || *n == 0) usage(fmt::format("--limit {}: a number of rows expected", text));
    return *n;
}

/// Why two pipelines give one graph, as far as their own decisions say so.
std::string reasonOfEquality(const LaneComparison& lanes) {
    if (lanes.a.lane.pipeline == lanes.b.lane.pipeline) return "the pipeline is the same";
    return lanes.a.copies + lanes.b.copies == 0 ? "neither has to copy an argument" : "what differs between them does not matter to this graph";
}

Json sideJson(const Loaded& side) {
    return {{"path", side.side.file},          {"graph", {{"id", std::to_string(side.staged.graph.id)}, {"name", side.staged.graph.name}}},
            {"lane", side.staged.lane.name},   {"pipeline", side.staged.lane.pipeline},
            {"state", side.staged.lane.state}, {"stage", side.stage.name}};
}

}  // namespace

void runCompare(Command& c) {
    const Side sideA = sideOf(c.args().at(0)), sideB = sideOf(c.args().at(1));
    if (sideA.file == "-" && sideB.file == "-") usage("only one side can be standard input");
    const std::size_t most = rowLimit(c);
    c.seekOpsBeside(sideA.file);
    const Loaded a = load(c, sideA), b = load(c, sideB);
    c.input = {{"a", sideJson(a)}, {"b", sideJson(b)}};

    // Two stages of one lane have no stages to pair: they are the pair.
    const bool oneLane = sideA.file == sideB.file && a.staged.lane.id == b.staged.lane.id && !a.staged.ran && !b.staged.ran;
    const LaneComparison lanes = compareLanes(a.lane(), b.lane());
    const auto pairs = oneLane ? std::vector<StagePair>() : lanes.pairs();
    const auto differing = lanes.firstDifference;
    const auto first =
        std::find_if(pairs.begin(), pairs.end(), [&](const StagePair& pair) { return differing && pair.a && pair.a->idx == differing->first; });
    const bool found = first != pairs.end();
    const std::string numericsA = numericsOf(a), numericsB = numericsOf(b);
    const auto nodes = differingNodes(a.lane(), a.stage.idx, b.lane(), b.stage.idx);
    const bool same = a.stage.hash == b.stage.hash;
    const auto firstNodes = found ? differingNodes(a.lane(), first->a->idx, b.lane(), first->b->idx) : std::vector<NodeDifference>();

    std::string words;
    if (same)
        words = fmt::format("{} and {} give the same graph at {}{}", a.title, b.title, a.stage.name, oneLane ? "" : ": " + reasonOfEquality(lanes));
    else
        words = fmt::format("graphs differ at {}{}", a.stage.name, a.stage.name == b.stage.name ? "" : " and " + b.stage.name);
    if (found) words += fmt::format("; they first differ at stage {} {} ({} nodes differ)", first->a->idx, first->a->name, firstNodes.size());
    words += ".";

    const auto unmatched = std::count_if(nodes.begin(), nodes.end(), [](const NodeDifference& d) { return d.mark != ChangeMark::Modified; });
    const bool differs = !same || (!numericsA.empty() && !numericsB.empty() && numericsA != numericsB);
    if (differs && c.args().has("--exit-code")) c.setExit(ExitNotFound);
    const Table figures = figureTable(a, b, numericsA, numericsB), stages = pairTable(pairs), list = differenceTable(nodes, most);
    if (c.json()) {
        Json firstJson = nullptr;
        if (found)
            firstJson = {{"idx", first->a->idx},
                         {"name", first->a->name},
                         {"nodes", differenceTable(firstNodes, most).json()},
                         {"nodes_total", firstNodes.size()}};
        Json byKey = Json::object();
        for (const Row& row : figures.rows) byKey[row.json["figure"].get<std::string>()] = {{"a", row.json["a"]}, {"b", row.json["b"]}};
        return c.answerJson({{"same", same},
                             {"differs", differs},
                             {"first_difference", firstJson},
                             {"figures", byKey},
                             {"stages", stages.json()},
                             {"nodes", list.json()},
                             {"nodes_total", nodes.size()},
                             {"unmatched", unmatched},
                             {"sentence", words}});
    }
    if (c.format() == Format::Csv || c.format() == Format::NdJson) return writeTable(c.out(), figures, c.format());
    writeTable(c.out(), figures, c.format());
    c.out().write("\n");
    if (!oneLane) {
        writeTable(c.out(), stages, c.format());
        c.out().write("\n");
    }
    if (!nodes.empty()) {
        writeTable(c.out(), list, c.format());
        if (nodes.size() > most) c.out().write(fmt::format("and {} more nodes; --limit shows them\n", nodes.size() - most));
        c.out().write("\n");
    }
    c.out().write(c.out().styled(Output::Style::Bold, words) + "\n");
}

}  // namespace aliascope::cli
