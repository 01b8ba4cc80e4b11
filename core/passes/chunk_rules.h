#pragma once
// The rules by which `dim` and `sum` spread through the region (chunker.md 5, 10): each operator has a forward half (operands to result) and a
// backward half (result to operands).
//
// Reference rules are those of PyTorch 2.11, with what is not checked there. The extended ones look at sizes, not ranks (C6), know where views and
// reductions move an axis (C2, C8), and never replace one way of cutting by another (C5).

#include <string>

#include "core/ir/op_registry.h"
#include "core/passes/chunk_meta.h"

namespace aliascope {

/// How an operator is treated.
enum class ChunkRule : std::uint8_t {
    None,
    Product,        ///< mm
    BatchProduct,   ///< bmm
    BiasedProduct,  ///< addmm
    Elementwise,    ///< the general rule
    SameAxes,       ///< reference: squeeze, gather, scatter: the general rule without broadcast handling
    Reduction,      ///< over named axes
    TotalSum,       ///< to one element
    Permutation,
    Fill,        ///< full and its like: no operands
    ExpandOne,   ///< reference: expand of a one-element tensor
    Axes,        ///< extended: slice, select, squeeze, …: an axis of the operand runs along one of the result
    JoinedAxes,  ///< extended: gather, scatter, cat, slice_scatter: several operands of equal axes
    Reshape,     ///< extended: view and its like
};

ChunkRule chunkRuleOf(const OpRegistry& ops, const Node& n, bool extended);

/// A reduction that adds up: partial results of it add up to the whole.
bool addsUp(Name packet);

/// Fills values that do not depend on the place in the tensor: `full`, `zeros`, `scalar_tensor`, …
bool isFill(Name op);

struct RuleResult {
    bool changed = false;
    std::optional<ChunkRefusal> refusal;
};

/// Runs both halves of the rule of `id`, a call with a rule, and changes the metadata of it and its operands.
RuleResult applyChunkRule(const Graph& g, const OpRegistry& ops, bool extended, NodeId id, ChunkMetas& metas);

/// Tensor operands in print order, repeated when used repeatedly.
std::vector<NodeId> tensorOperands(const Graph& g, const Node& n);

/// `along axis 0`, `whole`, `as a sum over the chunks`.
std::string describeMeta(const ChunkMeta& meta);

}  // namespace aliascope
