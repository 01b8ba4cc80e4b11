#include "core/patterns/lexer.h"

#include <charconv>

namespace aliascope::patterns {
namespace {

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

}  // namespace

Token Lexer::next() {
    skipBlanks();
    Token t;
    t.place = place_;
    t.begin = at_;
    if (at_ == text_.size()) return finish(t);
    const char c = text_[at_];
    if (isNameStart(c)) {
        t.kind = TokenKind::Name;
        t.text = takeWhile(isNamePart);
    } else if (isDigit(c)) {
        number(t);
    } else if ((c == '$' || c == '%') && at_ + 1 < text_.size() && isNamePart(text_[at_ + 1])) {
        t.kind = c == '$' ? TokenKind::Capture : TokenKind::Node;
        advance(1);
        t.text = takeWhile(isNamePart);
    } else if (c == '"') {
        string(t);
    } else {
        sign(t);
    }
    return finish(t);
}

Token Lexer::finish(Token t) const {
    t.end = at_;
    return t;
}

void Lexer::advance(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i, ++at_) {
        if (text_[at_] == '\n') {
            ++place_.line;
            place_.column = 1;
        } else if ((static_cast<unsigned char>(text_[at_]) & 0xC0) != 0x80) {
            ++place_.column;
        }
    }
}

std::string_view Lexer::takeWhile(bool (*test)(char)) {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size() && test(text_[end])) ++end;
    advance(end - begin);
    return text_.substr(begin, end - begin);
}

void Lexer::skipBlanks() {
    for (;;) {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) advance(1);
        if (at_ == text_.size() || text_[at_] != '#') return;
        while (at_ < text_.size() && text_[at_] != '\n') advance(1);
    }
}

void Lexer::number(Token& t) {
    std::size_t end = at_;
    bool real = false;
    while (end < text_.size()) {
        const char c = text_[end];
        if (isDigit(c))
            ++end;
        else if (c == '.' && end + 1 < text_.size() && isDigit(text_[end + 1]))
            real = true, ++end;
        else if ((c == 'e' || c == 'E') && end + 1 < text_.size() &&
                 (isDigit(text_[end + 1]) || ((text_[end + 1] == '-' || text_[end + 1] == '+') && end + 2 < text_.size() && isDigit(text_[end + 2]))))
            real = true, end += 2;
        else
            break;
    }
    t.text = text_.substr(at_, end - at_);
    const auto parsed = real ? std::from_chars(t.text.data(), t.text.data() + t.text.size(), t.real)
                             : std::from_chars(t.text.data(), t.text.data() + t.text.size(), t.integer);
    if (parsed.ec != std::errc()) throw SyntaxError{t.place, "a number that fits 64 bits", std::string(t.text.substr(0, 40))};
    t.kind = real ? TokenKind::Real : TokenKind::Integer;
    advance(end - at_);
}

void Lexer::string(Token& t) {
    const std::size_t close = text_.find_first_of("\"\n", at_ + 1);
    if (close == std::string_view::npos || text_[close] != '"') throw SyntaxError{t.place, "a closing \"", "the end of the line"};
    t.kind = TokenKind::String;
    t.text = text_.substr(at_ + 1, close - at_ - 1);
    advance(close + 1 - at_);
}

void Lexer::sign(Token& t) {
    static const std::string_view two[] = {"==", "!=", "<=", ".."};
    t.kind = TokenKind::Sign;
    for (std::string_view s : two)
        if (text_.substr(at_, 2) == s) {
            t.text = text_.substr(at_, 2);
            return advance(2);
        }
    std::size_t length = 1;  // one character, however many bytes
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0) == 0x80) ++length;
    t.text = text_.substr(at_, length);
    advance(length);
}

std::string shown(const Token& t) {
    if (t.kind == TokenKind::End) return "the end of the text";
    const std::string mark = t.kind == TokenKind::Capture ? "$" : t.kind == TokenKind::Node ? "%" : "";
    return "\"" + mark + std::string(t.text.substr(0, 40)) + "\"";
}

}  // namespace aliascope::patterns
