#include "core/text/source_text.h"

#include <algorithm>
#include <cstdio>

#include "core/text/literals.h"

namespace aliascope {
namespace {

constexpr std::size_t kExcerptColumns = 120, kFoundCharacters = 30;

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::size_t characters(std::string_view text) { return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter)); }

/// Whole characters of `text` from its start, at most `count`.
std::string_view firstCharacters(std::string_view text, std::size_t count) {
    std::size_t i = 0;
    for (std::size_t seen = 0; i < text.size(); ++i)
        if (startsCharacter(text[i]) && seen++ == count) break;
    return text.substr(0, i);
}

std::string visible(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else if (c == '\t') {
            out += ' ';
        } else {
            char buffer[8];
            std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
            out += buffer;
        }
    }
    return out;
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> SourceText::place(std::size_t at) const {
    at = std::min(at, text_.size());
    std::vector<std::size_t>& starts = *lineStarts_;
    if (starts.empty()) {
        starts.push_back(0);
        for (std::size_t i = whole_.find('\n'); i != whole_.npos; i = whole_.find('\n', i + 1)) starts.push_back(i + 1);
    }
    const auto line = std::upper_bound(starts.begin(), starts.end(), at) - starts.begin();
    const std::size_t start = starts[static_cast<std::size_t>(line - 1)];
    return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(characters(text_.substr(start, at - start)) + 1)};
}

std::size_t SourceText::lineEnd(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

std::string SourceText::excerpt(std::size_t at) const {
    at = std::min(at, text_.size());
    const std::size_t before = at == 0 ? text_.npos : text_.rfind('\n', at - 1);
    std::size_t begin = before == text_.npos ? 0 : before + 1;
    // Half of the columns stand before the place; a character is at most four bytes, so that a very long line is not counted through.
    if (at - begin > kExcerptColumns / 2) {
        std::size_t back = at;
        for (std::size_t seen = 0; back > begin && seen < kExcerptColumns / 2; ++seen) do
                --back;
            while (back > begin && !startsCharacter(text_[back]));
        begin = back;
    }
    const std::string_view line = firstCharacters(text_.substr(begin, std::min(lineEnd(at) - begin, 4 * kExcerptColumns)), kExcerptColumns);
    const std::string lead = visible(text_.substr(begin, at - begin));
    return visible(line) + "\n" + std::string(characters(lead), ' ') + "^";
}

std::string SourceText::found(std::size_t at) const {
    if (at >= text_.size()) return "the end of the text";
    if (text_[at] == '\n') return "the end of the line";
    std::size_t end = at + 1;
    if (isNameChar(text_[at]))
        while (end < text_.size() && end - at < 4 * kFoundCharacters && (isNameChar(text_[end]) || text_[end] == '.')) ++end;
    if (text_[at] == '\'' || text_[at] == '"') end = std::min(lineEnd(at), at + 4 * kFoundCharacters);
    while (end < text_.size() && !startsCharacter(text_[end])) ++end;
    return "\"" + visible(firstCharacters(text_.substr(at, end - at), kFoundCharacters)) + "\"";
}

void Reporter::report(Diagnostic d, std::size_t at) {
    if (kept_.size() >= limit_) {
        ++dropped_;
        return;
    }
    d.file = source_.file();
    std::tie(d.line, d.column) = source_.place(at);
    d.excerpt = source_.excerpt(at);
    kept_.push_back(std::move(d));
}

Diagnostic limitPassed(std::string what, std::uint64_t limit) {
    return userError("R050", {{"what", std::move(what)}, {"limit", std::to_string(limit)}, {"option", "--limits"}});
}

void Reporter::report(const ReadError& error, const std::string& where, Name node) {
    if (!error.limit) return expected(error.want + where, error.at, node);
    Diagnostic d = limitPassed(error.want, error.limit);
    d.node = node;
    report(std::move(d), error.at);
}

void Reporter::expected(const std::string& want, std::size_t at, Name node) {
    if (want == "a number" && at < source_.text().size()) {
        Diagnostic d = userError("R016", {{"got", source_.found(at)}});
        d.node = node;
        return report(std::move(d), at);
    }
    const bool ended = at >= source_.text().size();
    Diagnostic d = ended ? userError("R015", {{"what", node ? "%" + node.str() : "a statement"}})
                         : userError("R014", {{"want", want}, {"got", source_.found(at)}});
    if (ended) d.note = "expected " + want;
    d.node = node;
    report(std::move(d), at);
}

std::vector<Diagnostic> Reporter::take() {
    if (dropped_ > 0) {
        Diagnostic d = warning("R051", {{"n", std::to_string(dropped_)}});
        d.file = source_.file();
        kept_.push_back(std::move(d));
        dropped_ = 0;
    }
    return std::move(kept_);
}

}  // namespace aliascope
