// `aliases`: storages, views and writes of a stage, and the byte map.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/command.h"
#include "app/cli/number_text.h"
#include "app/cli/source.h"
#include "core/analysis/alias.h"
#include "core/report/byte_map.h"

namespace aliascope::cli {
using report::drawRegion;
using report::Region;
using report::regionOf;

namespace {

struct Member {
    NodeRowPtr node;
    std::optional<TensorType> type;  ///< with the absolute offset; nothing = not known
    std::optional<Region> region;
    std::string writtenBy;  ///< names of the nodes that write it
};

struct Write {
    std::string writer, arg, value;
};

struct StorageView {
    StorageRow row;
    std::vector<Member> members;
    std::vector<Write> writes;
};

std::string numbers(const std::vector<SymInt>& list) {
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i) out += (i ? "," : "") + list[i].str();
    return out + "]";
}

/// Storages of the stage with their members in graph order and writes in program order.
std::vector<StorageView> collect(Command& c, const Staged& staged, const StageRow& stage) {
    auto graph = staged.recording->graph(staged.lane.id, stage.idx, c.ops());
    if (!graph) endWith(graph.error());
    const AliasInfo aliases(*graph, c.ops());
    const auto snapshot = staged.recording->snapshot(staged.lane.id, stage.idx);
    std::vector<StorageView> out;
    std::map<int, std::size_t> byId;
    for (const StorageRow& row : staged.recording->storages(staged.lane.id, stage.idx)) {
        byId[row.id] = out.size();
        out.push_back({row, {}, {}});
    }
    std::map<Uid, NodeRowPtr> nodes;
    for (const NodeRowPtr& node : snapshot->nodes) {
        nodes[node->uid] = node;
        const auto at = byId.find(node->storage);
        if (node->storage < 0 || at == byId.end()) continue;
        Member member{node, std::nullopt, std::nullopt, ""};
        if (node->body.empty()) {
            const NodeId id = graph->find(Name(node->name));
            if (const TensorType* geometry = id ? aliases.geometry(id) : nullptr) {
                member.type = *geometry;
                member.region = regionOf(*geometry, graph->symbols);
            }
        }
        out[at->second].members.push_back(std::move(member));
    }
    for (const EdgeRow& edge : snapshot->edges) {
        if (edge.mode != EdgeRow::Mode::Write && edge.mode != EdgeRow::Mode::ReadWrite) continue;
        const auto value = nodes.find(edge.from), writer = nodes.find(edge.to);
        if (value == nodes.end() || writer == nodes.end()) continue;
        const auto at = byId.find(value->second->storage);
        if (at == byId.end()) continue;
        out[at->second].writes.push_back({writer->second->name, edge.arg, value->second->name});
        for (Member& member : out[at->second].members)
            if (member.node->uid == edge.from) member.writtenBy += (member.writtenBy.empty() ? "" : ", ") + writer->second->name;
    }
    return out;
}

std::string roleText(const StorageRow& row) { return row.opaque ? row.role + ", opaque" : row.role; }

Json memberJson(const Member& member, const std::string& stage) {
    Json out = {
        {"node", {{"name", member.node->name}, {"stage", stage}, {"op", orNull(member.node->op.empty() ? member.node->kind : member.node->op)}}},
        {"type", orNull(member.node->type)}};
    if (member.type) {
        out["sizes"] = numbers(member.type->sizes);
        out["strides"] = member.type->strides ? Json(numbers(*member.type->strides)) : Json(nullptr);
        out["offset"] = member.type->offset ? Json(member.type->offset->str()) : Json(nullptr);
    }
    if (member.region) {
        out["first_byte"] = member.region->firstByte();
        out["end_byte"] = member.region->endByte();
    }
    return out;
}

Row storageRow(const StorageView& view, const std::string& stage) {
    Row row;
    const std::string id = fmt::format("S{}", view.row.id);
    row.cells = {id,
                 view.row.baseName,
                 roleText(view.row),
                 bytesText(view.row.bytes, view.row.bytesExpr.empty() ? "?" : view.row.bytesExpr),
                 std::to_string(view.members.size()),
                 std::to_string(view.writes.size())};
    Json members = Json::array(), writes = Json::array();
    for (const Member& member : view.members) members.push_back(memberJson(member, stage));
    for (const Write& write : view.writes) writes.push_back({{"writer", write.writer}, {"arg", write.arg}, {"value", write.value}});
    row.json = {{"id", id},
                {"base", view.row.baseName},
                {"role", view.row.role},
                {"bytes", orNull(view.row.bytes)},
                {"bytes_expr", orNull(view.row.bytesExpr)},
                {"opaque", view.row.opaque},
                {"members", members},
                {"writes", writes}};
    if (view.members.size() < 2 && view.writes.empty()) row.style = Output::Style::Dim;
    return row;
}

Table memberTable(const StorageView& view) {
    Table table{{{"node", "node", false, 36},
                 {"op", "op", false, 28},
                 {"offset", "offset", true},
                 {"sizes", "sizes"},
                 {"strides", "strides"},
                 {"bytes", "bytes", true},
                 {"written_by", "written by", false, 48}},
                {},
                "no views"};
    for (const Member& member : view.members) {
        Row row;
        const bool known = member.type.has_value();
        row.cells = {"%" + member.node->name,
                     member.node->op.empty() ? member.node->kind : member.node->op,
                     known && member.type->offset ? member.type->offset->str()
                     : known                      ? "0"
                                                  : "?",
                     known ? numbers(member.type->sizes) : "?",
                     known && member.type->strides ? numbers(*member.type->strides) : "?",
                     member.region ? fmt::format("{} - {}", grouped(member.region->firstByte()), grouped(member.region->endByte())) : "?",
                     member.writtenBy.empty() ? "-" : member.writtenBy};
        row.json = {{"node", member.node->name}, {"op", member.node->op}, {"offset", row.cells[2]},        {"sizes", row.cells[3]},
                    {"strides", row.cells[4]},   {"bytes", row.cells[5]}, {"written_by", member.writtenBy}};
        if (!member.writtenBy.empty()) row.style = Output::Style::Amber;
        table.rows.push_back(std::move(row));
    }
    return table;
}

void drawMap(Output& out, const StorageView& view, std::size_t width) {
    std::int64_t total = view.row.bytes.value_or(0);
    std::size_t names = 4;
    for (const Member& member : view.members) {
        if (member.region) total = std::max(total, member.region->endByte());
        names = std::max(names, std::min<std::size_t>(widthOf(member.node->name) + 1, 32));
    }
    if (total == 0) return out.write("  no byte map: the size of the storage is not known\n");
    const std::string end = bytesText(total);
    out.write(fmt::format("  {:<{}}  0{}{}\n", "", names, std::string(width > end.size() ? width - end.size() + 1 : 1, ' '), end));
    for (const Member& member : view.members) {
        std::string name = "%" + escaped(member.node->name);
        if (name.size() > names) name = name.substr(0, names - 1) + "~";
        if (!member.region) {
            out.write(fmt::format("  {:<{}} |{}| region unknown: treated as overlapping\n", name, names, std::string(width, '?')));
            continue;
        }
        const Region& region = *member.region;
        const std::string map = drawRegion(region, total, width);
        out.write(fmt::format("  {:<{}} |{}| {} - {}{}{}\n", name, names,
                              out.styled(member.writtenBy.empty() ? Output::Style::Plain : Output::Style::Amber, map), grouped(region.firstByte()),
                              grouped(region.endByte()), region.overlapsItself() ? "  several positions are one element" : "",
                              member.writtenBy.empty() ? "" : "  written by " + escaped(member.writtenBy)));
    }
}

int storageNumber(const std::string& text) {
    const auto number = numberIn<int>(std::string_view(text).substr(text.starts_with("S") || text.starts_with("s") ? 1 : 0));
    if (!number || *number < 0) usage(fmt::format("--storage {}: a storage such as S1 expected", text));
    return *number;
}

std::size_t mapWidth(Command& c) {
    if (!c.args().has("--width")) return 64;
    const std::string text = c.args().get("--width");
    const auto width = numberIn<std::size_t>(text);
    if (!width || *width < 8 || *width > 4096) usage(fmt::format("--width {}: 8 to 4096 characters expected", text));
    return *width;
}

}  // namespace

