#include "core/text/normalise.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/text/line_kinds.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

void appendCodePoint(std::string& out, std::uint32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
    } else if (c < 0x10000) {
        out += {static_cast<char>(0xe0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
    } else {
        out += {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3f)), static_cast<char>(0x80 | ((c >> 6) & 0x3f)),
                static_cast<char>(0x80 | (c & 0x3f))};
    }
}

/// Length of the well-formed UTF-8 sequence at `at`, 0 when there is none.
std::size_t sequenceSize(std::string_view s, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned b = byte(at), c = byte(at + 1);
    if (b < 0x80) return 1;
    if (b >= 0xc2 && b < 0xe0) return tail(at + 1) ? 2 : 0;
    if (b >= 0xe0 && b < 0xf0) {
        const bool second = (b != 0xe0 || c >= 0xa0) && (b != 0xed || c < 0xa0);
        return second && tail(at + 1) && tail(at + 2) ? 3 : 0;
    }
    if (b >= 0xf0 && b < 0xf5) {
        const bool second = (b != 0xf0 || c >= 0x90) && (b != 0xf4 || c < 0x90);
        return second && tail(at + 1) && tail(at + 2) && tail(at + 3) ? 4 : 0;
    }
    return 0;
}

/// Behind an ANSI sequence at `at` (which holds ESC); `at` itself when it is none.
std::size_t ansiEnd(std::string_view s, std::size_t at) {
    if (at + 1 >= s.size()) return at;
    std::size_t i = at + 2;
    if (s[at + 1] == '[') {
        while (i < s.size() && (isDigit(s[i]) || s[i] == ';' || s[i] == '?' || s[i] == ':')) ++i;
        return i < s.size() && s[i] >= '@' && s[i] <= '~' ? i + 1 : at;
    }
    if (s[at + 1] != ']') return at;
    // As in a terminal, another sequence ends one that is open: however many never end, each byte is looked at once.
    for (; i < s.size() && s[i] != '\n'; ++i) {
        if (s[i] == '\a') return i + 1;
        if (s[i] == '\x1b') return i + 1 < s.size() && s[i + 1] == '\\' ? i + 2 : at;
    }
    return at;
}

bool isPlain(std::string_view s) {
    return std::none_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '\r' || c == '\x1b' || c == '\t'; });
}

/// Steps 1 to 4, character by character.
void cleanCharacters(NormalisedText& n) {
    std::string_view s = n.text;
    if (s.substr(0, 3) == "\xef\xbb\xbf") s.remove_prefix(3);
    if (s.size() == n.text.size() && isPlain(s)) return;
    std::string out;
    out.reserve(s.size());
    bool lineStart = true;
    for (std::size_t i = 0; i < s.size();) {
        const char c = s[i];
        if (c == '\r') {
            i += i + 1 < s.size() && s[i + 1] == '\n' ? 2 : 1;
            out += '\n';
            lineStart = true;
            continue;
        }
        if (c == '\x1b') {
            const std::size_t end = ansiEnd(s, i);
            if (end == i)
                out += s[i++];
            else
                i = end;
            continue;
        }
        if (c == '\t' && lineStart) {
            out += "    ";
            ++i;
            continue;
        }
        const std::size_t size = sequenceSize(s, i);
        if (size == 0) {
            if (n.invalidBytes++ == 0) n.firstInvalid = i;
            out += kReplacement;
            ++i;
        } else if ((size == 2 && s.substr(i, 2) == "\xc2\xa0") || (size == 3 && s.substr(i, 3) == "\xe2\x80\xaf")) {
            out += ' ';
            i += size;
        } else {
            out += s.substr(i, size);
            i += size;
        }
        lineStart = c == '\n' || (lineStart && c == ' ');
    }
    n.text = std::move(out);
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string joined(const std::vector<std::string_view>& lines) {
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i != 0) out += '\n';
        out += lines[i];
    }
    return out;
}

bool isQuoted(std::string_view line) { return line.substr(0, 2) == "> " || line == ">"; }

/// Step 5: the mark of a quoted mail or comment. Whether there was one: quotes are quoted again.
bool cutQuoteMarks(NormalisedText& n) {
    if (n.text.find("> ") == std::string::npos) return false;
    auto lines = linesOf(n.text);
    const auto quoted = std::count_if(lines.begin(), lines.end(), isQuoted);
    const auto filled = std::count_if(lines.begin(), lines.end(), [](std::string_view l) { return !l.empty(); });
    if (quoted * 2 <= filled) return false;
    for (auto& line : lines)
        if (isQuoted(line)) line.remove_prefix(std::min<std::size_t>(2, line.size()));
    n.text = joined(lines);
    n.quoteMarksCut = true;
    return true;
}

