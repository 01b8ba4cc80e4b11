#include "app/cli/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/limits.h"

namespace aliascope::cli {
namespace {

void addSubGraphs(const GraphEntry& parent, std::vector<GraphEntry>& out) {
    for (const Graph::SubGraph& sub : parent.graph->subGraphs()) {
        GraphEntry entry;
        entry.id = parent.id + "." + sub.attribute.str();
        entry.label = sub.graph->name.empty() ? sub.attribute.str() : sub.graph->name;
        entry.unit = parent.unit;
        entry.graph = sub.graph.get();
        entry.path = parent.path;
        entry.path.push_back(sub.attribute);
        entry.nodes = static_cast<std::int64_t>(sub.graph->size());
        out.push_back(entry);
        addSubGraphs(entry, out);
    }
}

std::string described(const GraphEntry& entry) {
    return fmt::format("{} ({}, {} nodes)", entry.id, entry.label.empty() ? "graph" : entry.label, entry.nodes);
}

std::string listOf(const std::vector<GraphEntry>& entries) {
    constexpr std::size_t shown = 12;
    std::string out;
    for (std::size_t i = 0; i < entries.size() && i < shown; ++i) out += (i ? ", " : "") + described(entries[i]);
    if (entries.size() > shown) out += fmt::format(" and {} more", entries.size() - shown);
    return out;
}

/// Entries that `selector` names: by id, else by name, else by a prefix of the name.
std::vector<GraphEntry> matching(const std::vector<GraphEntry>& entries, const std::string& selector) {
    std::vector<GraphEntry> out;
    auto take = [&](auto&& fits) {
        if (out.empty()) std::copy_if(entries.begin(), entries.end(), std::back_inserter(out), fits);
    };
    take([&](const GraphEntry& e) { return e.id == selector; });
    take([&](const GraphEntry& e) { return e.label == selector || e.graph->name == selector; });
    take([&](const GraphEntry& e) { return e.label.starts_with(selector) || e.graph->name.starts_with(selector); });
    return out;
}

}  // namespace

Document readDocument(Command& c, const std::string& path, Wanted wanted) {
    ReadOptions options;
    const std::string selector = c.args().get("--graph");
    if (wanted == Wanted::Picked) options.only = selector.substr(0, selector.find('.'));
    options.limits = chosenLimits(c).reading;
    options.cancel = c.cancel();
    auto document = openFile(path, c.ops(), options);
    if (c.cancel().cancelled()) throw Failure{ExitInterrupted, "interrupted"};
    if (!document) throw Failure{ExitInput, document.error().format()};
    c.input["path"] = path;
    c.input["container"] = document->container;
    if (c.args().has("--strict")) {
        auto refuse = [](const std::vector<Diagnostic>& list) {
            for (const Diagnostic& d : list)
                if (d.severity == Severity::Error) throw Failure{ExitInput, d.format()};
        };
        refuse(document->diagnostics);
        for (const Unit& unit : document->units) refuse(unit.diagnostics);
    }
    c.warn(document->diagnostics);
    if (document->units.empty()) throw Failure{ExitInput, userError("R003", {{"list", "graph() text, readable Python, TORCH_LOGS lines"}}).format()};
    return std::move(*document);
}

std::vector<GraphEntry> graphsOf(const Document& document) {
    std::vector<GraphEntry> out;
    for (std::size_t i = 0; i < document.units.size(); ++i) {
        const Unit& unit = document.units[i];
        GraphEntry entry;
        entry.id = unit.id;
        entry.label = unit.label;
        entry.unit = i;
        entry.graph = &unit.graph;
        entry.nodes = unit.statedNodes;
        out.push_back(entry);
        addSubGraphs(entry, out);
    }
    return out;
}

std::vector<GraphEntry> selectedGraphs(Command& c, const Document& document) {
    auto entries = graphsOf(document);
    if (c.args().has("--latest")) {
        const UnitGroup last = document.units.back().group;
        std::erase_if(entries, [&](const GraphEntry& e) {
            const UnitGroup& group = document.units[e.unit].group;
            const bool same = group.run == last.run && group.compileId == last.compileId && group.rank == last.rank;
            return last.compileId.empty() ? e.unit + 1 != document.units.size() : !same;
        });
    }
    const std::string selector = c.args().get("--graph");
    if (selector.empty()) return entries;
    auto found = matching(entries, selector);
    if (found.empty()) throw Failure{ExitNotFound, fmt::format("no graph {} in {}; it has {}", selector, document.path, listOf(entries))};
    return found;
}

namespace {

/// The verb runs programs of several graphs, and the document has a forward and a backward.
bool offersProgram(const Command& c, const Document& document) {
    const auto& options = c.args().verb->options;
    const auto has = [&](Phase phase) {
        return std::any_of(document.units.begin(), document.units.end(), [&](const Unit& u) { return !u.abandoned && u.graph.phase == phase; });
    };
    return std::find(options.begin(), options.end(), "--program") != options.end() && has(Phase::Backward) &&
           (has(Phase::Forward) || has(Phase::Inference));
}

}  // namespace

GraphEntry pickGraph(Command& c, const Document& document) {
    const std::string selector = c.args().get("--graph");
    const auto found = selectedGraphs(c, document);
    GraphEntry picked;
    if (!selector.empty()) {
        if (found.size() > 1) throw Failure{ExitUsage, fmt::format("--graph {} fits several graphs: {}", selector, listOf(found))};
        picked = found.front();
    } else {
        std::vector<GraphEntry> whole;
        std::copy_if(found.begin(), found.end(), std::back_inserter(whole), [](const GraphEntry& e) { return e.path.empty(); });
        picked = *std::max_element(whole.begin(), whole.end(), [](const GraphEntry& a, const GraphEntry& b) { return a.nodes < b.nodes; });
        const bool program = offersProgram(c, document);
        if (whole.size() > 1)
            c.note(fmt::format("{} graphs in {}; taking {}. --graph picks another: {}{}", whole.size(), document.path, described(picked),
                               listOf(whole), program ? "; --program auto takes forward and backward as one" : ""));
    }
    c.input["graph"] = {{"id", picked.id}, {"name", picked.label}};
    return picked;
}

void warnOf(Command& c, const Unit& unit) { c.warn(unit.diagnostics); }

}  // namespace aliascope::cli
