#include "core/text/literals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace aliascope {
namespace {

constexpr std::size_t kMostDigits = 4300;  // as Python's own limit

/// Code point at `at` of well-formed UTF-8 and its length.
std::pair<std::uint32_t, std::size_t> codePoint(std::string_view s, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    const std::uint32_t b = byte(at);
    if (b < 0x80) return {b, 1};
    if (b < 0xe0) return {((b & 0x1f) << 6) | (byte(at + 1) & 0x3f), 2};
    if (b < 0xf0) return {((b & 0x0f) << 12) | ((byte(at + 1) & 0x3f) << 6) | (byte(at + 2) & 0x3f), 3};
    return {((b & 0x07) << 18) | ((byte(at + 1) & 0x3f) << 12) | ((byte(at + 2) & 0x3f) << 6) | (byte(at + 3) & 0x3f), 4};
}

/// Separators, controls, surrogates and private use, which Python's repr escapes; the ranges that texts hold in practice.
bool isPrintable(std::uint32_t c) {
    static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 13> kHidden = {{{0x00, 0x1f},
                                                                                         {0x7f, 0xa0},
                                                                                         {0xad, 0xad},
                                                                                         {0x600, 0x605},
                                                                                         {0x1680, 0x1680},
                                                                                         {0x2000, 0x200f},
                                                                                         {0x2028, 0x202f},
                                                                                         {0x205f, 0x206f},
                                                                                         {0x3000, 0x3000},
                                                                                         {0xd800, 0xf8ff},
                                                                                         {0xfeff, 0xfeff},
                                                                                         {0xfff9, 0xfffb},
                                                                                         {0xe0000, 0x10ffff}}};
    return std::none_of(kHidden.begin(), kHidden.end(), [c](const auto& r) { return c >= r.first && c <= r.second; });
}

int hexDigit(char c) {
    if (isDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Reads one escape behind a backslash; `at` stands on the character after it and is moved behind the escape.
bool appendEscape(std::string& out, std::string_view s, std::size_t& at) {
    const char c = s[at++];
    const auto hex = [&](int digits) {
        std::uint32_t v = 0;
        for (int i = 0; i < digits; ++i, ++at) {
            const int d = at < s.size() ? hexDigit(s[at]) : -1;
            if (d < 0) return false;
            v = v * 16 + static_cast<std::uint32_t>(d);
        }
        if (v > 0x10ffff) return false;
        appendUtf8(out, v);
        return true;
    };
    switch (c) {
        case '\n':
            return true;
        case '\\':
        case '\'':
        case '"':
            out += c;
            return true;
        case 'a':
            out += '\a';
            return true;
        case 'b':
            out += '\b';
            return true;
        case 'f':
            out += '\f';
            return true;
        case 'n':
            out += '\n';
            return true;
        case 'r':
            out += '\r';
            return true;
        case 't':
            out += '\t';
            return true;
        case 'v':
            out += '\v';
            return true;
        case 'x':
            return hex(2);
        case 'u':
            return hex(4);
        case 'U':
            return hex(8);
        default:
            break;
    }
    if (c >= '0' && c <= '7') {
        std::uint32_t v = static_cast<std::uint32_t>(c - '0');
        for (int i = 0; i < 2 && at < s.size() && s[at] >= '0' && s[at] <= '7'; ++i) v = v * 8 + static_cast<std::uint32_t>(s[at++] - '0');
        appendUtf8(out, v);
        return true;
    }
    out += '\\';
    out += c;
    return true;
}

std::optional<Value> readInteger(std::string_view digits, int base, std::string_view token) {
    std::int64_t v = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (error == std::errc() && end == digits.data() + digits.size()) return Value::integer(v);
    if (error == std::errc::result_out_of_range && end == digits.data() + digits.size() && digits.size() <= kMostDigits)
        return Value::named(Value::Kind::BigInt, Name(token));
    return std::nullopt;
}

}  // namespace

void appendUtf8(std::string& out, std::uint32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    }
}

bool isIdentifier(std::string_view text) { return !text.empty() && isNameStart(text[0]) && std::all_of(text.begin(), text.end(), isNameChar); }

bool isSymbolName(std::string_view name) {
    std::size_t at = 0;
    if (name.substr(0, 3) == "zuf")
        at = 3;
    else if (name.substr(0, 2) == "zf")
        at = 2;
    else if (!name.empty() && (name[0] == 's' || name[0] == 'u' || name[0] == 'i'))
        at = 1;
    return at > 0 && at < name.size() && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at), name.end(), isDigit);
}

