#pragma once
// Tokens of one logical line of Python, made on demand: no list of tokens is kept, the parser looks one token ahead.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aliascope {

struct PyToken {
    enum class Kind : std::uint8_t {
        Name,
        Number,
        String,
        Op,
        Comment,  ///< `#` to the line's end, at bracket depth 0 only
        LineEnd,  ///< at bracket depth 0 only
        TextEnd,
        Bad,  ///< a string without end, or a character that starts nothing
    };
    Kind kind = Kind::TextEnd;
    std::string_view text;
    std::size_t begin = 0;

    std::size_t end() const { return begin + text.size(); }
    /// `op` is not empty. The first character tells most tokens apart.
    bool is(std::string_view op) const {
        return kind == Kind::Op && text[0] == op[0] && text.size() == op.size() && (op.size() == 1 || text == op);
    }
    bool isName(std::string_view name) const { return kind == Kind::Name && text == name; }
};

/// Blanks and, inside brackets, comments and line ends are passed over; a backslash joins lines. A string without end is cut at the line's end.
class PyLexer {
public:
    /// Tokens of text[begin, end).
    PyLexer(std::string_view text, std::size_t begin, std::size_t end) : text_(text.substr(0, end)), at_(begin) { advance(); }

    const PyToken& token() const { return token_; }
    /// Moves to the next token and gives back the one that was current.
    PyToken take() {
        const PyToken t = token_;
        advance();
        return t;
    }
    /// Goes on at `at`, at the same bracket depth.
    void skipTo(std::size_t at) {
        token_ = {PyToken::Kind::Op, text_.substr(token_.begin, at - token_.begin), token_.begin};
        at_ = at;
        advance();
    }
    /// The token after the current one, without moving.
    PyToken peek() const {
        PyLexer copy(*this);
        copy.advance();
        return copy.token_;
    }
    /// End of the token before the current one.
    std::size_t lastEnd() const { return lastEnd_; }
    std::string_view text() const { return text_; }

private:
    void advance();
    void set(PyToken::Kind kind, std::size_t begin, std::size_t end) {
        token_ = {kind, text_.substr(begin, end - begin), begin};
        at_ = end;
    }
    std::size_t stringEnd(std::size_t quote) const;

    std::string_view text_;
    std::size_t at_;
    std::size_t lastEnd_ = 0;
    int depth_ = 0;
    PyToken token_;
};

}  // namespace aliascope
