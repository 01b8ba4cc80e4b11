#include "core/text/log_prefix.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/text/line_kinds.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

/// A tiny matcher: in a pattern `9` stands for one or more digits, `*` for one or more characters other than blanks, colons and brackets, `L` for
/// a level word, everything else for itself.
std::size_t matches(std::string_view line, std::string_view pattern) {
    std::size_t at = 0;
    for (const char p : pattern) {
        const std::size_t begin = at;
        if (p == '9') {
            while (at < line.size() && isDigit(line[at])) ++at;
        } else if (p == '*') {
            while (at < line.size() && line[at] != ' ' && line[at] != '[' && line[at] != ']' && line[at] != '(' && line[at] != ')' && line[at] != ':')
                ++at;
        } else if (p == 'L') {
            for (const std::string_view level : {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
                if (line.substr(at, level.size()) == level) at += level.size();
        } else if (at < line.size() && line[at] == p) {
            ++at;
        }
        if (at == begin) return 0;
    }
    return at;
}

struct Pattern {
    std::string_view text;
    bool keyed;  ///< the text of the prefix names the stream; times do not
};

/// formats.md 8.1 and 8.2. The head of a PyTorch line (`V0107 10:00:00.0 71 `) is followed by a place, which is a prefix of its own: its head may be
/// cut.
constexpr Pattern kPatterns[] = {
    {"[rank9]:", true},
    {"rank9: ", true},
    {"(* pid=9) L 9-9 9:9:9 [*:9] ", false},
    {"(* pid=9) ", true},
    {"[9-9-9 9:9:9,9] ", false},
    {"9-9-9T9:9:9.9Z ", false},
    {"9-9-9 9:9:9,9 ", false},
    {"[L] *(9,*):9-9-9 9:9:9.9.9 [*:9]9 ", false},
};

/// `V0107 10:00:00.000001 71 `: level, date, time, process.
std::size_t glogHead(std::string_view line, std::string& key) {
    if (line.empty() || std::string_view("VIWEC").find(line[0]) == std::string_view::npos) return 0;
    const std::size_t time = matches(line.substr(1), "9 9:9:9.9 ");
    const std::size_t process = time == 0 ? 0 : matches(line.substr(1 + time), "9 ");
    if (process == 0) return 0;
    key += line.substr(1 + time, process);
    return 1 + time + process;
}

/// `torch/x.py:5] ` and the groups behind it: ` [0/0]`, ` [__aot_graphs]`.
std::size_t place(std::string_view line, std::string& key) {
    const std::size_t close = line.find(']');
    if (close == line.npos || close < 5) return 0;
    const std::string_view path = line.substr(0, close);
    const std::size_t colon = path.rfind(':');
    if (colon == path.npos || colon + 1 == path.size() || !std::all_of(path.begin() + static_cast<std::ptrdiff_t>(colon) + 1, path.end(), isDigit))
        return 0;
    if (path.find(' ') != path.npos || path.find(".py") == path.npos || path[0] == '[') return 0;
    std::size_t at = close + 1;
    while (line.substr(at, 2) == " [") {
        const std::size_t end = line.find(']', at);
        if (end == line.npos) break;
        const std::string_view group = line.substr(at + 2, end - at - 2);
        const bool trace =
            !group.empty() && (isDigit(group[0]) || group[0] == '!' || group[0] == '-') && group.find_first_not_of("0123456789/_!-") == group.npos;
        if (!trace && group.substr(0, 2) != "__") break;
        at = end + 1;
    }
    key += line.substr(0, at);
    return at + (line.substr(at, 1) == " " ? 1 : 0);
}

/// `[0/0] torch._dynamo.output_graph: [DEBUG] ` behind a bracketed time (2.0 to 2.2).
std::size_t bracketedRest(std::string_view line, std::string& key) {
    std::size_t at = 0;
    if (line.substr(0, 1) == "[") {
        const std::size_t close = line.find("] ");
        if (close == line.npos || close > 24) return 0;
        at = close + 2;
    }
    const std::size_t logger = matches(line.substr(at), "*: [L] ");
    if (logger == 0) return 0;
    key += line.substr(0, at + logger);
    return at + logger;
}

std::optional<int> numberAt(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end != text.data() && value >= 0 ? std::optional(value) : std::nullopt;
}

/// What the fixed part of a prefix tells: `[rank0]:71 torch/x.py:5] [3/1_2] [__aot_graphs]`.
UnitGroup groupOf(std::string_view key) {
    UnitGroup group;
    for (const std::string_view word : {"[rank", "rank"})
        if (key.starts_with(word) && !group.rank) group.rank = numberAt(key.substr(word.size()));
    std::size_t at = group.rank ? key.find(':') + 1 : 0;
    while (at < key.size() && key[at] == ' ') ++at;
    if (const auto process = at < key.size() && isDigit(key[at]) ? key.find(' ', at) : key.npos; process != key.npos) {
        std::int64_t pid = 0;
        const auto [end, error] = std::from_chars(key.data() + at, key.data() + process, pid);
        if (error == std::errc() && end == key.data() + process) group.process = pid;
    }
    for (std::size_t open = key.find(" ["); open != key.npos; open = key.find(" [", open + 1)) {
        const std::string_view trace = key.substr(open + 2, key.find(']', open) - open - 2);
        if (trace.empty() || !(isDigit(trace[0]) || trace[0] == '!') || trace.find_first_not_of("0123456789/_!-") != trace.npos) continue;
        const std::size_t attempt = trace.find('_');
        group.compileId = std::string(trace.substr(0, attempt));
        group.attempt = attempt == trace.npos ? 0 : numberAt(trace.substr(attempt + 1));
        break;
    }
    return group;
}

/// K of `Joint graph K`, `Forward graph K`, `Backward graph K …`.
std::optional<int> titleNumber(std::string_view title) {
    constexpr std::string_view kWord = " graph ";
    const std::size_t at = title.find(kWord);
    return at == title.npos ? std::nullopt : numberAt(title.substr(at + kWord.size()));
}

bool startsGraph(std::string_view line) {
    return classLineAt(line) != std::string_view::npos || graphHeaderAt(line) != std::string_view::npos ||
           forwardLineAt(line) != std::string_view::npos || isNodeLine(line);
}

}  // namespace

std::size_t logPrefixSize(std::string_view line, std::string* key) {
    std::size_t at = 0;
    std::string own;
    for (bool found = true; found && at < line.size();) {
        const std::string_view rest = line.substr(at);
        std::size_t size = glogHead(rest, own);
        if (size == 0) size = place(rest, own);
        for (const Pattern& p : kPatterns) {
            if (size != 0) break;
            size = matches(rest, p.text);
            if (size == 0) continue;
            if (p.keyed) own += rest.substr(0, size);
            if (p.text.substr(0, 2) == "[9") size += bracketedRest(rest.substr(size), own);
        }
        found = size != 0;
        at += size;
    }
    if (key) *key = std::move(own);
    return at;
}

std::optional<LogText> logMessages(std::string_view text) {
    struct Line {
        std::string_view content;
        std::size_t prefix = 0;
        std::string key;
    };
    // Most texts are no log: nothing is kept of a text before a prefixed graph start is seen.
    bool graphs = false;
    for (std::size_t at = 0; at < text.size() && !graphs;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t prefix = logPrefixSize(text.substr(at, end - at), nullptr);
        graphs = prefix > 0 && startsGraph(text.substr(at + prefix, end - at - prefix));
        at = end + 1;
    }
    if (!graphs) return std::nullopt;
    std::vector<Line> lines;
    std::size_t prefixed = 0, filled = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        Line line;
        line.prefix = logPrefixSize(text.substr(at, end - at), &line.key);
        line.content = text.substr(at + line.prefix, end - at - line.prefix);
        prefixed += line.prefix > 0;
        filled += end > at;
        lines.push_back(std::move(line));
        at = end + 1;
    }
    // Where every line has a prefix, one without is a warning or a print between messages; else only the first line of a message has one.
    const bool strict = prefixed * 2 >= filled;
    struct Message {
        std::string_view key;
        std::vector<std::string_view> lines;
    };
    std::vector<Message> messages;
    std::unordered_map<std::string_view, std::size_t> open;  // the message of each stream
    bool stray = false;
    for (const Line& line : lines) {
        const bool continues = line.prefix == 0 && !messages.empty() && (!strict || stray || line.content.substr(0, 1) == " ");
        const auto stream = open.find(line.key);
        if (continues) {
            messages.back().lines.push_back(line.content);
        } else if (line.prefix == 0 || stream == open.end() || line.content.substr(0, 12) == "TRACED GRAPH") {
            if (line.prefix > 0) open[line.key] = messages.size();
            messages.push_back({line.key, {line.content}});
        } else {
            messages[stream->second].lines.push_back(line.content);
        }
        stray = line.prefix == 0 && (stray || !continues);
    }
    LogText out;
    out.text.reserve(text.size());
    for (const Message& message : messages) {
        out.messages.push_back({out.text.size(), groupOf(message.key)});
        for (const std::string_view line : message.lines) {
            out.text += line;
            out.text += '\n';
        }
    }
    return out;
}