std::optional<Value> readNumber(std::string_view token) {
    if (token.empty()) return std::nullopt;
    std::string plain;
    std::string_view t = token;
    if (t.find('_') != t.npos) {
        std::remove_copy(t.begin(), t.end(), std::back_inserter(plain), '_');
        t = plain;
    }
    if (t.size() > 2 && t[0] == '0' && !isDigit(t[1]) && t[1] != '.') {
        const char x = static_cast<char>(t[1] | 0x20);
        if (x == 'x') return readInteger(t.substr(2), 16, token);
        if (x == 'o') return readInteger(t.substr(2), 8, token);
        if (x == 'b') return readInteger(t.substr(2), 2, token);
    }
    if (std::all_of(t.begin(), t.end(), isDigit)) return readInteger(t, 10, token);
    if (!isDigit(t[0]) && t[0] != '.') return std::nullopt;
    const bool imaginary = t.back() == 'j' || t.back() == 'J';
    const std::string_view body = imaginary ? t.substr(0, t.size() - 1) : t;
    double d = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), d);
    if (end != body.data() + body.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) d = std::strtod(std::string(body).c_str(), nullptr);
    return imaginary ? Value::named(Value::Kind::Complex, Name(token)) : Value::real(d);
}

std::optional<Value> negated(const Value& number) {
    switch (number.kind()) {
        case Value::Kind::Int:
            if (*number.asInt() == INT64_MIN) return Value::named(Value::Kind::BigInt, Name("9223372036854775808"));
            return Value::integer(-*number.asInt());
        case Value::Kind::Float:
            return Value::real(-*number.asNumber());
        case Value::Kind::BigInt:
            // The smallest int64 has no positive counterpart of its own size.
            if (number.name() == "9223372036854775808") return Value::integer(INT64_MIN);
            return Value::named(Value::Kind::BigInt, Name("-" + number.name().str()));
        case Value::Kind::Complex:
            return Value::named(Value::Kind::Complex, Name("-" + number.name().str()));
        default:
            return std::nullopt;
    }
}

std::optional<std::string> decodePythonString(std::string_view literal) {
    bool raw = false;
    std::size_t at = 0;
    for (; at < literal.size() && literal[at] != '\'' && literal[at] != '"'; ++at) {
        const char prefix = static_cast<char>(literal[at] | 0x20);
        if (prefix == 'b' || prefix == 'f' || prefix == 't') return std::nullopt;
        raw = raw || prefix == 'r';
    }
    if (at >= literal.size()) return std::nullopt;
    const char quote = literal[at];
    const std::size_t marks = literal.size() >= at + 6 && literal[at + 1] == quote && literal[at + 2] == quote ? 3 : 1;
    if (literal.size() < at + 2 * marks) return std::nullopt;
    const std::string_view body = literal.substr(at + marks, literal.size() - at - 2 * marks);
    if (raw || body.find('\\') == body.npos) return std::string(body);
    std::string out;
    out.reserve(body.size());
    for (std::size_t i = 0; i < body.size();) {
        if (body[i] != '\\' || i + 1 >= body.size()) {
            out += body[i++];
            continue;
        }
        if (!appendEscape(out, body, ++i)) return std::nullopt;
    }
    return out;
}

void appendPythonString(std::string& out, std::string_view text) {
    const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    out += quote;
    for (std::size_t i = 0; i < text.size();) {
        const auto [c, size] = codePoint(text, i);
        char buffer[16];
        if (c == '\\' || c == static_cast<unsigned char>(quote)) {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (isPrintable(c)) {
            out += text.substr(i, size);
        } else {
            std::snprintf(buffer, sizeof buffer, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
            out += buffer;
        }
        i += size;
    }
    out += quote;
}

bool isDeviceSpelling(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (!isIdentifier(text.substr(0, colon))) return false;
    if (colon == text.npos) return true;
    const std::string_view index = text.substr(colon + 1);
    return !index.empty() && index.size() <= 4 && std::all_of(index.begin(), index.end(), isDigit) && (index.size() == 1 || index[0] != '0');
}

bool isKnownDevice(std::string_view text) {
    static constexpr std::array<std::string_view, 20> kDevices = {"cpu", "cuda", "xpu",           "hpu",    "npu",    "mps",   "meta",
                                                                  "xla", "mtia", "privateuseone", "vulkan", "ipu",    "maia",  "hip",
                                                                  "ve",  "fpga", "ort",           "lazy",   "mkldnn", "opengl"};
    return isDeviceSpelling(text) && std::find(kDevices.begin(), kDevices.end(), text.substr(0, text.find(':'))) != kDevices.end();
}

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace aliascope
