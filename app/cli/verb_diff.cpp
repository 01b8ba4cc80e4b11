// `diff`: two stages of a lane, by node and by text.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/graph_text.h"
#include "app/cli/source.h"
#include "core/support/line_diff.h"

namespace aliascope::cli {
namespace {

std::string printed(Command& c, const Staged& staged, const StageRow& stage, GraphOutput form) {
    auto graph = staged.recording->graph(staged.lane.id, stage.idx, c.ops());
    if (!graph) endWith(graph.error());
    return graphText(*graph, form);
}

Output::Style styleOf(char mark) {
    if (mark == '+') return Output::Style::Green;
    if (mark == '-') return Output::Style::Red;
    return mark == '~' ? Output::Style::Amber : Output::Style::Plain;
}

void writeDiff(Output& out, std::string_view text) {
    for (std::string_view line : splitLines(text)) {
        const bool header = line.starts_with("---") || line.starts_with("+++") || line.starts_with("@@");
        out.write(out.styled(header ? Output::Style::Dim : styleOf(line.empty() ? ' ' : line[0]), escaped(line)) + "\n");
    }
}

}  // namespace

void runDiff(Command& c) {
    const GraphOutput form = graphOutput(c.args().has("--as") ? c.args().get("--as") : "readable");
    if (form != GraphOutput::Readable && form != GraphOutput::Graph) usage("--as of `diff`: graph or readable expected");
    const Staged staged = openStaged(c, c.args().at(0));
    const StageRow a = pickStage(staged, c.args().at(1).empty() ? "first" : c.args().at(1));
    const StageRow b = pickStage(staged, c.args().at(2).empty() ? "last" : c.args().at(2));
    c.input["stages"] = {a.name, b.name};

    Table table{{{"mark", ""}, {"name", ""}}, {}, "no node differs"};
    for (const ChangeRow& change : staged.recording->difference(staged.lane.id, a.idx, b.idx)) {
        const std::string mark(1, static_cast<char>(change.mark));
        table.rows.push_back({{mark, change.name}, {{"uid", std::to_string(change.uid)}, {"name", change.name}, {"mark", mark}}, styleOf(mark[0])});
    }
    const std::string text = unifiedDiff(printed(c, staged, a, form), printed(c, staged, b, form), a.name, b.name);
    if (c.json()) return c.answerJson({{"from", a.name}, {"to", b.name}, {"changes", table.json()}, {"diff", text}});
    if (c.format() != Format::Table) return writeTable(c.out(), table, c.format());
    std::size_t added = 0, removed = 0;
    for (const Row& row : table.rows) {
        added += row.cells[0] == "+";
        removed += row.cells[0] == "-";
    }
    c.out().write(c.out().styled(Output::Style::Bold, fmt::format("{} {} -> {} {}: +{} -{} ~{} nodes", a.idx, a.name, b.idx, b.name, added, removed,
                                                                  table.rows.size() - added - removed)) +
                  "\n");
    for (const Row& row : table.rows) c.out().write(c.out().styled(row.style, fmt::format("  {} {}", row.cells[0], escaped(row.cells[1]))) + "\n");
    if (!text.empty()) c.out().write("\n");
    writeDiff(c.out(), text);
}

}  // namespace aliascope::cli
