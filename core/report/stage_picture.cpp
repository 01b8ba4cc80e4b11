#include "core/report/stage_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/layout/graph_layout.h"
#include "core/report/markup.h"
#include "core/support/amount_text.h"

namespace aliascope::report {
using words::bytesText;

namespace {

constexpr float cardWidth = 240, cardHeight = 58, margin = 16;
constexpr std::size_t cardCharacters = 33;
constexpr std::size_t ungrouped = 40;  // up to here frames would hide more than they show

/// The nodes that are drawn, in order, with their edges once per pair.
struct Drawn {
    struct Edge {
        std::uint32_t from = 0, to = 0;
        bool write = false;
    };
    std::vector<const NodeRow*> nodes;
    std::vector<Edge> edges;
    std::unordered_map<Uid, char> marks;
    std::vector<std::string> groupOf;  ///< by node; empty = none
    std::vector<std::string> removed;
};

/// `a.b.c.d` -> `a.b.c`: deeper levels would be frames round two nodes.
std::string modulePrefix(const std::string& module) {
    std::size_t at = 0;
    for (int level = 0; level < 3; ++level) {
        at = module.find('.', at);
        if (at == std::string::npos) return module;
        ++at;
    }
    return module.substr(0, at - 1);
}

Drawn drawnOf(const StagePicture& picture) {
    Drawn out;
    std::unordered_map<Uid, std::uint32_t> places;
    bool modules = false;
    for (const NodeRowPtr& node : picture.snapshot->nodes) {
        if (picture.only && !picture.only->contains(node->uid)) continue;
        places.emplace(node->uid, static_cast<std::uint32_t>(out.nodes.size()));
        out.nodes.push_back(node.get());
        modules = modules || !node->module.empty();
    }
    std::uint32_t lastUser = UINT32_MAX;
    std::unordered_map<std::uint32_t, std::size_t> taken;
    for (const EdgeRow& edge : picture.snapshot->edges) {
        const auto from = places.find(edge.from), to = places.find(edge.to);
        if (from == places.end() || to == places.end()) continue;
        if (to->second != lastUser) taken.clear();
        lastUser = to->second;
        const bool write = edge.mode == EdgeRow::Mode::Write || edge.mode == EdgeRow::Mode::ReadWrite;
        const auto [at, fresh] = taken.try_emplace(from->second, out.edges.size());
        if (fresh)
            out.edges.push_back({from->second, to->second, write});
        else
            out.edges[at->second].write |= write;
    }
    for (const ChangeRow& change : picture.changes) {
        out.marks[change.uid] = static_cast<char>(change.mark);
        if (change.mark == ChangeMark::Removed) out.removed.push_back(change.name);
    }
    out.groupOf.resize(out.nodes.size());
    for (std::size_t i = 0; i < out.nodes.size(); ++i) {
        const NodeRow& node = *out.nodes[i];
        if (!node.body.empty())
            out.groupOf[i] = "sub-graph " + node.body;
        else if (picture.groups && out.nodes.size() > ungrouped && node.kind != "placeholder" && node.kind != "output")
            out.groupOf[i] = modules ? modulePrefix(node.module) : node.function;
    }
    return out;
}

const char* markClass(char mark) { return mark == '+' ? " added" : mark == '~' ? " changed" : mark == '-' ? " removed" : ""; }

std::string operatorText(const NodeRow& node) { return node.op.empty() ? node.kind : node.op; }

std::string storageText(const NodeRow& node) {
    std::string out = node.storage >= 0 ? fmt::format("S{}", node.storage) : std::string();
    if (node.bytes) out += (out.empty() ? "" : "  ") + bytesText(*node.bytes);
    return out;
}

LayoutInput layoutOf(const Drawn& drawn) {
    LayoutInput input;
    // Nodes of a frame stand together in program order: a run is a frame, so that none lies on a cycle.
    std::string last;
    std::int32_t group = -1;
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < drawn.nodes.size(); ++i) {
        const std::string& name = drawn.groupOf[i];
        if (name != last) {
            group = -1;
            last = name;
            if (!name.empty()) {
                const int nth = ++seen[name];
                group = static_cast<std::int32_t>(input.groups.size());
                input.groups.push_back({nth > 1 ? fmt::format("{} ({})", name, nth) : name, -1, false});
            }
        }
        LayoutNode node;
        node.uid = drawn.nodes[i]->uid;
        node.width = cardWidth;
        node.height = cardHeight;
        node.group = group;
        if (drawn.nodes[i]->kind == "placeholder" && drawn.nodes[i]->body.empty()) node.shelf = LayoutNode::Shelf::Input;
        if (drawn.nodes[i]->kind == "output" && drawn.nodes[i]->body.empty()) node.shelf = LayoutNode::Shelf::Output;
        input.nodes.push_back(node);
    }
    for (const Drawn::Edge& edge : drawn.edges) input.edges.push_back({edge.from, edge.to});
    return input;
}

std::string cardSvg(const PlacedCard& card, const NodeRow& node, const StagePicture& picture, char mark) {
    const std::string frame = picture.chosen.contains(node.uid) ? " chosen" : picture.blockers.contains(node.uid) ? " blocker" : "";
    std::string out =
        fmt::format("<g class=\"card{}{}\" id=\"n{}\" transform=\"translate({:.0f} {:.0f})\"><title>{}</title>", markClass(mark), frame, node.uid,
                    card.x, card.y, escaped(fmt::format("%{} = {}({}) : {}", node.name, node.target, shortened(node.args, 400), node.type)));
    out += fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" rx=\"3\"/>", card.width, card.height);
    if (node.storage >= 0)
        out += fmt::format("<path class=\"slot s{}\" fill=\"none\" stroke-width=\"4\" d=\"M3 4V{:.0f}\"/>", node.storage % 6, card.height - 4);
    const char sign = mark == ' ' ? picture.blockers.contains(node.uid) ? '!' : ' ' : mark;
    out += fmt::format("<text class=\"name\" x=\"10\" y=\"16\">{}</text>",
                       escaped(shortened((sign == ' ' ? "%" : std::string(1, sign) + " %") + node.name, cardCharacters)));
    out += fmt::format("<text x=\"10\" y=\"32\">{}</text>", escaped(shortened(operatorText(node), cardCharacters)));
    const std::string storage = storageText(node);
    const std::size_t room = cardCharacters - std::min(cardCharacters - 8, storage.size() + 1);
    out += fmt::format("<text class=\"dim\" x=\"10\" y=\"48\">{}</text>", escaped(shortened(node.type, room)));
    if (!storage.empty())
        out += fmt::format("<text class=\"dim\" x=\"{:.0f}\" y=\"48\" text-anchor=\"end\">{}</text>", card.width - 8, escaped(storage));
    return out + "</g>\n";
}

