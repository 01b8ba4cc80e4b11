#pragma once
// JSON with places: every value knows its bytes in the text, so that messages can point at it and a node can show what it was read from. Numbers stay
// text, because archives hold integers of any size and old ones bare `NaN` and `Infinity`. Depth is bounded without recursion.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aliascope {

class JsonDocument;

/// A value of a JsonDocument, which must outlive it. A default one is what is missing: every question has an answer.
class JsonValue {
public:
    enum class Kind : std::uint8_t { Missing, Null, False, True, Number, String, Array, Object };

    JsonValue() = default;
    Kind kind() const;
    bool isNull() const { return kind() == Kind::Null || kind() == Kind::Missing; }
    bool isObject() const { return kind() == Kind::Object; }
    bool isArray() const { return kind() == Kind::Array; }
    bool isString() const { return kind() == Kind::String; }
    explicit operator bool() const { return kind() != Kind::Missing; }

    /// The value of a key (of the last one, when it repeats); missing when there is none or this is no object.
    JsonValue operator[](std::string_view key) const;
    /// Items of an array, or values of an object. Iterate with first() and next().
    JsonValue first() const;
    JsonValue next() const;
    std::string_view key() const;  ///< of a value in an object, as written between its quotes
    std::size_t size() const;      ///< of an array or object

    std::string string() const;     ///< decoded; empty when this is no string
    std::string_view text() const;  ///< as written; of a string with its quotes
    std::optional<std::int64_t> integer() const;
    std::optional<double> real() const;  ///< numbers, and the strings and bare words for infinities and NaN
    std::optional<bool> boolean() const;
    std::size_t begin() const;  ///< place in the text
    std::size_t end() const;

private:
    friend class JsonDocument;
    JsonValue(const JsonDocument* doc, std::uint32_t index) : doc_(doc), index_(index) {}
    const JsonDocument* doc_ = nullptr;
    std::uint32_t index_ = 0;
};

struct JsonError {
    std::string want;
    std::size_t at = 0;
    bool limit = false;  ///< `want` names a limit
};

class JsonDocument {
public:
    /// Reads the value that starts in text[begin, end); what follows it must be blank. The text must outlive the document. A text that ends too early
    /// or is wrong somewhere gives error() and the values before that place.
    JsonDocument(std::string_view text, std::size_t begin, std::size_t end, std::uint32_t depthLimit = 512);

    JsonValue root() const { return entries_.empty() ? JsonValue() : JsonValue(this, 0); }
    const std::optional<JsonError>& error() const { return error_; }

private:
    friend class JsonValue;
    struct Entry {
        std::size_t begin = 0, end = 0;
        std::uint32_t keySize = 0, keyOffset = 0;  // the key ends keyOffset bytes before `begin`
        std::uint32_t next = 0;                    // index of the next sibling; 0 = none
        std::uint32_t children = 0;
        JsonValue::Kind kind = JsonValue::Kind::Missing;
    };
    void parse(std::size_t at, std::size_t end, std::uint32_t depthLimit);

    std::string_view text_;
    std::vector<Entry> entries_;
    std::optional<JsonError> error_;
};

/// What an escaped JSON string means; `body` stands between the quotes. A bad escape stays as it is.
std::string decodeJsonString(std::string_view body);

}  // namespace aliascope
