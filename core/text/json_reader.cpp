#include "core/text/json_reader.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/text/literals.h"

namespace aliascope {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skipBlanks(std::string_view text, std::size_t at, std::size_t end) {
    while (at < end && isBlank(text[at])) ++at;
    return at;
}

/// Behind the closing quote of the string that starts at `at`; npos when it does not end.
std::size_t stringEnd(std::string_view text, std::size_t at, std::size_t end) {
    for (++at; at < end; ++at) {
        if (text[at] == '"') return at + 1;
        if (text[at] == '\\') ++at;
    }
    return std::string_view::npos;
}

std::optional<std::uint32_t> hex4(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return digits.size() == 4 && error == std::errc() && end == digits.data() + 4 ? std::optional(value) : std::nullopt;
}

/// Appends what `\uXXXX` at `at` (the backslash) means, surrogate pairs joined; gives the place behind it, or `at` when it is none.
std::size_t appendEscapedUnit(std::string& out, std::string_view body, std::size_t at) {
    const auto first = hex4(body.substr(at + 2, 4));
    if (!first) return at;
    std::uint32_t c = *first;
    std::size_t end = at + 6;
    if (c >= 0xd800 && c < 0xdc00 && body.substr(end, 2) == "\\u") {
        const auto second = hex4(body.substr(end + 2, 4));
        if (second && *second >= 0xdc00 && *second < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (*second - 0xdc00);
            end += 6;
        }
    }
    appendUtf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    return end;
}

}  // namespace

std::string decodeJsonString(std::string_view body) {
    std::string out;
    out.reserve(body.size());
    for (std::size_t i = 0; i < body.size();) {
        if (body[i] != '\\' || i + 1 == body.size()) {
            out += body[i++];
            continue;
        }
        constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
        const std::size_t name = kNames.find(body[i + 1]);
        if (name != kNames.npos) {
            out += kMeanings[name];
            i += 2;
            continue;
        }
        const std::size_t end = body[i + 1] == 'u' ? appendEscapedUnit(out, body, i) : i;
        if (end == i) out += body[i];
        i = end == i ? i + 1 : end;
    }
    return out;
}

JsonDocument::JsonDocument(std::string_view text, std::size_t begin, std::size_t end, std::uint32_t depthLimit) : text_(text) {
    parse(begin, std::min(end, text.size()), depthLimit);
}

void JsonDocument::parse(std::size_t at, std::size_t end, std::uint32_t depthLimit) {
    struct Open {
        std::uint32_t index;
        std::uint32_t last;  // child before, 0 = none
    };
    std::vector<Open> open;
    const auto fail = [&](std::string want, std::size_t where, bool limit = false) { error_ = JsonError{std::move(want), where, limit}; };
    const auto close = [&](std::size_t where) {
        for (const Open& o : open) entries_[o.index].end = where;
    };
    do {
        at = skipBlanks(text_, at, end);
        Entry entry;
        if (!open.empty()) {
            Entry& parent = entries_[open.back().index];
            const char closer = parent.kind == JsonValue::Kind::Array ? ']' : '}';
            if (at < end && text_[at] == closer) {
                parent.end = ++at;
                open.pop_back();
                continue;
            }
            if (parent.children > 0) {
                if (at >= end || text_[at] != ',') {
                    fail(closer == ']' ? "\",\" or \"]\"" : "\",\" or \"}\"", at);
                    break;
                }
                at = skipBlanks(text_, at + 1, end);
            }
            if (closer == '}') {
                const std::size_t keyEnd = at < end && text_[at] == '"' ? stringEnd(text_, at, end) : std::string_view::npos;
                const std::size_t colon = keyEnd == std::string_view::npos ? keyEnd : skipBlanks(text_, keyEnd, end);
                if (colon == std::string_view::npos || colon >= end || text_[colon] != ':') {
                    fail("a key and \":\"", at);
                    break;
                }
                const std::size_t key = at + 1;
                at = skipBlanks(text_, colon + 1, end);
                constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
                if (at - key > kMost) {
                    fail("length of a key", key, true);
                    break;
                }
                entry.keySize = static_cast<std::uint32_t>(keyEnd - 1 - key);
                entry.keyOffset = static_cast<std::uint32_t>(at - key);
            }
        }
        if (at >= end) {
            fail("a value", at);
            break;
        }
        if (entries_.size() >= std::numeric_limits<std::uint32_t>::max() - 1) {
            fail("number of values", at, true);
            break;
        }
        entry.begin = at;
        const char c = text_[at];
        if (c == '"') {
            entry.kind = JsonValue::Kind::String;
            at = stringEnd(text_, at, end);
            if (at == std::string_view::npos) {
                fail("the end of the string", entry.begin);
                break;
            }
        } else if (c == '[' || c == '{') {
            entry.kind = c == '[' ? JsonValue::Kind::Array : JsonValue::Kind::Object;
            ++at;
        } else {
            while (at < end && !isBlank(text_[at]) && std::string_view(",]}:[{\"").find(text_[at]) == std::string_view::npos) ++at;
            const std::string_view word = text_.substr(entry.begin, at - entry.begin);
            const bool number = !word.empty() && (isDigit(word[0]) || word[0] == '-');
            entry.kind = word == "null"                                  ? JsonValue::Kind::Null
                         : word == "true"                                ? JsonValue::Kind::True
                         : word == "false"                               ? JsonValue::Kind::False
                         : number || word == "NaN" || word == "Infinity" ? JsonValue::Kind::Number
                                                                         : JsonValue::Kind::Missing;
            if (entry.kind == JsonValue::Kind::Missing) {
                fail("a value", entry.begin);
                break;
            }
        }
        entry.end = at;
        const auto index = static_cast<std::uint32_t>(entries_.size());
        if (!open.empty()) {
            ++entries_[open.back().index].children;
            if (open.back().last != 0) entries_[open.back().last].next = index;
            open.back().last = index;
        }
        entries_.push_back(entry);
        if (c == '[' || c == '{') {
            if (open.size() >= depthLimit) {
                fail("nesting of JSON", entry.begin, true);
                break;
            }
            open.push_back({index, 0});
        }
    } while (!open.empty());
    close(std::min(at, end));
    if (!error_ && skipBlanks(text_, at, end) != end) fail("the end of the text", skipBlanks(text_, at, end));
}

