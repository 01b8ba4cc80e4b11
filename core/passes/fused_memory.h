#pragma once
// Peak of a graph as generated code holds it: elementwise chains and views own no memory, products and reductions do (chunker.md 11,
// executor.md 4.4).
//
// The executor's prediction counts one buffer for each node, which is what happens when nodes run one by one. Compiled code fuses elementwise nodes
// into what reads them and computes them again in the backward pass, so a chain costs the buffers at its ends. That decides what cutting a region
// saves. Placeholders and constants are the caller's and not counted. Linear in nodes and uses.

#include <cstdint>

#include "core/ir/op_registry.h"

namespace aliascope {

struct FusedPeak {
    std::int64_t bytes = 0;
    NodeId node;              ///< at which the peak is first reached; invalid = nothing is allocated
    std::int64_t inBody = 0;  ///< part of it that the body which `node` calls allocates
    bool symbolic = false;    ///< sizes were taken from hints, or left out where there is none
};

FusedPeak fusedPeak(const Graph& g, const OpRegistry& ops);

}  // namespace aliascope
