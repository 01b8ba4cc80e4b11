#pragma once
// What depends on where a value lies in memory, for passes that replace a value by one of other strides or another start.
//
// PyTorch compares less than that before it replaces, so that what addresses memory by place finds other elements: reference mode does the same and
// asks here whether to say so.

#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// Equal but for dimensions of one element, whose stride says nothing. False when unknown.
bool sameStrides(const TensorType& a, const TensorType& b);

/// Which wrappers count as users of a place: those with an encoding that counts from the start of the storage; also those that re-inplacing left
/// something to clone (functionalize.md 8: the clone is cut by what the graph states); all that write the value.
enum class Wrappers : std::uint8_t { Encoded, Cloned, Writing };
/// First call found that addresses elements of one of `values`, or of what has its place in memory (views, scatters, new values of wrappers), by
/// their place in the storage: `as_strided`, its scatter, wrappers. Invalid = none. Of more than 4096 users one is taken to do so.
NodeId addressedByPlace(const OpRegistry& ops, const Graph& g, const std::vector<NodeId>& values, Wrappers wrappers = Wrappers::Encoded);

/// `root` has other strides than its users were typed with: infers their types anew, and of whatever changes with them, in graph order. Returns the
/// nodes that changed.
std::vector<NodeId> refreshLayouts(const OpRegistry& ops, Graph& g, NodeId root);

/// First user of `root` or of one of `changed` that views it as other sizes, or as wider or narrower elements, and cannot without a copy. Invalid =
/// none.
NodeId unfitView(const Graph& g, NodeId root, const std::vector<NodeId>& changed);
/// The same, or a call that addresses one of `changed` by place.
NodeId misplacedUser(const OpRegistry& ops, const Graph& g, NodeId root, const std::vector<NodeId>& changed);

/// LAYOUT_STALE: `node` was laid out as `printed` and is as `computed` now.
Diagnostic staleLayout(const Graph& g, NodeId node, const TensorType& printed, const TensorType& computed);

/// A value that becomes another one of the same elements, which may lie otherwise: PyTorch asks neither for its strides nor where it begins.
class LayoutChange {
public:
    /// Before uses are replaced. `mayMove`: the other one may begin elsewhere in its storage.
    LayoutChange(const OpRegistry& ops, const Graph& g, NodeId value, NodeId by, bool mayMove);
    /// Who finds other elements then; invalid = nobody that is known before types have followed.
    NodeId misplaced() const { return misplaced_; }
    /// After that: infers types anew where strides differ, and says LAYOUT_STALE once if someone finds other elements.
    void settle(Graph& g, PassContext& ctx, NodeId by) const;

private:
    TensorType printed_, computed_;
    NodeId misplaced_;
};

}  // namespace aliascope
