#pragma once
// Interned strings. A graph of 100,000 nodes repeats a few thousand spellings (operator names, files, annotations): a Name is one pointer,
// equal texts have equal pointers, so comparing operators costs one instruction.
//
// Thread-safety: interning may happen on any thread; a Name may be copied between threads freely. Interned texts live until exit.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace aliascope {

class Name {
public:
    /// The empty text.
    Name() : text_(&kEmpty.text) {}
    explicit Name(std::string_view text) : text_(intern(text)) {}

    const std::string& str() const { return text_->value; }
    std::string_view view() const { return text_->value; }
    const char* c_str() const { return text_->value.c_str(); }
    bool empty() const { return text_ == &kEmpty.text; }
    explicit operator bool() const { return !empty(); }
    /// Of the text: the same in every run.
    std::uint64_t textHash() const { return text_->hash; }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend bool operator==(Name a, std::string_view b) { return a.view() == b; }
    /// Order of the texts, byte by byte (stable between runs, unlike the pointers).
    friend std::strong_ordering operator<=>(Name a, Name b) { return a.view() <=> b.view(); }

    std::size_t hash() const { return std::hash<const void*>()(text_); }

private:
    friend class NameTable;
    struct Text {
        std::string value;
        std::uint64_t hash;
    };
    union Kept {  ///< never destroyed: names may outlive static objects
        Text text;
        constexpr Kept() : text{{}, kEmptyHash} {}
        ~Kept() {}
    };
    static constexpr std::uint64_t kEmptyHash = 0x2d06800538d394c2;  ///< XXH3 of no bytes
    static const Kept kEmpty;

    static const Text* intern(std::string_view text);
    const Text* text_;
};

inline Name operator""_n(const char* text, std::size_t size) { return Name(std::string_view(text, size)); }

}  // namespace aliascope

template <>
struct std::hash<aliascope::Name> {
    std::size_t operator()(aliascope::Name n) const { return n.hash(); }
};
