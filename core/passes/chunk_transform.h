#pragma once
// Cuts the region of a plan (chunker.md 8): one body for each row count, one call for each chunk, results put together and multiplied by the
// tangents.

#include "core/passes/chunk_plan.h"
#include "core/support/result.h"

namespace aliascope {

/// Items of each chunk but the last, which has what is left.
struct ChunkCut {
    std::int64_t items = 0, perChunk = 0;
    std::int64_t chunks() const { return perChunk > 0 && items > 0 ? (items - 1) / perChunk + 1 : 0; }
};

/// At most `n` chunks of whole items; `multiple` > 1 rounds the rows of a chunk up to a multiple of it where items allow.
ChunkCut cutInto(const ChunkPlan& plan, std::int64_t n, std::int64_t multiple = 1);

struct ChunkForm {
    bool extended = false;
    bool wideSums = false;  ///< accumulators of the sums are f32, converted once at the end
};

struct ChunkedGraph {
    std::vector<std::vector<NodeId>> recovered;  ///< by output of the plan: the nodes that put it together, the full value last
};

/// Precondition: plan.chunkable(), cut.chunks() >= 2. An error is a fault of ours: the shapes of a body do not fit.
Result<ChunkedGraph> applyChunks(Graph& g, const OpRegistry& ops, const ChunkPlan& plan, const ChunkCut& cut, const ChunkForm& form);

/// Attribute of the first body; further ones count on.
inline constexpr std::string_view kChunkBody = "chunking_subgraph_";

}  // namespace aliascope
