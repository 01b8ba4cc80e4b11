#pragma once
// Difference of two texts line by line (Myers, linear space), for stage diffs.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aliascope {

/// A run of lines: kept (both ranges have the same length), removed (`to` empty) or added (`from` empty). Line numbers from 0.
struct DiffRun {
    enum class Kind : unsigned char { Same, Removed, Added } kind = Kind::Same;
    std::size_t from = 0, to = 0, count = 0;
};

/// A shortest edit script where the texts differ in fewer than about 4,000 lines; beyond, a correct one that may be longer. Removed runs come
/// before added ones.
std::vector<DiffRun> diffLines(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b);

std::vector<std::string_view> splitLines(std::string_view text);

/// `@@ -1,4 +1,5 @@` hunks with `context` lines around changes; empty when the texts are equal.
std::string unifiedDiff(std::string_view a, std::string_view b, std::string_view nameA, std::string_view nameB, std::size_t context = 3);

}  // namespace aliascope