/// Step 5: lines of three backticks or tildes at the line's start, outside triple-quoted strings, become empty.
void cutFences(NormalisedText& n) {
    if (n.text.find("```") == std::string::npos && n.text.find("~~~") == std::string::npos) return;
    auto lines = linesOf(n.text);
    char open = 0;  // the quote of the triple-quoted string that we are in
    for (auto& line : lines) {
        if (open == 0 && (line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~")) {
            line = {};
            n.fencesCut = true;
            continue;
        }
        if (open == 0 && trimmed(line).substr(0, 1) == "#") continue;
        for (std::size_t i = 0; i + 2 < line.size(); ++i) {
            const char c = line[i];
            if ((c != '"' && c != '\'') || line[i + 1] != c || line[i + 2] != c || (open != 0 && open != c)) continue;
            open = open == 0 ? c : 0;
            i += 2;
        }
    }
    if (n.fencesCut) n.text = joined(lines);
}

/// Step 6: entities of a page whose tags are gone.
void decodeEntities(NormalisedText& n) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&#39;", '\''}, {"&quot;", '"'}}};
    std::string_view s = n.text;
    if (s.find('&') == s.npos || s.find('<') != s.npos) return;
    std::string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size();) {
        const auto entity =
            s[i] != '&' ? kEntities.end()
                        : std::find_if(kEntities.begin(), kEntities.end(), [&](const auto& e) { return s.substr(i, e.first.size()) == e.first; });
        if (entity == kEntities.end()) {
            out += s[i++];
        } else {
            out += entity->second;
            i += entity->first.size();
        }
    }
    n.text = std::move(out);
}

/// What stands behind the comment mark and one blank.
std::string_view uncommented(std::string_view line) {
    line.remove_prefix(indentOf(line));
    line.remove_prefix(std::min<std::size_t>(1, line.size()));
    if (line.substr(0, 1) == " ") line.remove_prefix(1);
    return line;
}

/// Step 7: runs of lines that all start with `#` and hold graph text.
void cutCommentMarks(NormalisedText& n) {
    if (n.text.find('#') == std::string::npos ||
        (n.text.find('%') == std::string::npos && n.text.find("graph(") == std::string::npos && n.text.find("class ") == std::string::npos))
        return;
    auto lines = linesOf(n.text);
    const auto isComment = [](std::string_view l) { return trimmed(l).substr(0, 1) == "#"; };
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t end = i;
        bool graph = false;
        for (; end < lines.size() && isComment(lines[end]); ++end) {
            const std::string_view inside = uncommented(lines[end]);
            graph = graph || isNodeLine(inside) || graphHeaderAt(inside) != std::string_view::npos || classLineAt(inside) != std::string_view::npos;
        }
        if (graph) {
            for (std::size_t k = i; k < end; ++k) lines[k] = uncommented(lines[k]);
            n.commentMarksCut = true;
        }
        i = std::max(end, i + 1);
    }
    if (n.commentMarksCut) n.text = joined(lines);
}

}  // namespace

NormalisedText normalise(std::string bytes) {
    NormalisedText n;
    n.text = std::move(bytes);
    cleanCharacters(n);
    constexpr int kQuotes = 8;
    for (int depth = 0; depth < kQuotes && cutQuoteMarks(n);) ++depth;
    cutFences(n);
    decodeEntities(n);
    cutCommentMarks(n);
    return n;
}

NormalisedText cleanUtf8(std::string bytes) {
    NormalisedText n;
    n.text = std::move(bytes);
    if (n.text.starts_with("\xef\xbb\xbf")) n.text.replace(0, 3, "   ");
    std::size_t at = 0;
    const auto skipAscii = [&] {
        for (std::uint64_t eight = 0; at + sizeof eight <= n.text.size(); at += sizeof eight) {
            std::memcpy(&eight, n.text.data() + at, sizeof eight);
            if ((eight & 0x8080808080808080u) != 0) break;
        }
        while (at < n.text.size() && static_cast<unsigned char>(n.text[at]) < 0x80) ++at;
    };
    const auto skipValid = [&] {
        for (skipAscii(); at < n.text.size(); skipAscii()) {
            const std::size_t size = sequenceSize(n.text, at);
            if (size == 0) return;
            at += size;
        }
    };
    skipValid();
    if (at == n.text.size()) return n;
    n.firstInvalid = at;
    std::string out = n.text.substr(0, at);
    while (at < n.text.size()) {
        out += kReplacement;
        ++n.invalidBytes;
        const std::size_t begin = ++at;
        skipValid();
        out.append(n.text, begin, at - begin);
    }
    n.text = std::move(out);
    return n;
}

std::string decodeUtf16(std::string bytes) {
    if (bytes.size() < 2) return bytes;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
    const bool little = byte(0) == 0xff && byte(1) == 0xfe;
    if (!little && !(byte(0) == 0xfe && byte(1) == 0xff)) return bytes;
    const auto unit = [&](std::size_t i) { return little ? byte(i) | (byte(i + 1) << 8) : (byte(i) << 8) | byte(i + 1); };
    std::string out;
    out.reserve(bytes.size() / 2);
    for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
        std::uint32_t c = unit(i);
        if (c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd;
        }
        appendCodePoint(out, c);
    }
    return out;
}

}  // namespace aliascope
