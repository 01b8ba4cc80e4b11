#pragma once
// Ordering by memory dependence (reinplace.md 9, L2): readers of an old value go in front of the node that is to overwrite it.
//
// The graph is functional while this runs, so that every topological order computes the same. A reader that needs a result of the overwriting node
// cannot go: it needs the old and the new value at once, which is a cycle of the dependence graph. Cycles are broken by whoever asks, by a copy.

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/pipeline/pass.h"

namespace aliascope {

class ReaderOrder {
public:
    /// `fixed`: nodes that may not move, because they are going to be asked about themselves.
    ReaderOrder(const Graph& g, const PassContext& ctx, std::unordered_set<NodeId> fixed);

    enum class Way : std::uint8_t {
        Free,   ///< it and what it needs can stand in front
        Cycle,  ///< it needs a result of the writer
        Fixed,  ///< something that it needs does not move: it writes, has an effect, is a candidate itself, or there is too much of it
    };
    /// Adds `reader` and the operands of it that stand behind `writer` to `moved`, if the way is free.
    Way plan(NodeId writer, NodeId reader, std::unordered_set<NodeId>& moved) const;
    /// Bytes of results that would be kept for longer: made in front of `writer`, still needed behind it. Nothing when a size is unknown.
    std::optional<std::int64_t> heldBytes(const std::unordered_set<NodeId>& moved) const;
    /// True when the opened graph had all of them in front of `writer`: then a move only undoes what a pass did.
    bool restoresSource(NodeId writer, const std::unordered_set<NodeId>& moved) const;
    /// In graph order.
    std::vector<NodeId> sorted(const std::unordered_set<NodeId>& moved) const;

private:
    bool movable(NodeId id) const;

    const Graph& g_;
    const PassContext& ctx_;
    std::unordered_set<NodeId> fixed_;
    NodeId firstWrite_;  ///< what follows the first write-back stays there; invalid = none
};

}  // namespace aliascope
