#pragma once
// Values of dialect G, the arguments of graph text (formats.md 4.2): strings and keys print bare, so that the schema of the operator has the last
// word.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/graph_builder.h"

namespace aliascope {

/// Reads the arguments of one node at a time; buffers are reused.
class GraphValueReader {
public:
    explicit GraphValueReader(GraphBuilder& builder) : builder_(builder) {}

    /// Reads `(args = (…), kwargs = {…})` from `at` to `end` into the node, whose operator is set already. Gives the place behind it.
    /// On failure error() says what was expected where.
    std::size_t readCall(Node& node, std::size_t at, std::size_t end);
    /// One value that fills [begin, end).
    Value readValue(std::size_t begin, std::size_t end);

    const std::optional<ReadError>& error() const { return error_; }
    void clearError() { error_.reset(); }

private:
    struct Hint;
    bool matchBrackets(std::size_t begin, std::size_t end);
    std::size_t closerOf(std::size_t open) const { return match_[open - base_]; }
    std::size_t itemEnd(std::size_t begin, std::size_t limit, bool dict) const;
    bool startsKey(std::size_t at, std::size_t limit, std::size_t* colon = nullptr) const;
    std::vector<Value> items(std::size_t begin, std::size_t end, const Hint& hint);
    Value value(std::size_t begin, std::size_t end, const Hint& hint);
    std::optional<Value> container(std::size_t begin, std::size_t end, const Hint& hint);
    Value dict(std::size_t begin, std::size_t end, const Hint& hint);
    Value token(std::string_view t, std::size_t at, const Hint& hint);
    std::optional<Value> pythonValue(std::size_t begin, std::size_t end);
    std::optional<Value> symbolic(std::string_view t);
    std::optional<Value> operatorValue(std::string_view t, const Hint& hint);
    Value stringValue(std::string_view t, std::size_t at);
    void fail(std::string want, std::size_t at, std::uint64_t limit = 0) {
        if (!error_) error_ = ReadError{std::move(want), at, limit};
    }
    std::string_view text() const { return builder_.reporter().source().text(); }

    GraphBuilder& builder_;
    std::optional<ReadError> error_;
    std::vector<std::size_t> match_;  // of every bracket of the node's text: the place of its partner
    std::vector<std::size_t> open_;
    std::size_t base_ = 0;
    std::uint32_t depth_ = 0;
    bool elided_ = false;  // a list of the node's arguments was cut by the printer
};

}  // namespace aliascope
