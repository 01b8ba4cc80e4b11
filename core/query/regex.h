#pragma once
// Regular expressions of `re:`, in time linear in the text whatever the pattern: people search lines of 30,000 characters as they type, and neither
// recursion nor backtracking may depend on what a file holds.
//
// Known: . [a-z] [^x] \d \w \s (and capitals) \b ^ $ | ( ) * + ? {m} {m,} {m,n}, and `\` before any other sign. Bytes above 127 match themselves.

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace aliascope::query {

class Regex {
public:
    /// Errors: P005 with the column within the pattern. `{m,n}` up to 100; at most 10,000 steps altogether.
    static Result<Regex> compile(std::string_view pattern, bool caseMatters);
    /// Anywhere in `text`.
    bool isIn(std::string_view text) const;

private:
    friend class RegexCompiler;
    enum class Op : std::uint8_t { Set, Split, Jump, Begin, End, Border, Match };
    struct Step {
        Op op = Op::Match;
        std::uint32_t a = 0, b = 0;  ///< set, or where to go on
    };
    std::vector<Step> steps_;
    std::vector<std::bitset<256>> sets_;
};

}  // namespace aliascope::query
