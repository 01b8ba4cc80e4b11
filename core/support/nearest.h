#pragma once
// Suggestions for misspelt names in messages to people.

#include <string>
#include <string_view>
#include <vector>

namespace aliascope {

/// Up to `most` of `known` that a person may have meant by `typed`, best first: those that start with it, else those within an edit distance
/// (insert, delete, replace, swap neighbours; case does not count) of 2, or of a third of the longer text. May be empty.
std::vector<std::string> nearestNames(std::string_view typed, const std::vector<std::string>& known, std::size_t most = 3);
/// `nearest reinplace`, or, when none is near, `there are dce, reinplace`.
std::string nearestPhrase(std::string_view typed, const std::vector<std::string>& known, std::size_t most = 3);
/// The same names, as a message shows them: `reinplace, remove-noops`, or all of `known` when none is near.
std::string nearestList(std::string_view typed, const std::vector<std::string>& known, std::size_t most = 3);

}  // namespace aliascope