std::string edgeSvg(const PlacedEdge& edge, bool write, const NodeRow& from, const NodeRow& to) {
    if (edge.stub) {
        // Long edges are two short ends with a name, never a line across the drawing.
        return fmt::format(
            "<path class=\"stub\" d=\"M{0:.0f} {1:.0f}v10\"><title>to %{4}</title></path><path class=\"stub\" d=\"M{2:.0f} {3:.0f}v-10\"><title>from "
            "%{5}</title></path>\n",
            edge.x1, edge.y1, edge.x2, edge.y2, escaped(to.name), escaped(from.name));
    }
    const float middle = (edge.y1 + edge.y2) / 2;
    const std::string turn = edge.x1 == edge.x2 ? std::string() : fmt::format("V{:.0f}H{:.0f}", middle, edge.x2);
    return fmt::format("<path class=\"edge{}\" d=\"M{:.0f} {:.0f}{}V{:.0f}\"/>\n", write ? " write" : "", edge.x1, edge.y1, turn, edge.y2);
}

/// Names in lines of a bounded length.
std::vector<std::string> wrappedNames(const std::vector<std::string>& names, std::size_t most, std::size_t lines) {
    std::vector<std::string> out;
    for (const std::string& name : names) {
        if (out.empty() || out.back().size() + name.size() + 2 > most) {
            if (out.size() == lines) {
                out.back() += " …";
                return out;
            }
            out.emplace_back();
        }
        out.back() += (out.back().empty() ? "" : ", ") + name;
    }
    return out;
}

std::string dotQuoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) continue;
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string dotNode(const NodeRow& node, const StagePicture& picture, char mark) {
    const char* colour = mark == '+' ? "#0B7BEA" : mark == '~' ? "#5B1A86" : "#D0D7DE";
    const char* fill = mark == '+' ? "#E3F0FD" : mark == '~' ? "#F1E7F8" : "#FFFFFF";
    const bool framed = picture.chosen.contains(node.uid) || picture.blockers.contains(node.uid);
    std::string label =
        (mark == ' ' ? "" : std::string(1, mark) + " ") + "%" + node.name + "\n" + operatorText(node) + "\n" + shortened(node.type, 80);
    if (const std::string storage = storageText(node); !storage.empty()) label += "\n" + storage;
    std::string quoted = dotQuoted("");
    quoted.pop_back();
    for (std::size_t at = 0; at <= label.size();) {
        const std::size_t end = std::min(label.find('\n', at), label.size());
        const std::string line = dotQuoted(std::string_view(label).substr(at, end - at));
        quoted += (at ? "\\n" : "") + line.substr(1, line.size() - 2);
        at = end + 1;
    }
    quoted += '"';
    return fmt::format("n{} [label={}, shape={}, color=\"{}\", fillcolor=\"{}\"{}, tooltip={}];\n", node.uid, quoted,
                       node.kind == "placeholder" || node.kind == "get_attr" ? "ellipse"
                       : node.kind == "output"                               ? "doubleoctagon"
                                                                             : "box",
                       colour, fill, framed ? ", penwidth=3" : "", dotQuoted(shortened(node.args, 400)));
}

}  // namespace

Neighbours::Neighbours(const StageSnapshot& snapshot) {
    for (const EdgeRow& edge : snapshot.edges) {
        beside_[edge.from].push_back(edge.to);
        beside_[edge.to].push_back(edge.from);
    }
}

