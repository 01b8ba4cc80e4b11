#pragma once
// Tokens of the pattern language. Internal to core/patterns.

#include <string>
#include <string_view>

#include "core/patterns/language.h"

namespace aliascope::patterns {

enum class TokenKind : std::uint8_t { End, Name, Capture, Node, Integer, Real, String, Sign };

struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;  ///< without the mark of captures and nodes, without quotes
    TextPlace place;
    std::size_t begin = 0, end = 0;
    std::int64_t integer = 0;
    double real = 0;
};

/// Carries the first error through the recursive descent.
struct SyntaxError {
    TextPlace place;
    std::string want, got;
};

/// Gives one token after the other; throws SyntaxError. Copies stand at the same place: a parser may look ahead.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

private:
    Token finish(Token t) const;
    void advance(std::size_t n);
    std::string_view takeWhile(bool (*test)(char));
    void skipBlanks();
    void number(Token& t);
    void string(Token& t);
    void sign(Token& t);

    std::string_view text_;
    std::size_t at_ = 0;
    TextPlace place_;
};

/// The token as messages show it.
std::string shown(const Token& t);

}  // namespace aliascope::patterns
