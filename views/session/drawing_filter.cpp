#include "views/session/drawing_filter.h"

#include <algorithm>

namespace aliascope {
namespace {

enum class Towards : std::uint8_t { Inputs, Users };

/// Calls f(index) for every neighbour of a node on one side.
template <class F>
void forNeighbours(const StageView& view, std::uint32_t node, Towards side, F f) {
    const auto& start = side == Towards::Inputs ? view.inputStart : view.outputStart;
    const auto& edges = side == Towards::Inputs ? view.inputEdges : view.outputEdges;
    for (std::uint32_t e = start[node]; e < start[node + 1]; ++e) {
        const EdgeRow& edge = view.snapshot->edges[edges[e]];
        if (const auto at = view.indexOf(side == Towards::Inputs ? edge.from : edge.to)) f(*at);
    }
}

/// Adds what lies within `width` steps of `frontier` on one side. The output, which uses so much, is reached but not gone through.
void spread(const StageView& view, std::vector<std::uint32_t> frontier, Towards side, int width, std::vector<char>& reached) {
    for (int step = 0; step < width && !frontier.empty(); ++step) {
        std::vector<std::uint32_t> next;
        for (std::uint32_t node : frontier) {
            if (view.family[node] == Family::Output && side == Towards::Inputs && step > 0) continue;
            forNeighbours(view, node, side, [&](std::uint32_t other) {
                if (reached[other]) return;
                reached[other] = 1;
                next.push_back(other);
            });
        }
        frontier = std::move(next);
    }
}

std::vector<char> around(const StageView& view, const std::vector<std::uint32_t>& from, int up, int down) {
    std::vector<char> reached(view.snapshot->nodes.size(), 0), below;
    for (std::uint32_t node : from) reached[node] = 1;
    below = reached;
    spread(view, from, Towards::Inputs, up, reached);
    spread(view, from, Towards::Users, down, below);
    for (std::size_t i = 0; i < reached.size(); ++i) reached[i] |= below[i];
    return reached;
}

void keepOnly(std::vector<char>& drawn, const std::vector<char>& wanted) {
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] &= wanted[i];
}

std::vector<char> usersOfStorage(const StageView& view, int storage) {
    std::vector<char> wanted(view.snapshot->nodes.size(), 0);
    for (std::uint32_t member : view.members(storage)) {
        wanted[member] = 1;
        forNeighbours(view, member, Towards::Users, [&](std::uint32_t user) { wanted[user] = 1; });
    }
    return wanted;
}

bool within(const std::string& module, const std::string& above) {
    return module.compare(0, above.size(), above) == 0 && (module.size() == above.size() || module[above.size()] == '.');
}

}  // namespace

std::vector<char> nodesDrawn(const StageView& view, const DrawingFilter& filter) {
    const auto& nodes = view.snapshot->nodes;
    std::vector<char> drawn(nodes.size(), 1);
    if (const auto centre = view.indexOf(filter.centre)) keepOnly(drawn, around(view, {*centre}, filter.up, filter.down));
    if (filter.changedOnly) {
        std::vector<std::uint32_t> changed;
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (view.mark[i] != ' ') changed.push_back(i);
        keepOnly(drawn, around(view, changed, filter.changedWidth, filter.changedWidth));
    }
    if (filter.storage >= 0) keepOnly(drawn, usersOfStorage(view, filter.storage));
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (filter.hideInputs && view.family[i] == Family::Input) drawn[i] = 0;
        if (filter.hideShapes && view.family[i] == Family::Shape) drawn[i] = 0;
        if (!filter.module.empty() && !within(nodes[i]->module, filter.module)) drawn[i] = 0;
        if (filter.hidden.contains(nodes[i]->uid)) drawn[i] = 0;
        if (filter.shown.contains(nodes[i]->uid)) drawn[i] = 1;
    }
    return drawn;
}

std::vector<FilterChip> filterChips(const DrawingFilter& filter, const StageView& view) {
    std::vector<FilterChip> out;
    const auto add = [&](const char* name, std::string text) -> DrawingFilter& {
        out.push_back({name, std::move(text), filter});
        return out.back().without;
    };
    if (filter.centre != kNoUid) {
        const NodeRow* centre = view.node(filter.centre);
        std::string text = centre ? "around %" + centre->name + ": " : "around a node that is not here: ";
        if (filter.up == filter.down)
            text += std::to_string(filter.up) + " steps";
        else
            text += std::to_string(filter.up) + " up, " + std::to_string(filter.down) + " down";
        add("neighbourhood", std::move(text)).centre = kNoUid;
    }
    if (filter.changedOnly) add("changed", "changed \u00b1 " + std::to_string(filter.changedWidth)).changedOnly = false;
    if (filter.storage >= 0) add("storage", "storage S" + std::to_string(filter.storage)).storage = -1;
    if (!filter.module.empty()) add("module", "module " + filter.module).module.clear();
    if (filter.hideInputs) add("inputs", "no inputs").hideInputs = false;
    if (filter.hideShapes) add("shapes", "no shape arithmetic").hideShapes = false;
    if (!filter.hidden.empty()) add("hidden", std::to_string(filter.hidden.size()) + " hidden by hand").hidden.clear();
    for (FilterChip& chip : out)
        if (out.size() == 1) chip.without.shown.clear();
    return out;
}

}  // namespace aliascope
