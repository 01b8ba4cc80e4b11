#pragma once
// What would be cut, and why not (chunker.md 2 to 7): gates, amplifier, metadata, region.
// Linear in the graph, but for the rules of the region, which run until nothing changes.

#include <utility>

#include "core/ir/op_registry.h"
#include "core/passes/chunk_meta.h"

namespace aliascope {

struct ChunkLimits {
    bool extended = false;
    std::int64_t minBytes = 1048576;  ///< the amplifier's result must be larger
    std::optional<double> minRatio;   ///< result to operands, must be larger; nothing = any enlargement
};

/// A matrix product as a candidate.
struct Amplifier {
    NodeId node;
    std::int64_t bytesIn = 0, bytesOut = 0;
    double ratio() const { return bytesIn > 0 ? static_cast<double>(bytesOut) / static_cast<double>(bytesIn) : 0; }
};

enum class ChunkClass : std::uint8_t { None, Input, Body, Output, Tangent };
std::string_view toString(ChunkClass c);  ///< `input`, …

struct ChunkPlan {
    std::optional<ChunkRefusal> refusal;
    bool nothingToDo = false;            ///< `refusal` is a remark (NESTED, NO_TANGENT)
    std::optional<Amplifier> amplifier;  ///< the one picked, or the best candidate when none is good enough
    ChunkMetas metas;                    ///< of the region, or as far as it was followed
    std::vector<NodeId> path;            ///< from the amplifier to the node that refuses
    // With a region, all in graph order:
    std::vector<NodeId> tangents, inputs, body, outputs;
    std::vector<NodeId> after;  ///< other nodes that need the region, or must stay behind one that does
    std::int64_t rows = 0;      ///< length of the amplifier's axis
    std::int64_t items = 0;     ///< shares into which every cut axis divides; chunks are whole numbers of them

    bool chunkable() const { return !refusal && !body.empty(); }
    ChunkClass classOf(NodeId id) const { return id.value < classes.size() ? classes[id.value] : ChunkClass::None; }
    std::size_t annotated() const { return tangents.size() + inputs.size() + body.size() + outputs.size(); }
    std::vector<ChunkClass> classes;
};

/// Annotated values that every chunk computes in the same way and that do not depend on its rows: outside users keep the node that was there.
bool sameInEveryChunk(const ChunkMeta& meta);

ChunkPlan planChunks(const Graph& g, const OpRegistry& ops, const ChunkLimits& limits);

/// Length of a cut axis; the plan has checked that it is constant.
std::int64_t cutLength(const Graph& g, const ChunkMetas& metas, NodeId id);

}  // namespace aliascope
