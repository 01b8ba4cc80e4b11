// `history`: what happened to a node, stage by stage (session.md 5).

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/node_lookup.h"
#include "app/cli/source.h"

namespace aliascope::cli {
namespace {

struct Event {
    int stage = 1;
    std::string stageName, state, rule;
    std::vector<std::string> from, to;
    bool touched = false;  ///< a rewrite or a new version, not just survived
};

std::vector<std::string> namesOf(const std::vector<std::pair<Uid, std::string>>& side) {
    std::vector<std::string> out;
    for (const auto& [uid, name] : side) out.push_back(name);
    return out;
}

bool holds(const std::vector<std::pair<Uid, std::string>>& side, Uid uid) {
    return std::any_of(side.begin(), side.end(), [&](const auto& node) { return node.first == uid; });
}

bool lives(const Recording& recording, std::int64_t lane, int stage, Uid uid) {
    const auto snapshot = recording.snapshot(lane, stage);
    return snapshot && std::any_of(snapshot->nodes.begin(), snapshot->nodes.end(), [&](const NodeRowPtr& n) { return n->uid == uid; });
}

/// What one rewrite did to the node.
Event eventOf(const RewriteRow& rewrite, Uid uid) {
    Event event;
    event.rule = rewrite.rule;
    event.touched = true;
    const bool before = holds(rewrite.before, uid), after = holds(rewrite.after, uid);
    if (before && after) {
        event.state = "Changed";
    } else if (after) {
        event.state = "Created";
        event.from = namesOf(rewrite.before);
    } else if (rewrite.after.empty()) {
        event.state = "Removed";
    } else {
        event.state = rewrite.before.size() > 1 ? "Merged into" : "Replaced";
        event.to = namesOf(rewrite.after);
    }
    return event;
}

std::vector<Event> eventsOf(const Staged& staged, Uid uid) {
    const Recording& recording = *staged.recording;
    const auto rows = recording.history(staged.lane.id, uid);
    std::vector<Event> out;
    bool alive = false;
    for (const StageRow& stage : recording.stages(staged.lane.id)) {
        const bool lived = alive;
        if (stage.idx == 1 || stage.changed) alive = lives(recording, staged.lane.id, stage.idx, uid);
        const std::size_t known = out.size();
        if (std::any_of(rows.begin(), rows.end(), [&](const HistoryRow& row) { return row.stage == stage.idx; })) {
            for (const RewriteRow& rewrite : recording.rewrites(staged.lane.id, stage.idx))
                if (rewrite.state == "applied" && (holds(rewrite.before, uid) || holds(rewrite.after, uid))) out.push_back(eventOf(rewrite, uid));
        }
        if (out.size() == known && (lived || alive)) {
            Event event;
            if (!lived) event.state = "Created";
            else if (!alive) event.state = "Removed";
            else event.state = "Survived";
            event.touched = event.state != "Survived" && stage.idx > 1;
            if (event.state == "Survived" && stage.changed) {
                for (const ChangeRow& change : recording.changes(staged.lane.id, stage.idx)) {
                    if (change.uid != uid) continue;
                    event.state = "Changed";
                    event.touched = true;
                }
            }
            out.push_back(std::move(event));
        }
        for (std::size_t i = known; i < out.size(); ++i) {
            out[i].stage = stage.idx;
            out[i].stageName = stage.name;
        }
    }
    return out;
}

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
    const Staged staged = openStaged(c, c.args().at(0));
    const int at = c.args().has("--stage") ? pickStage(staged, c.args().get("--stage")).idx : 0;
    const NamedNode node = requireNode(c, staged, c.args().get("--node"), at);
    std::vector<Event> events = eventsOf(staged, node.uid);
    auto touched = [](const Event& e) { return e.touched; };
    if (c.args().has("--first") || c.args().has("--last")) {
        const auto first = std::find_if(events.begin(), events.end(), touched);
        const auto last = std::find_if(events.rbegin(), events.rend(), touched);
        if (first == events.end()) events.clear();
        else events = {c.args().has("--first") ? *first : *last};
    }
    Table table{{{"stage", "#", true}, {"stage_name", "stage"}, {"state", "state"}, {"rule", "rule", false, 40}, {"nodes", "nodes", false, 80}}, {}, "no stage touched this node"};
    for (const Event& event : events) {
        Row row;
        std::string nodes;
        if (!event.to.empty()) nodes = "by " + shortList(event.to);
        else if (!event.from.empty()) nodes = "from " + shortList(event.from);
        row.cells = {std::to_string(event.stage), event.stageName, event.state, event.rule.empty() ? "-" : event.rule, nodes.empty() ? "-" : nodes};
        row.json = {{"stage", event.stage}, {"stage_name", event.stageName}, {"state", event.state}, {"rule", orNull(event.rule)}, {"from", event.from}, {"to", event.to}};
        if (!event.touched) row.style = Output::Style::Dim;
        table.rows.push_back(std::move(row));
    }
    const Json shown = {{"name", node.row->name}, {"stage", node.stage}, {"op", orNull(node.row->op.empty() ? node.row->kind : node.row->op)}};
    if (c.json()) return c.answerJson({{"node", shown}, {"uid", std::to_string(node.uid)}, {"history", table.json()}});
    writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
