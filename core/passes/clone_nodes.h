#pragma once
// The clone that decomposition inserts for one tensor: `as_strided` over its storage, `clone`, `as_strided` back (functionalize.md 8).
//
// Sizes, strides and offsets that are symbolic become size nodes. PyTorch's tracer keeps one node per integer object, not per expression: a size that
// two operands inherit from one tensor is one node, a stride that each slice computes for itself is two.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/alias.h"
#include "core/passes/new_nodes.h"

namespace aliascope {

enum class CloneExtent : std::uint8_t {
    Prefix,  ///< from the start of the storage to the last element, as PyTorch copies
    Tight,   ///< from the first element on; the copy's offset is rebased
};

struct ClonedTensor {
    NodeId result;             ///< has the geometry of the original
    NodeId clone;              ///< the node that copies
    SymInt elements;           ///< copied
    SymInt removedOffset = 0;  ///< what `offset` lost by rebasing
    std::vector<NodeId> made;  ///< every new node, in order
};

class CloneNodes {
public:
    /// New nodes go before `before`; `operands` are all tensors of the call, in the order of its arguments.
    CloneNodes(Graph& g, const OpRegistry& ops, const AliasInfo& alias, NodeId before, const std::vector<NodeId>& operands, CloneExtent extent);

    /// When strides of `tensor` are unknown, a plain `clone`.
    ClonedTensor clone(NodeId tensor);

private:
    enum class Part : std::uint8_t { Size, Stride, Offset };
    using Key = std::tuple<std::uint32_t, Part, std::size_t>;
    struct Place {
        NodeId tensor;
        std::size_t dim;
    };
    Key identity(NodeId tensor, Part part, std::size_t dim) const;
    Value part(NodeId tensor, Part part, std::size_t dim, const SymInt& value);
    Value compute(const char* op, const Value& a, const Value& b, const SymInt& value);
    Value storageLength(NodeId tensor, const TensorType& t);
    NodeId make(Name op, std::vector<Value> args);

    Graph& g_;
    const OpRegistry& ops_;
    const AliasInfo& alias_;
    NewNodes new_;
    CloneExtent extent_;
    std::map<Key, Place> owner_;  ///< the first operand that has the integer
    std::map<Key, NodeId> node_;
    std::vector<NodeId> made_;
};

}  // namespace aliascope
