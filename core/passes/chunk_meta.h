#pragma once
// What the auto-chunker knows of each value of the region (chunker.md 4): how a chunk holds it, and how the full value is recovered.

#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope {

/// All fields at their defaults: the value belongs to the region and enters each chunk whole ("nop").
struct ChunkMeta {
    int dim = -1;      ///< axis along which a chunk holds a slice; -1 = none. Recover by concatenation.
    bool sum = false;  ///< the full value is the sum over the chunks. Excludes `dim`.
    NodeId scale;      ///< tangent that was taken as 1; recover by multiplying. Invalid = none.

    static ChunkMeta along(int axis) { return {axis, false, {}}; }
    static ChunkMeta partialSum() { return {-1, true, {}}; }
    bool cut() const { return dim >= 0; }
    bool nop() const { return dim < 0 && !sum && !scale; }
    friend bool operator==(const ChunkMeta&, const ChunkMeta&) = default;
};

/// Side table by node; nothing is written into the graph before it is cut.
class ChunkMetas {
public:
    explicit ChunkMetas(std::uint32_t idBound = 0) : metas_(idBound) {}
    /// Null = the node is outside the region.
    const ChunkMeta* find(NodeId id) const { return id && id.value < metas_.size() && metas_[id.value] ? &*metas_[id.value] : nullptr; }
    bool contains(NodeId id) const { return find(id) != nullptr; }
    void set(NodeId id, const ChunkMeta& meta) { metas_[id.value] = meta; }

private:
    std::vector<std::optional<ChunkMeta>> metas_;
};

/// Why a graph is not chunked: a code of reason-codes.md 6 with the parameters of its sentence.
struct ChunkRefusal {
    std::string code;
    Params params;
    NodeId node;  ///< where it failed; may be invalid
};

}  // namespace aliascope