void groupLogUnits(const LogText& log, std::vector<Unit>& units) {
    const auto placeOf = [](const UnitGroup& g) { return std::to_string(g.rank.value_or(-1)) + ":" + std::to_string(g.process.value_or(-1)); };
    struct Progress {
        int run = 0;
        bool beyondDynamo = false;
    };
    std::map<std::string, Progress> progress;  // of each compile id
    std::set<std::string> trained;             // AOT ids with a joint or a backward graph
    for (Unit& unit : units) {
        const auto after = std::upper_bound(log.messages.begin(), log.messages.end(), unit.spanBegin,
                                            [](std::uint64_t at, const LogText::Message& m) { return at < m.begin; });
        if (after == log.messages.begin()) continue;
        unit.group = std::prev(after)->group;
        unit.group.aotId = titleNumber(unit.stage);
        Progress& p = progress[placeOf(unit.group) + ":" + unit.group.compileId];
        // The first title of a compilation that went on already: the id is used again.
        if (unit.graph.phase == Phase::Dynamo && p.beyondDynamo) p = {p.run + 1, false};
        p.beyondDynamo = p.beyondDynamo || (unit.graph.phase != Phase::Dynamo && unit.graph.phase != Phase::PreGrad);
        unit.group.run = p.run;
        if (unit.group.aotId && (unit.graph.phase == Phase::Joint || unit.graph.phase == Phase::Backward))
            trained.insert(placeOf(unit.group) + ":" + std::to_string(*unit.group.aotId));
    }
    for (Unit& unit : units)
        if (unit.group.aotId && unit.graph.phase == Phase::Forward &&
            !trained.contains(placeOf(unit.group) + ":" + std::to_string(*unit.group.aotId)))
            unit.graph.phase = Phase::Inference;
}

}  // namespace aliascope
