#pragma once
// Interned strings. A graph of 100,000 nodes repeats a few thousand spellings (operator names, files, annotations): a Name is one pointer,
// equal texts have equal pointers, so comparing operators costs one instruction.
//
// Thread-safety: interning may happen on any thread; a Name may be copied between threads freely. Interned texts live until exit.

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace aliascope {

class Name {
public:
    /// The empty text.
    Name() : text_(&emptyText()) {}
    explicit Name(std::string_view text) : text_(intern(text)) {}

    const std::string& str() const { return *text_; }
    std::string_view view() const { return *text_; }
    const char* c_str() const { return text_->c_str(); }
    bool empty() const { return text_->empty(); }
    explicit operator bool() const { return !text_->empty(); }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend bool operator==(Name a, std::string_view b) { return a.view() == b; }
    /// Order of the texts, byte by byte (stable between runs, unlike the pointers).
    friend std::strong_ordering operator<=>(Name a, Name b) { return a.view() <=> b.view(); }

    std::size_t hash() const { return std::hash<const void*>()(text_); }

private:
    static const std::string& emptyText();
    static const std::string* intern(std::string_view text);
    const std::string* text_;
};

inline Name operator""_n(const char* text, std::size_t size) { return Name(std::string_view(text, size)); }

}  // namespace aliascope

template <>
struct std::hash<aliascope::Name> {
    std::size_t operator()(aliascope::Name n) const { return n.hash(); }
};
