#include "core/text/stage_order.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/text/document_parts.h"
#include "core/text/literals.h"
#include "core/text/repro_inputs.h"

namespace aliascope {
namespace {

using GroupKey = std::tuple<int, std::int64_t, std::string, int>;  // rank, process, compile id, run

/// Debug folders name no compilation; there the AOT id tells them apart.
GroupKey keyOf(const Unit& u) {
    const bool byAot = u.group.compileId.empty() && u.group.aotId;
    return {u.group.rank.value_or(-1), u.group.process.value_or(-1), byAot ? "aot " + std::to_string(*u.group.aotId) : u.group.compileId,
            u.group.run};
}

int rankOf(Phase phase) {
    switch (phase) {
        case Phase::Dynamo:
            return 0;
        case Phase::PreGrad:
            return 1;
        case Phase::Joint:
            return 2;
        case Phase::Forward:
        case Phase::Inference:
            return 3;
        case Phase::Backward:
            return 4;
        case Phase::Export:
        case Phase::Unknown:
            break;
    }
    return -1;
}

/// Graphs that share facts by the names of their inputs. Files of a folder that name no compilation do so only when they are numbered stages, or
/// renderings of one graph: `before.graph.txt`, `before.readable.py`.
std::string shareKeyOf(const Unit& u) {
    if (!u.group.compileId.empty() || u.group.aotId || u.member.empty()) return {};
    const std::size_t file = u.member.rfind('/') + 1;
    return u.member.substr(0, !u.stage.empty() && isDigit(u.stage[0]) ? file : std::min(u.member.find('.', file), u.member.size()));
}

/// Names of the inputs: two renderings of one graph agree in them.
std::string parametersOf(const Graph& g) {
    std::string names;
    for (const NodeId id : g.placeholders()) names += g[id].name.str() + ",";
    return names;
}

struct Group {
    std::size_t order = 0;  // by first appearance
    int lastAttempt = 0;
    std::optional<int> aotId;
    int lastRank = 0;
};

/// What graphs of one program know of each other.
struct Shared {
    std::map<std::string, Phase> phaseOfParameters;
    std::unordered_map<Name, TypePtr> inputs;                          // the first type with strides of each name
    std::vector<std::pair<std::unordered_set<Name>, Phase>> compiled;  // inputs of the AOT graphs
};

/// Freezing makes constants of inputs: what is left after it has only some of those of the AOT graph, the last of which is meant. Where no input is
/// left, nothing tells several AOT graphs apart.
Phase phaseOfFrozen(const Unit& u, const Shared& shared) {
    if (u.stage != "AFTER POST GRAD" && u.stage != "FROZEN GRAPH") return Phase::Unknown;
    const auto inputs = u.graph.placeholders();
    if (inputs.empty()) return shared.compiled.size() == 1 ? shared.compiled.front().second : Phase::Unknown;
    constexpr std::size_t kLookBack = 16;  // one compilation has few AOT graphs
    const auto first = shared.compiled.rbegin(), end = first + static_cast<std::ptrdiff_t>(std::min(kLookBack, shared.compiled.size()));
    for (auto it = first; it != end; ++it)
        if (std::all_of(inputs.begin(), inputs.end(), [&](NodeId id) { return it->first.contains(u.graph[id].name); })) return it->second;
    return Phase::Unknown;
}

/// `rank 1 0/0 (run 2)`; what the dumps of a folder share when nothing else is known.
std::string groupName(const UnitGroup& g) {
    std::string name = g.rank ? "rank " + std::to_string(*g.rank) + " " : "";
    if (!g.compileId.empty())
        name += g.compileId;
    else
        name += g.aotId ? "model " + std::to_string(*g.aotId) : "dumps";
    if (g.run > 0) name += " (run " + std::to_string(g.run + 1) + ")";
    return name;
}

/// The chain of `phases`, the last one its own; nothing when that phase has no graph.
std::optional<StageChain> chainOf(const Document& doc, const std::vector<std::size_t>& units, const std::vector<Phase>& phases) {
    StageChain chain;
    bool own = false;
    for (const std::size_t i : units) {
        const Phase phase = doc.units[i].graph.phase;
        if (std::find(phases.begin(), phases.end(), phase) == phases.end()) continue;
        if (phase == phases.back() && !own) chain.home = i;
        own = own || phase == phases.back();
        chain.units.push_back(i);
    }
    if (!own || chain.units.size() < 2) return std::nullopt;
    chain.name = groupName(doc.units[units[0]].group);
    if (phases.back() != Phase::Unknown) chain.name += " " + std::string(toString(phases.back()));
    return chain;
}

bool isAot(Phase phase) { return phase == Phase::Forward || phase == Phase::Backward || phase == Phase::Inference; }

}  // namespace

bool sameCompilation(const Unit& a, const Unit& b) { return keyOf(a) == keyOf(b); }

std::optional<AotName> parseAotName(std::string_view text) {
    AotName name;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), name.id);
    if (error != std::errc() || name.id < 0) return std::nullopt;
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [word, phase] :
         {std::pair("_forward", Phase::Forward), std::pair("_backward", Phase::Backward), std::pair("_inference", Phase::Inference)})
        if (rest.starts_with(word)) name.phase = phase;
    return name.phase == Phase::Unknown ? std::nullopt : std::optional(name);
}

