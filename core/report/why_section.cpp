#include "core/report/why_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/analysis/alias.h"
#include "core/recording/decision_words.h"
#include "core/report/byte_map.h"
#include "core/report/markup.h"
#include "core/report/stage_picture.h"
#include "core/support/amount_text.h"

namespace aliascope::report {
using words::grouped;

namespace {

/// The graph that a pass saw, with the places of its values. Made once for all decisions of a stage.
struct SeenGraph {
    std::shared_ptr<const StageSnapshot> snapshot;
    std::unordered_map<Uid, const NodeRow*> nodes;
    std::map<int, StorageRow> storages;
    Graph graph;
    std::unique_ptr<AliasInfo> aliases;
    std::unique_ptr<Neighbours> neighbours;
    std::unordered_map<Uid, std::pair<std::size_t, std::size_t>> operands;  ///< edges of a user, [begin, end)

    const NodeRow* node(Uid uid) const {
        const auto found = nodes.find(uid);
        return found == nodes.end() ? nullptr : found->second;
    }
    /// Nothing = symbolic, or not known; nodes of sub-graphs have none.
    std::optional<Region> region(const NodeRow& row) const {
        const NodeId id = row.body.empty() ? graph.find(Name(row.name)) : NodeId();
        const TensorType* geometry = id && aliases ? aliases->geometry(id) : nullptr;
        return geometry ? regionOf(*geometry, graph.symbols) : std::nullopt;
    }
};

class SeenGraphs {
public:
    SeenGraphs(const Recording& recording, std::int64_t lane, const OpRegistry& ops) : recording_(recording), lane_(lane), ops_(ops) {}

    Result<const SeenGraph*> at(int stage) {
        if (const auto known = made_.find(stage); known != made_.end()) return known->second.get();
        auto seen = std::make_unique<SeenGraph>();
        seen->snapshot = recording_.snapshot(lane_, stage);
        if (!seen->snapshot) return nullptr;
        for (const NodeRowPtr& node : seen->snapshot->nodes) seen->nodes.emplace(node->uid, node.get());
        for (StorageRow& row : recording_.storages(lane_, stage)) seen->storages.emplace(row.id, std::move(row));
        auto graph = recording_.graph(lane_, stage, ops_);
        if (!graph) return fail(graph.error());
        seen->graph = std::move(*graph);
        seen->aliases = std::make_unique<AliasInfo>(seen->graph, ops_);
        seen->neighbours = std::make_unique<Neighbours>(*seen->snapshot);
        const auto& edges = seen->snapshot->edges;
        for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
            while (end < edges.size() && edges[end].to == edges[begin].to) ++end;
            seen->operands.emplace(edges[begin].to, std::pair(begin, end));
        }
        return (made_[stage] = std::move(seen)).get();
    }

private:
    const Recording& recording_;
    std::int64_t lane_;
    const OpRegistry& ops_;
    std::map<int, std::unique_ptr<SeenGraph>> made_;
};

/// The value that the call gets for `argument`, by name or as base number.
const NodeRow* argumentOf(const SeenGraph& seen, const DecisionRow& row) {
    const std::string base = "_all_bases[" + row.argument + "]";
    if (const auto found = seen.operands.find(*row.uid); found != seen.operands.end())
        for (std::size_t i = found->second.first; i < found->second.second; ++i) {
            const EdgeRow& edge = seen.snapshot->edges[i];
            if (edge.arg == row.argument || edge.arg == base) return seen.node(edge.from);
        }
    return row.viewUid ? seen.node(*row.viewUid) : nullptr;
}

/// One bar: a frame, and the parts that `map` marks (`#` or `%` all bytes, `+` or `-` some).
std::string barSvg(float y, const std::string& label, const std::string& map, const char* colour) {
    constexpr float left = 130, step = 2;
    std::string out =
        fmt::format("<text x=\"0\" y=\"{:.0f}\">{}</text><rect class=\"bar\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"14\"/>", y + 11,
                    escaped(shortened(label, 18)), left, y, step * static_cast<float>(map.size()));
    for (std::size_t at = 0; at < map.size();) {
        std::size_t end = at;
        while (end < map.size() && map[end] == map[at]) ++end;
        if (map[at] != '.') {
            const bool whole = map[at] == '#' || map[at] == '%';
            out += fmt::format("<rect class=\"bytes{}{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"12\"/>", colour, whole ? "" : " partly",
                               left + step * static_cast<float>(at), y + 1, step * static_cast<float>(end - at));
        }
        at = end;
    }
    return out + "\n";
}

/// The storage as a bar: what the argument covers, what its clone copies, what the blocker covers.
std::string byteMapSvg(const SeenGraph& seen, const NodeRow& argument, const NodeRow* blocker, const DecisionRow& row) {
    constexpr std::size_t width = 260;
    const auto region = seen.region(argument);
    const auto storage = seen.storages.find(argument.storage);
    if (!region || storage == seen.storages.end()) return {};
    const std::int64_t total = std::max(storage->second.bytes.value_or(0), region->endByte());
    if (total <= 0) return {};
    struct Bar {
        std::string label, map;
        const char* colour;
    };
    std::vector<Bar> bars = {{"%" + argument.name, drawRegion(*region, total, width), ""}};
    if (row.clonedBytes && *row.clonedBytes > 0) {
        // A view at an offset is cloned from the start of its storage; a copy of another size is one of the view alone.
        const bool fromStart = *row.clonedBytes >= region->endByte();
        const std::int64_t from = fromStart ? 0 : region->firstByte();
        Region copied;
        copied.sizes = {*row.clonedBytes};
        copied.strides = {1};
        copied.offset = from;
        bars.push_back({"what is cloned", drawRegion(copied, total, width), " copied"});
    }
    if (blocker && blocker->storage == argument.storage)
        if (const auto other = seen.region(*blocker)) bars.push_back({"%" + blocker->name, drawRegion(*other, total, width), " other"});
    std::string out;
    float y = 24;
    for (const Bar& bar : bars) {
        out += barSvg(y, bar.label, bar.map, bar.colour);
        y += 22;
    }
    const std::string title = fmt::format("S{} ({}), {} B: %{} covers bytes {} to {}", storage->second.id, storage->second.baseName, grouped(total),
                                          argument.name, grouped(region->firstByte()), grouped(region->endByte()));
    return fmt::format(
        "<svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"680\" height=\"{0:.0f}\" viewBox=\"-10 0 680 "
        "{0:.0f}\"><title>{1}</title>"
        "<text class=\"dim\" x=\"0\" y=\"15\">{1}</text>\n{2}</svg>\n",
        y + 6, escaped(title), out);
}

std::string neighbourhoodSvg(const SeenGraph& seen, const DecisionRow& row, const NodeRow* argument, const NodeRow* blocker,
                             const ReportOptions& options) {
    std::vector<Uid> centres = {*row.uid};
    if (argument) {
        centres.push_back(argument->uid);
        if (const auto storage = seen.storages.find(argument->storage); storage != seen.storages.end() && seen.node(storage->second.base))
            centres.push_back(storage->second.base);
    }
    if (blocker) centres.push_back(blocker->uid);
    StagePicture picture;
    picture.snapshot = seen.snapshot;
    picture.only = seen.neighbours->around(centres, 1, options.pictureNodes);
    picture.chosen = {*row.uid};
    if (blocker) picture.blockers = {blocker->uid};
    picture.groups = false;
    return stageSvg(picture, false, options.cancel);
}

std::string factRow(std::string_view key, const std::string& plain) {
    return plain.empty() ? std::string() : fmt::format("<dt>{}</dt><dd>{}</dd>", key, escaped(plain));
}

std::string cardMarkup(const DecisionRow& row) {
    const std::string word = verdictWord(row), reason = reasonName(row.code);
    std::string bytes;
    const auto add = [&](std::string_view what, const std::optional<std::int64_t>& n) {
        if (n) bytes += fmt::format("{}{} {} B", bytes.empty() ? "" : ", ", what, grouped(*n));
    };
    if (row.counted) add("reported", row.reportedBytes);
    add("cloned", row.clonedBytes);
    add("needed", row.neededBytes);
    if (!row.bytesExpr.empty()) bytes += (bytes.empty() ? "size " : ", size ") + row.bytesExpr;
    std::string out = "<dl>" + factRow("reason", row.code + (reason == row.code ? "" : " " + reason) + ": " + row.sentence);
    out += factRow("blocker", row.blocker.empty() ? "" : "%" + row.blocker) + factRow("bytes", bytes) + factRow("rule", row.rule) +
           factRow("what would change it", row.advice);
    if (!row.avoidedBy.empty()) out += factRow("try", "--pipeline " + row.avoidedBy + " has it in place");
    out += factRow("stage", fmt::format("{} {}", row.stage, row.stageName)) + "</dl>\n";
    if (row.checks.empty()) return out;
    out += "<ol class=\"checks\">";
    for (const CheckRow& check : row.checks)
        out += fmt::format("<li class=\"{0}\">{1}: <b>{0}</b>{2}</li>", escaped(check.result), escaped(check.question),
                           check.detail.empty() ? "" : " (" + escaped(check.detail) + ")");
    return out + "</ol>\n";
}

}  // namespace

