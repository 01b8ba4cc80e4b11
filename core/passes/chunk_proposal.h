#pragma once
// What the auto-chunker would do with a graph: the plan, predicted peaks for the numbers of chunks, and the number chosen (chunker.md 9, 11).

#include "core/passes/chunk_transform.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// Options of the pass, read.
struct ChunkRequest {
    ChunkLimits limits;
    ChunkForm form;
    std::optional<std::int64_t> chunks;  ///< asked for; nothing = 8 in reference mode, by the formula of chunker.md 9 in extended mode
    std::optional<std::int64_t> budget;  ///< bytes: as few chunks as keep the predicted peak within it
    bool everyEstimate = false;          ///< also where the number of chunks is given and needs none
};
ChunkRequest chunkRequest(const PassOptions& options);

/// Predicted peak for one number of chunks.
struct ChunkEstimate {
    std::int64_t asked = 1;  ///< 1 = not cut
    ChunkCut cut;
    std::int64_t peak = 0;    ///< bytes, parameters and other inputs not counted (fused_memory.h)
    std::int64_t inBody = 0;  ///< part of it that belongs to one chunk
    std::int64_t rows(const ChunkPlan& plan) const { return plan.items > 0 ? plan.rows / plan.items * cut.perChunk : 0; }
};

/// What the pass would do.
struct ChunkProposal {
    ChunkPlan plan;
    std::vector<ChunkEstimate> estimates;  ///< of a region: not cut, then by number of chunks, as far as rows allow
    std::optional<ChunkEstimate> chosen;
    std::optional<ChunkRefusal> refusal;  ///< of the plan or of the choice
};
ChunkProposal proposeChunks(const Graph& g, const OpRegistry& ops, const ChunkRequest& request);

}  // namespace aliascope
