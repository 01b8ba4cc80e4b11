#pragma once
// Saving old elements instead of cloning the base (reinplace.md 9, L3): who needs the old value behind the write reads a copy of what it reads.

#include <optional>
#include <unordered_set>
#include <vector>

#include "core/passes/reinplace_index.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// One copy that serves all readers.
struct OldValuePlan {
    std::vector<NodeId> values;      ///< old values that are read behind the write, each once
    std::int64_t first = 0, length = 0;  ///< elements of the storage that are copied: `[first, first + length)`
    std::int64_t bytes = 0;
    bool plain = false;              ///< a single dense value: `clone` keeps its strides
};

/// Nothing when geometry is symbolic or unknown, storages or element types differ.
std::optional<OldValuePlan> planOldValue(const Graph& g, const ReinplaceIndex& index, const std::vector<StorageUse>& readers);

/// What a value is after saving: `values[i]` of the plan reads `saved[i]`.
struct SavedValues {
    std::vector<NodeId> saved;
    std::vector<NodeId> made;  ///< all new nodes, in order
    NodeId clone;
};
/// Inserts the copy before `writer`; the values stand in front of it. Readers are not touched.
SavedValues saveOldValues(Graph& g, const PassContext& ctx, const OldValuePlan& plan, const ReinplaceIndex& index, NodeId writer);

}  // namespace aliascope