void runAliases(Command& c) {
    const std::size_t width = mapWidth(c);
    const int wanted = c.args().has("--storage") ? storageNumber(c.args().get("--storage")) : -1;
    const Staged staged = openStaged(c, c.args().at(0));
    const StageRow stage = pickStage(staged, c.args().has("--stage") ? c.args().get("--stage") : "last");
    c.input["stage"] = stage.name;
    auto views = collect(c, staged, stage);
    if (wanted >= 0) {
        const std::size_t all = views.size();
        std::erase_if(views, [&](const StorageView& view) { return view.row.id != wanted; });
        if (views.empty())
            throw Failure{ExitNotFound,
                          fmt::format("no storage S{} at stage {}; there are {} storages, `aliascope aliases` lists them", wanted, stage.name, all)};
    }
    Table table{{{"id", "storage"},
                 {"base", "base", false, 40},
                 {"role", "role"},
                 {"bytes", "bytes", true},
                 {"members", "members", true},
                 {"writes", "writes", true}},
                {},
                "no storage"};
    for (const StorageView& view : views) table.rows.push_back(storageRow(view, stage.name));
    if (c.json()) return c.answerJson({{"storages", table.json()}});
    if (wanted < 0 || c.format() == Format::NdJson) writeTable(c.out(), table, c.format());
    for (const StorageView& view : views) {
        if (wanted >= 0 && c.format() != Format::NdJson) {
            if (c.format() == Format::Table)
                c.out().write(c.out().styled(Output::Style::Bold, fmt::format("S{}  base %{} ({})  {}", view.row.id, view.row.baseName,
                                                                              roleText(view.row), bytesText(view.row.bytes, "? B"))) +
                              fmt::format("  {} members, {} writes\n", view.members.size(), view.writes.size()));
            writeTable(c.out(), memberTable(view), c.format());
        }
        if (!c.args().has("--bytemap") || c.format() != Format::Table || (wanted < 0 && view.members.size() < 2)) continue;
        c.out().write(wanted < 0 ? fmt::format("\nS{}  base %{}\n", view.row.id, escaped(view.row.baseName)) : "\n");
        drawMap(c.out(), view, width);
    }
}

}  // namespace aliascope::cli
