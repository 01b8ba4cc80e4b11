#pragma once
// How many graphs stand in the payload of a trace record, without reading them: so that one graph of a long trace opens at once. Payloads are as the
// file has them, a TAB before every line.

#include <cstddef>
#include <optional>
#include <string_view>

namespace aliascope {

/// 1 for one class with a `forward` of its own and everything else inside it; nothing when only reading tells.
std::optional<std::size_t> countModules(std::string_view payload);
/// Graph fragments in the comments of output code: runs of node lines, each up to its return.
std::optional<std::size_t> countFragments(std::string_view payload);

}  // namespace aliascope
