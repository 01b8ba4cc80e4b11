#include "core/text/log_messages.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/text/find.h"
#include "core/text/input_facts.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/log_prefix.h"
#include "core/text/stated_sizes.h"
#include "core/text/table_reader.h"

namespace aliascope {
namespace {

constexpr std::string_view kTraced = "TRACED GRAPH";

bool startsGraph(std::string_view line) {
    return classLineAt(line) != kNone || graphHeaderAt(line) != kNone || forwardLineAt(line) != kNone || isNodeLine(line) || line == kTraced ||
           isTableLine(line);
}

/// K of `Joint graph K`, `Forward graph K`, `Backward graph K …`.
std::optional<int> titleNumber(std::string_view title) {
    constexpr std::string_view kWord = " graph ";
    const std::size_t at = title.find(kWord);
    if (at == kNone) return std::nullopt;
    int value = 0;
    const char* begin = title.data() + at + kWord.size();
    const auto [end, error] = std::from_chars(begin, title.data() + title.size(), value);
    return error == std::errc() && end != begin && value >= 0 ? std::optional(value) : std::nullopt;
}

std::string placeOf(const UnitGroup& g) { return std::to_string(g.rank.value_or(-1)) + ":" + std::to_string(g.process.value_or(-1)); }
std::string compilationKey(const UnitGroup& g) { return placeOf(g) + ":" + g.compileId; }

/// What is worth showing beside a graph: lines about re-inplacing, graph breaks.
bool isNote(std::string_view message) {
    return message.starts_with("For node ") ? message.find("attempted to reinplace") != kNone
                                            : message.starts_with("Reinplace for ") || message.starts_with("Graph break");
}

std::string noteText(std::string_view message) {
    constexpr std::size_t kLongest = 4000;
    std::string_view text = trimmed(message);
    while (text.ends_with('\n')) text = trimmed(text.substr(0, text.size() - 1));
    return text.size() <= kLongest ? std::string(text) : std::string(text.substr(0, kLongest)) + " …";
}

/// `TRACED GRAPH TENSOR SIZES`, a title, then `name: (2, s0)` and `name (concrete): (2, 3)` per line.
void takeSizes(std::string_view message, Graph& g) {
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find('\n', at), message.size());
        const std::string_view line = trimmed(message.substr(at, end - at));
        at = end + 1;
        constexpr std::string_view kConcrete = " (concrete)";
        const std::size_t colon = line.find(": ");
        if (colon == kNone) continue;
        const bool concrete = line.substr(0, colon).ends_with(kConcrete);
        const std::string_view name = line.substr(0, colon - (concrete ? kConcrete.size() : 0));
        const NodeId node = isIdentifier(name) ? g.find(Name(name)) : NodeId();
        const auto sizes = node ? parseSizes(line.substr(colon + 2)) : std::nullopt;
        if (!sizes) continue;
        concrete ? giveHints(g, node, *sizes) : giveSizes(g, node, *sizes);
    }
}

/// The title in `===== __compiled_fn_1 =====`, the second line of a message.
std::string_view titleOf(std::string_view message) {
    const std::size_t begin = message.find('\n');
    if (begin == kNone) return {};
    std::string_view line = trimmed(message.substr(begin + 1, message.find('\n', begin + 1) - begin - 1));
    while (line.starts_with('=') || line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('=') || line.ends_with(' ')) line.remove_suffix(1);
    return line;
}

bool isAot(Phase phase) { return phase == Phase::Joint || phase == Phase::Forward || phase == Phase::Backward || phase == Phase::Inference; }

