#pragma once
// Sparse order keys: a node keeps its key while others come and go, so that an insertion gives no new version to its neighbours. Internal to
// core/recording.

#include <cstdint>
#include <optional>
#include <vector>

namespace aliascope::recording {

/// Ascending keys for a sequence; `old[i]` is the key that element i has had, nothing for a new element. As many elements as possible keep their
/// keys (longest increasing subsequence); when there is no room between two of them, all get new ones. O(n log n), O(n) when nothing moved.
std::vector<std::int64_t> orderKeys(const std::vector<std::optional<std::int64_t>>& old);

}  // namespace aliascope::recording
