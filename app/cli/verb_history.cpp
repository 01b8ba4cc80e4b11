// `history`: what happened to a node, stage by stage (session.md 5).

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/node_lookup.h"
#include "app/cli/source.h"

namespace aliascope::cli {
namespace {

/// Something was done to the node, it did not just live on.
bool touched(const HistoryRow& row) { return row.state != "Survived" && !(row.stage == 1 && row.rewrite == 0); }

std::string shortList(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 6;
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < shown; ++i) out += (i ? ", " : "") + names[i];
    if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
    return out;
}

}  // namespace

void runHistory(Command& c) {
    if (!c.args().has("--node")) usage("`history` needs --node NAME");
    if (c.args().has("--first") && c.args().has("--last")) usage("--first and --last exclude each other");
    const Staged staged = openStaged(c, c.args().at(0));
    const int at = c.args().has("--stage") ? pickStage(staged, c.args().get("--stage")).idx : 0;
    const NamedNode node = requireNode(c, staged, c.args().get("--node"), at);
    std::vector<HistoryRow> rows = staged.recording->history(staged.lane.id, node.uid);
    if (c.args().has("--first") || c.args().has("--last")) {
        const auto first = std::find_if(rows.begin(), rows.end(), touched);
        const auto last = std::find_if(rows.rbegin(), rows.rend(), touched);
        if (first == rows.end())
            rows.clear();
        else
            rows = {c.args().has("--first") ? *first : *last};
    }
    Table table{{{"stage", "#", true}, {"stage_name", "stage"}, {"state", "state"}, {"rule", "rule", false, 40}, {"nodes", "nodes", false, 80}},
                {},
                "no stage touched this node"};
    for (const HistoryRow& event : rows) {
        Row row;
        const bool gone = event.state != "Created" && event.state != "Changed";
        std::string nodes = event.others.empty() ? "-" : (gone ? "by " : event.state == "Created" ? "from " : "with ") + shortList(event.others);
        row.cells = {std::to_string(event.stage), event.stageName, event.state, event.rule.empty() ? "-" : event.rule, nodes};
        row.json = {{"stage", event.stage}, {"stage_name", event.stageName}, {"name", event.name},
                    {"state", event.state}, {"rule", orNull(event.rule)},    {"others", event.others}};
        if (!touched(event)) row.style = Output::Style::Dim;
        table.rows.push_back(std::move(row));
    }
    const Json shown = {{"name", node.row->name}, {"stage", node.stage}, {"op", orNull(node.row->op.empty() ? node.row->kind : node.row->op)}};
    if (c.json()) return c.answerJson({{"node", shown}, {"uid", std::to_string(node.uid)}, {"history", table.json()}});
    writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