/// Where prefixes name no compilation, the numbers of AOT graphs join what belongs together: graphs of Dynamo with the AOT graph that follows them,
/// stages behind an AOT graph with the last one whose inputs they have.
void joinByAotId(std::vector<Unit>& units) {
    std::map<std::string, std::vector<std::size_t>> waiting;                                       // graphs of Dynamo, by process
    std::map<std::pair<std::string, std::string>, std::pair<Phase, std::optional<int>>> compiled;  // by process and inputs
    const auto inputsOf = [](const Graph& g) {
        std::string names;
        for (const NodeId id : g.placeholders()) names += g[id].name.str() + ",";
        return names;
    };
    for (std::size_t u = 0; u < units.size(); ++u) {
        Unit& unit = units[u];
        if (!unit.group.compileId.empty()) continue;
        const std::string place = placeOf(unit.group);
        if (unit.graph.phase == Phase::Dynamo) waiting[place].clear();
        if (unit.graph.phase == Phase::Dynamo || unit.graph.phase == Phase::PreGrad) {
            waiting[place].push_back(u);
        } else if (isAot(unit.graph.phase) && unit.group.aotId) {
            for (const std::size_t before : waiting[place]) units[before].group.aotId = unit.group.aotId;
            waiting[place].clear();
            if (unit.graph.phase != Phase::Joint) compiled[{place, inputsOf(unit.graph)}] = {unit.graph.phase, unit.group.aotId};
        } else if (const auto aot = compiled.find({place, inputsOf(unit.graph)}); aot != compiled.end() && unit.graph.phase == Phase::Unknown) {
            std::tie(unit.graph.phase, unit.group.aotId) = aot->second;
        }
    }
}

/// Messages that hold no graph tell something of the graphs of their compilation.
class Remarks {
public:
    Remarks(const LogText& log, std::string_view text, std::vector<Unit>& units, const std::vector<std::size_t>& messageOf)
        : log_(log), text_(text), units_(units) {
        for (std::size_t u = 0; u < units.size(); ++u) unitsOf_[messageOf[u]].push_back(u);
    }

    void spread() {
        std::map<std::string, std::vector<std::string>> waiting;  // for the next unit of the compilation
        std::map<std::string, std::size_t> last;                  // unit of the compilation
        std::map<std::string, std::string_view> metadata;         // for the next forward
        for (std::size_t m = 0; m < log_.messages.size(); ++m) {
            const std::string key = compilationKey(log_.messages[m].group);
            if (const auto own = unitsOf_.find(m); own != unitsOf_.end()) {
                for (std::string& note : waiting[key]) units_[own->second.front()].notes.push_back(std::move(note));
                waiting.erase(key);
                Unit& unit = units_[own->second.front()];
                if (const auto known = metadata.find(key); known != metadata.end() && unit.graph.phase == Phase::Forward) {
                    for (std::string& note : mutationNotes(known->second, unit.graph)) unit.notes.push_back(std::move(note));
                    metadata.erase(known);
                }
                last[key] = own->second.back();
            } else if (const std::string_view text = textOf(m); isNote(text)) {
                waiting[key].push_back(noteText(text));
            } else if (text.starts_with("TRACED GRAPH TENSOR SIZES")) {
                sizes_.push_back(m);
            } else if (const std::size_t at = text.find("fw_metadata=ViewAndMutationMeta("); at != kNone) {
                metadata[key] = text.substr(at);
            }
        }
        // What nothing follows belongs to what was before.
        for (auto& [key, notes] : waiting)
            if (const auto unit = last.find(key); unit != last.end())
                for (std::string& note : notes) units_[unit->second].notes.push_back(std::move(note));
        spreadSizes();
    }

private:
    std::string_view textOf(std::size_t m) const {
        const std::size_t begin = log_.messages[m].begin, end = m + 1 < log_.messages.size() ? log_.messages[m + 1].begin : text_.size();
        return text_.substr(begin, end - begin);
    }

    void spreadSizes() {
        if (sizes_.empty()) return;
        std::map<std::pair<std::string, std::string_view>, std::size_t> titled;
        for (std::size_t u = 0; u < units_.size(); ++u)
            titled.emplace(std::pair(compilationKey(units_[u].group), std::string_view(units_[u].stage)), u);
        for (const std::size_t m : sizes_)
            if (const auto unit = titled.find({compilationKey(log_.messages[m].group), titleOf(textOf(m))}); unit != titled.end())
                takeSizes(textOf(m), units_[unit->second].graph);
    }

    const LogText& log_;
    std::string_view text_;
    std::vector<Unit>& units_;
    std::map<std::size_t, std::vector<std::size_t>> unitsOf_;  // by message
    std::vector<std::size_t> sizes_;                           // messages that list sizes
};

}  // namespace