Result<std::string> whySection(const Recording& recording, const LaneRow& lane, const OpRegistry& ops, const std::vector<DecisionRow>& decisions,
                               const ReportOptions& options) {
    constexpr int unfoldedFindings = 10;
    int unfolded = 0;
    SeenGraphs graphs(recording, lane.id, ops);
    std::string out;
    for (const DecisionRow& plain : decisions) {
        if (options.cancel.cancelled()) return fail(userError("CANCELLED"));
        const DecisionRow row = recording.decisionCard(plain.id).value_or(plain);
        const std::string word = verdictWord(row);
        out +=
            fmt::format("<details class=\"why {}\" id=\"why-{}\"{}><summary><b>{}</b> {} of {} (%{})</summary>\n{}",
                        isFinding(row) ? "finding" : "calm", row.id, isFinding(row) && ++unfolded <= unfoldedFindings ? " open" : "", escaped(word),
                        escaped(row.argument.empty() ? "result" : row.argument), escaped(shortOperator(row.op)), escaped(row.node), cardMarkup(row));
        if (options.pictures && row.uid) {
            // A pass speaks of the graph as it found it.
            auto before = graphs.at(std::max(1, row.stage - 1));
            if (!before) return fail(before.error());
            const SeenGraph* seen = *before;
            if (seen && !seen->node(*row.uid)) {
                auto after = graphs.at(row.stage);
                if (!after) return fail(after.error());
                seen = *after;
            }
            if (seen && seen->node(*row.uid)) {
                const NodeRow* argument = argumentOf(*seen, row);
                const NodeRow* blocker = row.blockerUid ? seen->node(*row.blockerUid) : nullptr;
                out += "<figure>" + neighbourhoodSvg(*seen, row, argument, blocker, options) + "</figure>\n";
                const std::string map = argument ? byteMapSvg(*seen, *argument, blocker, row) : std::string();
                if (!map.empty()) out += "<figure>" + map + "</figure>\n";
            }
        }
        out += "</details>\n";
    }
    return out;
}

}  // namespace aliascope::report
