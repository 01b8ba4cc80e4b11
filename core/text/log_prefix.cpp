#include "core/text/log_prefix.h"

#include <algorithm>
#include <charconv>
#include <optional>

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

/// formats.md 8.2. The head of a PyTorch line (`V0107 10:00:00.0 71 `) is followed by a place, which is a prefix of its own: its head may be cut.
constexpr Pattern kPatterns[] = {
    {"[rank9]: ", true},
    {"[rank9]:", true},
    {"rank9: ", true},
    {"(* pid=9) ", true},
    {"(* rank=9 pid=9) ", true},
    {"L 9-9 9:9:9 [*:9] ", false},
    {"[*:9 L] ", false},
    {"[L] *(9,*):9-9-9 9:9:9.9.9 [*:9]9 ", false},
    {"*  | ", true},
    {"* | ", true},
};

std::optional<int> numberAt(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end != text.data() && value >= 0 ? std::optional(value) : std::nullopt;
}

/// `3/1_2`, `!0/1/0`, `-/-`: compile id and attempt.
bool isTraceId(std::string_view group) {
    return !group.empty() && (isDigit(group[0]) || group[0] == '!' || group[0] == '-') && group.find_first_not_of("0123456789/_!-") == group.npos;
}

void takeTraceId(std::string_view id, UnitGroup& group) {
    if (id[0] == '-') return;
    const std::size_t attempt = id.find('_');
    group.compileId = std::string(id.substr(0, attempt));
    group.attempt = attempt == id.npos ? 0 : numberAt(id.substr(attempt + 1));
}

/// `V0107 10:00:00.000001 71 `: level, date, time, process.
std::size_t glogHead(std::string_view line, LogPrefix& prefix) {
    if (line.empty() || std::string_view("VIWEC").find(line[0]) == std::string_view::npos) return 0;
    const std::size_t time = matches(line.substr(1), "9 9:9:9.9 ");
    const std::size_t process = time == 0 ? 0 : matches(line.substr(1 + time), "9 ");
    if (process == 0) return 0;
    const std::string_view digits = line.substr(1 + time, process);
    prefix.stream += digits;
    std::int64_t pid = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size() - 1, pid).ec == std::errc()) prefix.group.process = pid;
    return 1 + time + process;
}

/// Behind the groups at `at`, each behind a blank: ` [0/0]`, ` [__aot_graphs]`. `named` becomes true when one names an artifact.
std::size_t groupsEnd(std::string_view line, std::size_t at, UnitGroup& group, bool& named) {
    while (line.substr(at, 2) == " [") {
        const std::size_t end = line.find(']', at);
        if (end == line.npos) break;
        const std::string_view inside = line.substr(at + 2, end - at - 2);
        const bool artifact = inside.starts_with("__");
        if (!artifact && !isTraceId(inside)) break;
        if (!artifact) takeTraceId(inside, group);
        named = named || artifact;
        at = end + 1;
    }
    return at;
}

/// `torch/x.py:5]` at the start of `line`: its end; 0 when there is none.
std::size_t pathEnd(std::string_view line) {
    constexpr std::size_t kLongestPath = 4096;
    const std::size_t close = line.substr(0, kLongestPath).find(']');
    if (close == line.npos || close < 5) return 0;
    const std::string_view path = line.substr(0, close);
    const std::size_t colon = path.rfind(':');
    if (colon == path.npos || colon + 1 == path.size() || !std::all_of(path.begin() + static_cast<std::ptrdiff_t>(colon) + 1, path.end(), isDigit))
        return 0;
    return path.find(' ') != path.npos || path.find(".py") == path.npos || path[0] == '[' ? 0 : close + 1;
}

/// `torch/x.py:5] ` and the groups behind it; or, where its head was cut off, the groups alone.
std::size_t place(std::string_view line, LogPrefix& prefix) {
    constexpr std::size_t kLongestGroups = 42;  // those before the name of an artifact, and the start of that
    const std::size_t path = pathEnd(line);
    bool named = false;
    std::size_t at = 0;
    if (path > 0) {
        at = groupsEnd(line, path, prefix.group, named);
    } else if (line.starts_with("[") && line.substr(0, kLongestGroups).find("[__") != line.npos) {
        UnitGroup group = prefix.group;
        const std::size_t end = groupsEnd(" " + std::string(line.substr(0, 200)), 0, group, named);
        if (!named) return 0;
        prefix.group = group;
        at = end - 1;
    }
    prefix.stream += line.substr(0, at);
    return at > 0 && line.substr(at, 1) == " " ? at + 1 : at;
}

