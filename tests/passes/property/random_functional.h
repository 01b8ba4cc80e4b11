#pragma once
// Random functional graphs for tests of the clean-ups: chains of views and permutes, constants and arithmetic on them, conversions, scaled softmaxes,
// products, splits and joins, repeated calls. They run, and much in them can be simplified.

#include <cstdint>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::testing {

struct FunctionalOptions {
    int calls = 20;
    bool lowPrecision = true;  ///< conversions to f16 and bf16 too
    bool dtypeViews = true;    ///< bytes of floats as integers, which show the sign of 0
    bool gpu = true;           ///< tensors say cuda:0, so that rules for GPUs apply
};

/// The same seed and options give the same graph.
Graph randomFunctional(const OpRegistry& ops, std::uint32_t seed, const FunctionalOptions& options = {});

}  // namespace aliascope::testing