std::set<Uid> Neighbours::around(const std::vector<Uid>& centres, int width, std::size_t most) const {
    std::set<Uid> out;
    std::vector<Uid> frontier;
    for (Uid centre : centres)
        if (out.insert(centre).second) frontier.push_back(centre);
    for (int step = 0; step < width && !frontier.empty(); ++step) {
        std::vector<Uid> next;
        for (Uid node : frontier) {
            const auto found = beside_.find(node);
            if (found == beside_.end()) continue;
            for (Uid other : found->second) {
                if (out.size() >= most) return out;
                if (out.insert(other).second) next.push_back(other);
            }
        }
        frontier = std::move(next);
    }
    return out;
}

std::string stageSvg(const StagePicture& picture, bool standalone, const CancelToken& cancel) {
    const Drawn drawn = drawnOf(picture);
    const LayoutInput input = layoutOf(drawn);
    const auto layout = layoutGraph(input, {}, cancel);
    if (!layout) return {};
    constexpr std::size_t removedLines = 12;
    const auto removed = wrappedNames(drawn.removed, std::max<std::size_t>(40, static_cast<std::size_t>(layout->width / 7)), removedLines);
    const float footer = removed.empty() ? 0 : 24 + 16 * static_cast<float>(removed.size());
    const float width = std::max(layout->width, 320.0f) + 2 * margin, height = layout->height + 2 * margin + footer;
    std::string out = fmt::format(
        "<svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\">\n",
        width, height);
    out += fmt::format("<title>{}</title>\n",
                       escaped(fmt::format("stage {} {}, {} nodes", picture.snapshot->stage.idx, picture.snapshot->stage.name, drawn.nodes.size())));
    if (standalone)
        out += "<style>\n" + standaloneSheet() + "</style>\n" +
               fmt::format("<rect class=\"sheet\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width, height);
    out += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n", margin, margin);
    for (const PlacedGroup& group : layout->groups)
        out += fmt::format(
            "<g class=\"group\"><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/><text class=\"dim\" x=\"{:.0f}\" "
            "y=\"{:.0f}\">{}</text></g>\n",
            group.x, group.y, group.width, group.height, group.x + 8, group.y + 16,
            escaped(input.groups[static_cast<std::size_t>(group.group)].title));
    std::set<std::pair<std::uint32_t, std::uint32_t>> writes;
    for (const Drawn::Edge& edge : drawn.edges)
        if (edge.write) writes.emplace(edge.from, edge.to);
    for (const PlacedEdge& edge : layout->edges) {
        const std::uint32_t from = layout->cards[edge.from].node, to = layout->cards[edge.to].node;
        out += edgeSvg(edge, writes.contains({from, to}), *drawn.nodes[from], *drawn.nodes[to]);
    }
    for (const PlacedCard& card : layout->cards) {
        const NodeRow& node = *drawn.nodes[card.node];
        const auto mark = drawn.marks.find(node.uid);
        out += cardSvg(card, node, picture, mark == drawn.marks.end() ? ' ' : mark->second);
    }
    if (!removed.empty()) {
        float y = layout->height + 24;
        out += fmt::format("<text class=\"dim\" x=\"0\" y=\"{:.0f}\">- removed by this stage: {}</text>\n", y, drawn.removed.size());
        for (const std::string& line : removed) out += fmt::format("<text class=\"dim\" x=\"0\" y=\"{:.0f}\">{}</text>\n", y += 16, escaped(line));
    }
    return out + "</g>\n</svg>\n";
}

std::string stageDot(const StagePicture& picture) {
    const Drawn drawn = drawnOf(picture);
    std::string out = fmt::format("digraph {} {{\n  rankdir=TB;\n  node [fontname=\"monospace\", fontsize=10, style=filled];\n",
                                  dotQuoted(fmt::format("stage {} {}", picture.snapshot->stage.idx, picture.snapshot->stage.name)));
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < drawn.nodes.size(); ++i) groups[drawn.groupOf[i]].push_back(i);
    std::size_t number = 0;
    for (const auto& [name, members] : groups) {
        if (!name.empty())
            out += fmt::format("  subgraph cluster_{} {{\n    label={}; style=dashed; color=\"#6B7480\";\n", number++, dotQuoted(name));
        for (std::size_t i : members) {
            const auto mark = drawn.marks.find(drawn.nodes[i]->uid);
            out += (name.empty() ? "  " : "    ") + dotNode(*drawn.nodes[i], picture, mark == drawn.marks.end() ? ' ' : mark->second);
        }
        if (!name.empty()) out += "  }\n";
    }
    for (const Drawn::Edge& edge : drawn.edges)
        out += fmt::format("  n{} -> n{}{};\n", drawn.nodes[edge.from]->uid, drawn.nodes[edge.to]->uid,
                           edge.write ? " [style=dashed, color=\"#9B0F2E\"]" : "");
    return out + "}\n";
}

}  // namespace aliascope::report
