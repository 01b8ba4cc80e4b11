#pragma once
// The discrimination net over the patterns of a set: a tree of operators with their arity and of numbers, read from the root down, left operand
// first. One walk finds the patterns that may fit at a root, so thousands of patterns cost little more than one.

#include <cstdint>
#include <vector>

#include "core/patterns/pattern.h"
#include "core/support/flat_map.h"

namespace aliascope::patterns {

class Net {
public:
    /// `number` is what `candidates` gives back.
    void insert(const Pattern& p, std::uint32_t number);

    struct Found {
        std::vector<std::uint32_t> numbers;  ///< ascending
        std::uint32_t nearest = kNone;       ///< the pattern on whose way the walk came farthest
        std::size_t depth = 0;               ///< calls on that way
    };
    static constexpr std::uint32_t kNone = 0xffffffffu;
    Found find(const Graph& g, NodeId root) const;

    /// Operators and packets of roots.
    const std::vector<OpMatch>& roots() const { return roots_; }

private:
    struct Place {
        FlatMap<std::uint64_t, std::uint32_t> edges;  ///< operator with arity, or number -> place behind it
        std::uint32_t any = 0;                        ///< place behind an operand that the net does not look at; 0 = none
        std::uint32_t sample = kNone;                 ///< a pattern that goes through here
        std::vector<std::uint32_t> patterns;
    };
    struct Walk;
    std::uint32_t behind(std::uint32_t place, std::uint64_t key);
    std::uint32_t behindAny(std::uint32_t place);
    void walk(Walk& w, std::uint32_t place, std::vector<const Value*>& pending, std::size_t depth) const;
    void follow(Walk& w, const Place& at, std::uint64_t key, const Node* call, std::vector<const Value*>& pending, std::size_t depth) const;

    std::vector<Place> places_ = std::vector<Place>(1);
    std::vector<OpMatch> roots_;
    bool families_ = false;  ///< a pattern names an operator without its overload
};

}  // namespace aliascope::patterns