std::optional<AotName> aotNameOfCode(std::string_view code) {
    constexpr std::string_view kMark = "# AOT ID: ['";
    const std::size_t at = code.substr(0, 4096).find(kMark);
    return at == code.npos ? std::nullopt : parseAotName(code.substr(at + kMark.size(), 64));
}

void orderStages(std::vector<Unit>& units) {
    std::map<GroupKey, Group> groups;
    std::map<std::pair<GroupKey, std::string>, Shared> facts;
    for (const Unit& u : units) {
        const auto [it, fresh] = groups.try_emplace(keyOf(u));
        Group& group = it->second;
        if (fresh) group.order = groups.size();
        group.lastAttempt = std::max(group.lastAttempt, u.group.attempt.value_or(0));
        if (!group.aotId) group.aotId = u.group.aotId;
        Shared& shared = facts[{keyOf(u), shareKeyOf(u)}];
        if (isAot(u.graph.phase) && shared.phaseOfParameters.try_emplace(parametersOf(u.graph), u.graph.phase).second) {
            auto& names = shared.compiled.emplace_back(std::unordered_set<Name>(), u.graph.phase).first;
            for (const NodeId id : u.graph.placeholders()) names.insert(u.graph[id].name);
        }
        for (const NodeId id : u.graph.placeholders())
            if (const TensorType* t = u.graph[id].tensor(); t && t->strides) shared.inputs.try_emplace(u.graph[id].name, u.graph[id].type);
    }
    std::vector<std::tuple<std::size_t, int, std::size_t>> order;  // group, phase, place in the file
    for (std::size_t i = 0; i < units.size(); ++i) {
        Unit& u = units[i];
        Group& group = groups[keyOf(u)];
        Shared& shared = facts[{keyOf(u), shareKeyOf(u)}];
        if (!u.abandoned && !u.group.compileId.empty() && u.group.attempt.value_or(0) < group.lastAttempt) {
            u.abandoned = true;
            u.notes.push_back("attempt " + std::to_string(u.group.attempt.value_or(0)) + " of " + u.group.compileId + ", replaced by attempt " +
                              std::to_string(group.lastAttempt));
        }
        if (u.graph.phase == Phase::Unknown && u.stage != "kernel") {
            const auto known = shared.phaseOfParameters.find(parametersOf(u.graph));
            u.graph.phase = known != shared.phaseOfParameters.end() ? known->second : phaseOfFrozen(u, shared);
        }
        for (const NodeId id : u.graph.placeholders())
            if (const auto known = shared.inputs.find(u.graph[id].name); known != shared.inputs.end()) completeInput(u.graph, id, known->second);
        if (!u.group.aotId && rankOf(u.graph.phase) >= rankOf(Phase::Joint)) u.group.aotId = group.aotId;
        const int rank = rankOf(u.graph.phase) < 0 ? group.lastRank : rankOf(u.graph.phase);
        group.lastRank = rank;
        order.emplace_back(group.order, rank, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Unit> sorted;
    sorted.reserve(units.size());
    for (const auto& [group, rank, i] : order) sorted.push_back(std::move(units[i]));
    units = std::move(sorted);
}

std::vector<StageChain> stageChains(const Document& doc) {
    std::map<GroupKey, std::vector<std::size_t>> members;
    std::vector<GroupKey> order;
    for (std::size_t i = 0; i < doc.units.size(); ++i) {
        const Unit& u = doc.units[i];
        // Numbered dumps of one folder belong together; other files of a folder need not.
        const bool numbered = doc.container == "folder" && !u.stage.empty() && isDigit(u.stage[0]);
        const bool placed = !u.group.compileId.empty() || u.group.aotId || numbered;
        if (u.abandoned || u.stage == "kernel" || !placed) continue;
        auto& list = members[keyOf(u)];
        if (list.empty()) order.push_back(keyOf(u));
        list.push_back(i);
    }
    std::vector<StageChain> chains;
    for (const GroupKey& key : order) {
        const auto& units = members[key];
        const std::size_t before = chains.size();
        for (const auto& phases : {std::vector{Phase::Dynamo, Phase::PreGrad, Phase::Joint, Phase::Forward},
                                   std::vector{Phase::Dynamo, Phase::PreGrad, Phase::Inference}, std::vector{Phase::Joint, Phase::Backward}})
            if (auto chain = chainOf(doc, units, phases)) chains.push_back(std::move(*chain));
        if (chains.size() > before) continue;
        for (const auto& phases : {std::vector{Phase::Dynamo, Phase::PreGrad}, std::vector{Phase::Unknown}})
            if (auto chain = chainOf(doc, units, phases)) chains.push_back(std::move(*chain));
    }
    return chains;
}

namespace {

Unit copyOf(const Unit& from) {
    Unit to;
    to.id = from.id;
    to.label = from.label;
    to.form = from.form;
    to.graph = from.graph.clone();
    to.spanBegin = from.spanBegin;
    to.spanEnd = from.spanEnd;
    to.firstLine = from.firstLine;
    to.statedNodes = from.statedNodes;
    to.stage = from.stage;
    to.group = from.group;
    to.member = from.member;
    to.signature = from.signature;
    to.abandoned = from.abandoned;
    to.unread = from.unread;
    to.notes = from.notes;
    to.diagnostics = from.diagnostics;
    return to;
}

}  // namespace

Document compilationOf(const Document& doc, std::size_t& unit) {
    constexpr std::size_t kLongText = 4u << 20;
    Document out;
    out.path = doc.path;
    out.container = doc.container;
    out.diagnostics = doc.diagnostics;
    std::uint64_t begin = doc.text.size(), end = 0;
    std::size_t at = unit;
    for (std::size_t i = 0; i < doc.units.size(); ++i) {
        const Unit& from = doc.units[i];
        if (i != unit && !sameCompilation(from, doc.units[unit])) continue;
        if (i == unit) at = out.units.size();
        out.units.push_back(copyOf(from));
        begin = std::min(begin, from.spanBegin);
        end = std::max(end, from.spanEnd);
    }
    unit = at;
    if (doc.text.size() <= kLongText || begin >= end) {
        out.text = doc.text;
        return out;
    }
    out.text = doc.text.substr(begin, end - begin);
    for (Unit& u : out.units) {
        moveSpans(u.graph, 0 - begin);
        u.spanBegin -= begin;
        u.spanEnd -= begin;
    }
    return out;
}

}  // namespace aliascope
