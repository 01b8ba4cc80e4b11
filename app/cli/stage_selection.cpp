#include "app/cli/stage_selection.h"

#include <fmt/format.h>

#include "app/cli/node_lookup.h"
#include "app/cli/number_text.h"
#include "core/recording/find_nodes.h"

namespace aliascope::cli {
namespace {

/// The nodes of a stage; the command ends when they cannot be read.
std::shared_ptr<const StageSnapshot> snapshotOf(const Staged& staged, const StageRow& stage) {
    auto snapshot = staged.recording->snapshot(staged.lane.id, stage.idx);
    if (!snapshot) endWith(staged.recording->fault().value_or(userError("S002", {{"what", "stage " + stage.name + " cannot be read"}})));
    return snapshot;
}

constexpr int usualWidth = 4;
constexpr std::size_t largestNeighbourhood = 2000;

int widthAsked(Command& c) {
    const std::string text = c.args().get("--width");
    if (text.empty()) return usualWidth;
    const auto n = numberIn<int>(text);
    if (!n || *n < 0 || *n > 1000) usage(fmt::format("--width {}: a number of steps expected", text));
    return *n;
}

std::set<Uid> found(Command& c, const Staged& staged, const StageRow& stage) {
    const auto find = query::parseFind(c.args().get("--find"));
    if (!find) throw Failure{ExitUsage, "--find: " + find.error().format()};
    const auto snapshot = snapshotOf(staged, stage);
    const auto changes = stage.idx > 1 ? staged.recording->changes(staged.lane.id, stage.idx) : std::vector<ChangeRow>();
    const auto storages = staged.recording->storages(staged.lane.id, stage.idx);
    const auto decisions = staged.recording->decisions(staged.lane.id);
    FindContext context;
    context.changes = &changes;
    context.storages = &storages;
    context.decisions = &decisions;
    std::set<Uid> out;
    for (const std::uint32_t node : findNodes(*snapshot, context, *find, c.cancel())) out.insert(snapshot->nodes[node]->uid);
    return out;
}

}  // namespace

std::optional<std::set<Uid>> selectedNodes(Command& c, const Staged& staged, const StageRow& stage) {
    const bool node = c.args().has("--node"), find = c.args().has("--find");
    if (c.args().has("--width") && !node) usage("--width needs --node NAME");
    if (!node && !find) return std::nullopt;
    std::optional<std::set<Uid>> out;
    if (find) out = found(c, staged, stage);
    if (node) {
        const NamedNode centre = requireNode(c, staged, c.args().get("--node"), stage.idx);
        std::set<Uid> near = report::Neighbours(*snapshotOf(staged, stage)).around({centre.uid}, widthAsked(c), largestNeighbourhood);
        if (out) std::erase_if(near, [&](Uid uid) { return !out->contains(uid); });
        out = std::move(near);
    }
    return out;
}

report::StagePicture pictureOf(Command& c, const Staged& staged, const StageRow& stage) {
    report::StagePicture out;
    out.snapshot = snapshotOf(staged, stage);
    if (stage.idx > 1) out.changes = staged.recording->changes(staged.lane.id, stage.idx);
    out.only = selectedNodes(c, staged, stage);
    if (c.args().has("--node")) out.chosen = {requireNode(c, staged, c.args().get("--node"), stage.idx).uid};
    return out;
}

Table nodeRows(const Staged& staged, const StageRow& stage, const std::set<Uid>& nodes) {
    Table table{{{"name", "node", false, 40},
                 {"op", "op", false, 40},
                 {"type", "type", false, 48},
                 {"storage", "storage"},
                 {"bytes", "bytes", true},
                 {"source", "source", false, 40}},
                {},
                "no node fits"};
    for (const char* key : {"stage", "args", "module", "uid"}) table.columns.push_back({key, ""});
    for (const NodeRowPtr& node : snapshotOf(staged, stage)->nodes) {
        if (!nodes.contains(node->uid)) continue;
        const std::string op = node->op.empty() ? node->kind : node->op, storage = node->storage >= 0 ? fmt::format("S{}", node->storage) : "";
        const std::string source = node->file.empty() ? "" : fmt::format("{}:{}", node->file, node->line);
        Row row;
        row.cells = {node->name, op, node->type, storage.empty() ? "-" : storage, bytesText(node->bytes), source.empty() ? "-" : source};
        row.json = {{"name", node->name},
                    {"stage", stage.name},
                    {"op", op},
                    {"type", orNull(node->type)},
                    {"storage", orNull(storage)},
                    {"bytes", orNull(node->bytes)},
                    {"source", orNull(source)},
                    {"module", orNull(node->module)},
                    {"args", node->args},
                    {"uid", std::to_string(node->uid)}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace aliascope::cli