JsonValue::Kind JsonValue::kind() const { return doc_ ? doc_->entries_[index_].kind : Kind::Missing; }

JsonValue JsonValue::first() const {
    const bool any = (isArray() || isObject()) && doc_->entries_[index_].children > 0;
    return any ? JsonValue(doc_, index_ + 1) : JsonValue();
}

JsonValue JsonValue::next() const {
    const std::uint32_t next = doc_ ? doc_->entries_[index_].next : 0;
    return next != 0 ? JsonValue(doc_, next) : JsonValue();
}

std::string_view JsonValue::key() const {
    if (!doc_) return {};
    const auto& e = doc_->entries_[index_];
    return doc_->text_.substr(e.begin - e.keyOffset, e.keySize);
}

std::size_t JsonValue::size() const { return isArray() || isObject() ? doc_->entries_[index_].children : 0; }

JsonValue JsonValue::operator[](std::string_view key) const {
    JsonValue found;
    if (!isObject()) return found;
    for (JsonValue v = first(); v; v = v.next())
        if (v.key() == key) found = v;
    return found;
}

std::size_t JsonValue::begin() const { return doc_ ? doc_->entries_[index_].begin : 0; }
std::size_t JsonValue::end() const { return doc_ ? doc_->entries_[index_].end : 0; }
std::string_view JsonValue::text() const { return doc_ ? doc_->text_.substr(begin(), end() - begin()) : std::string_view(); }

std::string JsonValue::string() const {
    if (!isString()) return {};
    const std::string_view quoted = text();
    return decodeJsonString(quoted.substr(1, quoted.size() - 2));
}

std::optional<std::int64_t> JsonValue::integer() const {
    if (kind() != Kind::Number) return std::nullopt;
    std::int64_t value = 0;
    const std::string_view t = text();
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    return error == std::errc() && end == t.data() + t.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> JsonValue::real() const {
    if (kind() != Kind::Number && !isString()) return std::nullopt;
    std::string_view t = text();
    if (isString()) t = t.substr(1, t.size() - 2);
    const bool negative = t.substr(0, 1) == "-";
    const std::string_view magnitude = t.substr(negative ? 1 : 0);
    if (magnitude == "Infinity") return (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
    if (magnitude == "NaN") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    if (isString() || end != t.data() + t.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
    if (kind() == Kind::True || kind() == Kind::False) return kind() == Kind::True;
    return std::nullopt;
}

}  // namespace aliascope
