#include "core/text/html_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/literals.h"

namespace aliascope {
namespace {

bool startsWithAnyCase(std::string_view text, std::string_view lowerPrefix) {
    if (text.size() < lowerPrefix.size()) return false;
    return std::equal(lowerPrefix.begin(), lowerPrefix.end(), text.begin(),
                      [](char p, char c) { return p == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c); });
}

/// The character that an entity at `at` (its `&`) means, and the place behind it; nothing for an unknown one.
std::pair<char, std::size_t> entityAt(std::string_view text, std::size_t at) {
    static constexpr std::array<std::pair<std::string_view, char>, 8> kEntities = {
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&#39;", '\''}, {"&#x27;", '\''}, {"&quot;", '"'}, {"&#34;", '"'}, {"&nbsp;", ' '}}};
    for (const auto& [name, c] : kEntities)
        if (text.substr(at, name.size()) == name) return {c, at + name.size()};
    return {'\0', at};
}

struct Tag {
    std::string name;  ///< lower case; `/pre` of a closing one
    std::size_t end = 0;
};

/// The tag whose `<` stands at `at`; its name is empty when it is none.
Tag tagAt(std::string_view text, std::size_t at) {
    Tag tag;
    std::size_t i = at + 1;
    if (i < text.size() && text[i] == '/') tag.name += text[i++];
    if (i >= text.size() || !(isNameStart(text[i]) || text[i] == '!')) return {};
    for (; i < text.size() && (isNameChar(text[i]) || text[i] == '!'); ++i)
        tag.name += text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    const std::size_t close = text.find('>', i);
    if (close == text.npos) return {};
    tag.end = close + 1;
    return tag;
}

}  // namespace

bool isHtml(std::string_view text) {
    text = trimmed(text.substr(0, 1024));
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return startsWithAnyCase(text, "<!doctype html") || startsWithAnyCase(text, "<html");
}

std::string htmlText(std::string_view page) {
    std::string all, code;
    int open = 0;
    bool silent = false;  // inside a script or a style
    bool noMoreTags = false;
    for (std::size_t at = 0; at < page.size();) {
        if (page[at] == '<' && !noMoreTags) {
            const Tag tag = tagAt(page, at);
            // Without any `>` behind it nothing further is a tag: looking again each time would take quadratic time.
            if (tag.name.empty()) noMoreTags = page.find('>', at) == page.npos;
            if (!tag.name.empty()) {
                if (tag.name == "pre" || tag.name == "code") ++open;
                if (tag.name == "br" && !silent) (open > 0 ? code : all) += '\n';
                if ((tag.name == "/pre" || tag.name == "/code") && open > 0 && --open == 0) code += '\n';
                if (tag.name == "script" || tag.name == "style") silent = true;
                if (tag.name == "/script" || tag.name == "/style") silent = false;
                at = tag.end;
                continue;
            }
        }
        char c = page[at];
        std::size_t next = at + 1;
        if (c == '&') {
            const auto [meaning, end] = entityAt(page, at);
            if (end != at) {
                c = meaning;
                next = end;
            }
        }
        if (!silent) (open > 0 ? code : all) += c;
        at = next;
    }
    return trimmed(code).empty() ? all : code;
}

}  // namespace aliascope