/// `2024-01-07T10:00:00.123Z `, `[2023-04-07 10:00:00,123] `, `2024-01-07 10:00:00+01:00 `: a time as loggers and collectors write it.
std::size_t timeStamp(std::string_view line) {
    const bool bracket = line.starts_with("[");
    std::size_t at = bracket ? 1 : 0;
    const auto skip = [&](std::string_view pattern) {
        const std::size_t size = matches(line.substr(std::min(at, line.size())), pattern);
        at += size;
        return size > 0;
    };
    if (!skip("9-9-9") || at >= line.size() || (line[at] != 'T' && line[at] != ' ')) return 0;
    ++at;
    if (!skip("9:9:9")) return 0;
    if (!skip(".9")) skip(",9");
    if (!skip("Z") && !skip("+9:9") && !skip("-9:9")) skip("+9");
    if (bracket && !skip("]")) return 0;
    if (at == line.size()) return at;
    return line[at] == ' ' ? at + 1 : 0;
}

/// Behind a time: `[0/0] torch._dynamo.output_graph: [DEBUG] ` (2.0 to 2.2), `- torch._dynamo - DEBUG - `.
std::size_t loggerName(std::string_view line, LogPrefix& prefix) {
    std::size_t at = 0;
    UnitGroup group = prefix.group;
    if (line.starts_with("[")) {
        constexpr std::size_t kLongestGroup = 26;
        const std::size_t close = line.substr(0, kLongestGroup).find("] ");
        if (close == line.npos) return 0;
        if (isTraceId(line.substr(1, close - 1))) takeTraceId(line.substr(1, close - 1), group);
        at = close + 2;
    }
    std::size_t logger = matches(line.substr(at), "*: [L] ");
    if (logger == 0 && at == 0) logger = matches(line, "- * - L - ");
    if (logger == 0) return 0;
    prefix.group = group;
    prefix.stream += line.substr(0, at + logger);
    return at + logger;
}

/// `DEBUG:torch._dynamo:`, `INFO: `, `torch._dynamo: [INFO] `: only in front of the first line of a message, so they count only there.
std::size_t shortFormat(std::string_view line) {
    for (const std::string_view pattern : {"L:*:", "*: [L] ", "L: "})
        if (const std::size_t size = matches(line, pattern); size > 0 && line.substr(size).starts_with("TRACED GRAPH")) return size;
    return 0;
}

/// Words of a launcher's prefix without the times, which differ from line to line.
std::string withoutTimes(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(' ', at);
        if (begin == text.npos) break;
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        bool time = false;
        for (std::size_t i = 1; i + 1 < word.size(); ++i)
            time = time || ((word[i] == ':' || word[i] == '-') && isDigit(word[i - 1]) && isDigit(word[i + 1]));
        if (!time) out += std::string(word) + " ";
        at = end;
    }
    return out;
}

/// Launchers and collectors put what they like in front of a line; what stands before the head and the place of a PyTorch line is theirs.
std::size_t launcherPrefix(std::string_view line, LogPrefix& prefix) {
    constexpr std::size_t kLongest = 160;
    for (std::size_t at = 1; at + 8 < line.size() && at < kLongest; ++at) {
        if (line[at] == '"' || line[at] == '\'' || line[at] == '#') return 0;
        if (isNameChar(line[at - 1]) || !isDigit(line[at + 1]) || std::string_view("VIWEC").find(line[at]) == std::string_view::npos) continue;
        LogPrefix behind;
        const std::size_t head = glogHead(line.substr(at), behind);
        if (head == 0 || pathEnd(line.substr(at + head)) == 0) continue;
        const std::string_view words = line.substr(0, at);
        prefix.stream += withoutTimes(words);
        if (const std::size_t rank = words.find("rank"); rank != words.npos && !prefix.group.rank)
            prefix.group.rank = numberAt(words.substr(rank + 4));
        return at;
    }
    return 0;
}

/// One prefix at the start of `line`.
std::size_t onePrefix(std::string_view line, LogPrefix& prefix) {
    std::size_t size = glogHead(line, prefix);
    if (size == 0) size = place(line, prefix);
    if (size == 0) {
        size = timeStamp(line);
        if (size > 0) return size + loggerName(line.substr(size), prefix);
    }
    for (const Pattern& p : kPatterns) {
        if (size != 0) break;
        // Behind another prefix a bar belongs to what is said.
        if (p.text.ends_with("| ") && (prefix.size > 0 || !isNameStart(line[0]))) continue;
        size = matches(line, p.text);
        if (size == 0 || !p.keyed) continue;
        prefix.stream += line.substr(0, size);
        const std::size_t rank = line.substr(0, size).find("rank");
        if (rank == line.npos || prefix.group.rank) continue;
        const std::string_view digits = line.substr(rank + 4);
        prefix.group.rank = numberAt(digits.substr(digits.starts_with("=") ? 1 : 0));
    }
    if (size == 0 && !prefix.group.process) size = launcherPrefix(line, prefix);
    return size > 0 ? size : shortFormat(line);
}

}  // namespace

LogPrefix logPrefix(std::string_view line) {
    constexpr int kMostPrefixes = 16;  // a launcher in a launcher; every further one would be searched for in all the rest of the line
    LogPrefix prefix;
    for (int count = 0; count < kMostPrefixes && prefix.size < line.size(); ++count) {
        const std::size_t size = onePrefix(line.substr(prefix.size), prefix);
        if (size == 0) break;
        prefix.size += size;
    }
    return prefix;
}

}  // namespace aliascope
