#include "core/recording/program_graphs.h"

#include <algorithm>
#include <map>

#include "core/text/stage_order.h"

namespace aliascope {
namespace {

struct Pair {
    std::size_t forward = 0, backward = 0;
};

bool isForward(const Unit& u) { return u.graph.phase == Phase::Forward || u.graph.phase == Phase::Inference; }

bool placed(const Unit& u) { return !u.group.compileId.empty() || u.group.aotId; }

bool usable(const Unit& u) { return !u.abandoned && !u.unread && u.stage != "kernel"; }

/// The name without parts that are numbers: `after_post_grad`, `after_post_grad.0` and `after_post_grad.1` are files of one stage.
std::string stem(const Unit& u) {
    std::string out = std::to_string(static_cast<int>(u.form));
    for (std::size_t at = 0; at <= u.label.size();) {
        const std::size_t end = std::min(u.label.find('.', at), u.label.size());
        const std::string part = u.label.substr(at, end - at);
        if (part.find_first_not_of("0123456789") != part.npos) out += "." + part;
        at = end + 1;
    }
    return out;
}

/// Of each compilation with both the first forward and the first backward.
std::vector<Pair> pairsOfCompilations(const Document& doc, const std::vector<std::size_t>& units) {
    std::vector<Pair> out;
    std::vector<std::size_t> known;
    for (const std::size_t i : units) {
        const Unit& u = doc.units[i];
        if (!isForward(u) || !placed(u)) continue;
        if (std::any_of(known.begin(), known.end(), [&](std::size_t k) { return sameCompilation(doc.units[k], u); })) continue;
        known.push_back(i);
        const auto backward = std::find_if(units.begin(), units.end(), [&](std::size_t j) {
            return doc.units[j].graph.phase == Phase::Backward && sameCompilation(doc.units[j], u);
        });
        if (backward != units.end()) out.push_back({i, *backward});
    }
    return out;
}

/// Files of one stage of which one is the backward of the other.
std::vector<Pair> pairsOfNames(const Document& doc, const std::vector<std::size_t>& units) {
    std::map<std::string, std::vector<std::size_t>> byStem;
    for (const std::size_t i : units)
        if (doc.units[i].graph.phase != Phase::Joint && doc.units[i].graph.phase != Phase::Dynamo) byStem[stem(doc.units[i])].push_back(i);
    std::vector<Pair> out;
    constexpr std::size_t most = 16;
    for (const auto& [name, list] : byStem) {
        if (list.size() < 2 || list.size() > most) continue;
        for (const std::size_t b : list) {
            if (!isBackward(doc.units[b].graph)) continue;
            for (const std::size_t f : list)
                if (f != b && !isBackward(doc.units[f].graph) && programOf(doc, {f, b}, {})) out.push_back({f, b});
        }
    }
    return out;
}

std::string listOf(const Document& doc, const std::vector<Pair>& pairs) {
    std::string out;
    for (const Pair& p : pairs)
        out += (out.empty() ? "" : "; ") + doc.units[p.forward].id + "," + doc.units[p.backward].id + " (" + doc.units[p.forward].label + ", " +
               doc.units[p.backward].label + ")";
    return out;
}

Diagnostic noProgram(const Document& doc, std::string why) { return userError("NO_PROGRAM", {{"file", doc.path}, {"why", std::move(why)}}); }

Result<std::vector<std::size_t>> found(const Document& doc, const std::vector<std::size_t>& among) {
    std::vector<Pair> pairs = pairsOfCompilations(doc, among);
    if (pairs.empty()) {
        pairs = pairsOfNames(doc, among);
        // The same graphs as Python state more types.
        const auto readable = [&](const Pair& p) { return doc.units[p.forward].form == GraphForm::Readable; };
        if (pairs.size() > 1 && std::any_of(pairs.begin(), pairs.end(), readable)) std::erase_if(pairs, [&](const Pair& p) { return !readable(p); });
    }
    if (pairs.empty())
        return fail(noProgram(doc, "no forward graph with its backward is in it; --program 3,5 names the graphs in the order in which they run"));
    if (pairs.size() > 1) return fail(noProgram(doc, "there are several: " + listOf(doc, pairs) + "; name the graphs"));
    return std::vector<std::size_t>{pairs[0].forward, pairs[0].backward};
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (end > at) out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

}  // namespace

Result<std::vector<std::size_t>> programGraphs(const Document& doc, const std::string& which) {
    const auto names = split(which);
    std::vector<std::size_t> units;
    if (names.size() < 2) {
        for (std::size_t i = 0; i < doc.units.size(); ++i)
            if (usable(doc.units[i]) && (which == "auto" || doc.units[i].label.starts_with(which))) units.push_back(i);
        return found(doc, units);
    }
    for (const std::string& name : names) {
        const auto at = std::find_if(doc.units.begin(), doc.units.end(), [&](const Unit& u) { return u.id == name || u.label == name; });
        if (at == doc.units.end()) return fail(noProgram(doc, "there is no graph " + name));
        units.push_back(static_cast<std::size_t>(at - doc.units.begin()));
        if (std::find(units.begin(), units.end() - 1, units.back()) != units.end() - 1)
            return fail(noProgram(doc, "graph " + name + " is named twice"));
    }
    return units;
}

Result<Program> programOf(const Document& doc, const std::vector<std::size_t>& units, const std::vector<StatedBinding>& stated) {
    std::vector<Graph> graphs;
    std::vector<int> compilations;
    for (const std::size_t i : units) {
        graphs.push_back(doc.units[i].graph.clone());
        const auto first = std::find_if(units.begin(), units.end(), [&](std::size_t j) { return sameCompilation(doc.units[j], doc.units[i]); });
        compilations.push_back(placed(doc.units[i]) ? static_cast<int>(first - units.begin()) : -1);
    }
    return Program::make(std::move(graphs), stated, compilations);
}

Unit programUnit(const Document& doc, const std::vector<std::size_t>& units, const Program& program) {
    Unit out;
    out.label = "program";
    out.graph = program.linked();
    out.graph.name = out.label;
    out.statedNodes = countStatedNodes(out.graph);
    out.form = doc.units[units[0]].form;
    out.group = doc.units[units[0]].group;
    out.spanBegin = doc.units[units[0]].spanBegin;
    for (std::size_t k = 0; k < units.size(); ++k) {
        const Unit& u = doc.units[units[k]];
        out.id += (k ? "+" : "") + u.id;
        out.spanBegin = std::min(out.spanBegin, u.spanBegin);
        out.spanEnd = std::max(out.spanEnd, u.spanEnd);
        out.notes.push_back("g" + std::to_string(k) + " is graph " + u.id + " " + u.label);
    }
    return out;
}

}  // namespace aliascope
