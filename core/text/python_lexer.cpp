#include "core/text/python_lexer.h"

#include <algorithm>
#include <array>

#include "core/text/literals.h"

namespace aliascope {
namespace {

constexpr std::array<std::string_view, 5> kThree = {"**=", "//=", "<<=", ">>=", "..."};
constexpr std::array<std::string_view, 21> kTwo = {
    "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "->", ":=", "<>", "::"};

std::size_t operatorSize(std::string_view rest) {
    const bool longer = rest.size() > 1 && std::string_view("*/<>=.:").find(rest[1]) != std::string_view::npos;
    if (!longer) return std::string_view("+-*/%@&|^~<>()[]{},:.;=!").find(rest[0]) != std::string_view::npos ? 1 : 0;
    if (std::find(kThree.begin(), kThree.end(), rest.substr(0, 3)) != kThree.end()) return 3;
    if (std::find(kTwo.begin(), kTwo.end(), rest.substr(0, 2)) != kTwo.end()) return 2;
    return std::string_view("+-*/%@&|^~<>()[]{},:.;=!").find(rest[0]) != std::string_view::npos ? 1 : 0;
}

std::size_t numberEnd(std::string_view text, std::size_t at) {
    const bool hex = text.size() > at + 1 && text[at] == '0' && (text[at + 1] | 0x20) == 'x';
    for (; at < text.size(); ++at) {
        const char c = text[at];
        const bool sign = (c == '+' || c == '-') && !hex && (text[at - 1] | 0x20) == 'e';
        if (!isNameChar(c) && c != '.' && !sign) break;
    }
    return at;
}

bool isStringPrefix(std::string_view word) {
    return word.size() <= 2 &&
           std::all_of(word.begin(), word.end(), [](char c) { return std::string_view("rbuftRBUFT").find(c) != std::string_view::npos; });
}

}  // namespace

/// Behind the closing quote; the line's end (or the text's) when there is none, which the caller sees by the missing quote.
std::size_t PyLexer::stringEnd(std::size_t quote) const {
    const char mark = text_[quote];
    if (text_.substr(quote, 3) == std::string_view(std::array<char, 3>{mark, mark, mark}.data(), 3)) {
        for (std::size_t i = quote + 3; i < text_.size(); ++i) {
            if (text_[i] == '\\')
                ++i;
            else if (text_[i] == mark && text_.substr(i, 3) == text_.substr(quote, 3))
                return i + 3;
        }
        return std::string_view::npos;
    }
    for (std::size_t i = quote + 1; i < text_.size() && text_[i] != '\n'; ++i) {
        if (text_[i] == '\\')
            ++i;
        else if (text_[i] == mark)
            return i + 1;
    }
    return std::string_view::npos;
}

void PyLexer::advance() {
    lastEnd_ = token_.end();
    std::size_t i = at_;
    for (;; ++i) {
        if (i >= text_.size()) return set(PyToken::Kind::TextEnd, text_.size(), text_.size());
        const char c = text_[i];
        if (c == ' ' || c == '\t' || (c == '\n' && depth_ > 0)) continue;
        if (c == '\\' && i + 1 < text_.size() && text_[i + 1] == '\n') {
            ++i;
            continue;
        }
        if (c == '#' && depth_ > 0) {
            i = std::min(text_.find('\n', i), text_.size()) - 1;
            continue;
        }
        break;
    }
    const char c = text_[i];
    if (c == '\n') return set(PyToken::Kind::LineEnd, i, i + 1);
    if (c == '#') return set(PyToken::Kind::Comment, i, std::min(text_.find('\n', i), text_.size()));
    if (isNameStart(c)) {
        std::size_t end = i + 1;
        while (end < text_.size() && isNameChar(text_[end])) ++end;
        const bool quoted = end < text_.size() && (text_[end] == '\'' || text_[end] == '"');
        if (!quoted || !isStringPrefix(text_.substr(i, end - i))) return set(PyToken::Kind::Name, i, end);
        const std::size_t close = stringEnd(end);
        if (close == std::string_view::npos) return set(PyToken::Kind::Bad, i, std::min(text_.find('\n', end), text_.size()));
        return set(PyToken::Kind::String, i, close);
    }
    if (isDigit(c) || (c == '.' && i + 1 < text_.size() && isDigit(text_[i + 1]))) return set(PyToken::Kind::Number, i, numberEnd(text_, i));
    if (c == '\'' || c == '"') {
        const std::size_t close = stringEnd(i);
        if (close == std::string_view::npos) return set(PyToken::Kind::Bad, i, std::min(text_.find('\n', i), text_.size()));
        return set(PyToken::Kind::String, i, close);
    }
    const std::size_t size = operatorSize(text_.substr(i, 3));
    if (size == 0) return set(PyToken::Kind::Bad, i, i + 1);
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    set(PyToken::Kind::Op, i, i + size);
}

}  // namespace aliascope