std::optional<LogText> logMessages(std::string_view text) {
    struct Line {
        std::string_view content;
        LogPrefix prefix;
    };
    // Most texts are no log: nothing is kept of a text before a prefixed graph start is seen.
    bool graphs = false;
    for (std::size_t at = 0; at < text.size() && !graphs;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t prefix = logPrefix(text.substr(at, end - at)).size;
        graphs = prefix > 0 && startsGraph(text.substr(at + prefix, end - at - prefix));
        at = end + 1;
    }
    if (!graphs) return std::nullopt;
    std::vector<Line> lines;
    std::size_t prefixed = 0, filled = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        Line line;
        line.prefix = logPrefix(text.substr(at, end - at));
        line.content = text.substr(at + line.prefix.size, end - at - line.prefix.size);
        prefixed += line.prefix.size > 0;
        filled += end > at;
        lines.push_back(std::move(line));
        at = end + 1;
    }
    // Where every line has a prefix, one without is a warning or a print between messages; else only the first line of a message has one.
    const bool strict = prefixed * 2 >= filled;
    struct Message {
        const LogPrefix* prefix;
        std::vector<std::string_view> lines;
    };
    std::vector<Message> messages;
    std::unordered_map<std::string_view, std::size_t> open;  // the message of each stream
    bool stray = false;
    for (const Line& line : lines) {
        const bool bare = line.prefix.size == 0;
        const bool continues = bare && !messages.empty() && (!strict || stray || line.content.substr(0, 1) == " ");
        const auto stream = open.find(line.prefix.stream);
        if (continues) {
            messages.back().lines.push_back(line.content);
        } else if (bare || stream == open.end() || line.content.starts_with(kTraced) || isNote(line.content)) {
            if (!bare) open[line.prefix.stream] = messages.size();
            messages.push_back({&line.prefix, {line.content}});
        } else {
            messages[stream->second].lines.push_back(line.content);
        }
        stray = bare && (stray || !continues);
    }
    LogText out;
    out.text.reserve(text.size());
    for (const Message& message : messages) {
        out.messages.push_back({out.text.size(), message.prefix->group});
        for (const std::string_view line : message.lines) {
            out.text += line;
            out.text += '\n';
        }
    }
    return out;
}

void groupLogUnits(const LogText& log, std::string_view text, std::vector<Unit>& units) {
    struct Progress {
        int run = 0;
        bool beyondDynamo = false;
    };
    std::map<std::string, Progress> progress;  // of each compile id
    std::set<std::string> trained;             // AOT ids with a joint or a backward graph
    std::vector<std::size_t> messageOf(units.size(), log.messages.size());
    for (std::size_t u = 0; u < units.size(); ++u) {
        Unit& unit = units[u];
        const auto after = std::upper_bound(log.messages.begin(), log.messages.end(), unit.spanBegin,
                                            [](std::uint64_t at, const LogText::Message& m) { return at < m.begin; });
        if (after == log.messages.begin()) continue;
        messageOf[u] = static_cast<std::size_t>(after - log.messages.begin()) - 1;
        unit.group = log.messages[messageOf[u]].group;
        unit.group.aotId = titleNumber(unit.stage);
        Progress& p = progress[compilationKey(unit.group)];
        // Where prefixes name no compilation, nothing tells that one was made anew.
        if (unit.group.compileId.empty()) continue;
        // The first title of a compilation that went on already: the id is used again.
        if (unit.graph.phase == Phase::Dynamo && p.beyondDynamo) p = {p.run + 1, false};
        p.beyondDynamo = p.beyondDynamo || (unit.graph.phase != Phase::Dynamo && unit.graph.phase != Phase::PreGrad);
        unit.group.run = p.run;
    }
    for (const Unit& unit : units)
        if (unit.group.aotId && (unit.graph.phase == Phase::Joint || unit.graph.phase == Phase::Backward))
            trained.insert(placeOf(unit.group) + ":" + std::to_string(*unit.group.aotId));
    joinByAotId(units);
    Remarks(log, text, units, messageOf).spread();
    for (Unit& unit : units)
        if (unit.group.aotId && unit.graph.phase == Phase::Forward &&
            !trained.contains(placeOf(unit.group) + ":" + std::to_string(*unit.group.aotId)))
            unit.graph.phase = Phase::Inference;
}

}  // namespace aliascope
