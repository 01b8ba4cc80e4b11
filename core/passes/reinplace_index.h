#pragma once
// What re-inplacing asks of a graph, computed once (reinplace.md 4.1): uses per storage in order, write-backs, views nobody reads. Linear in
// the graph: the walk is in graph order. Valid until nodes change operands; who moves nodes or takes a use away says so.

#include <map>
#include <unordered_map>
#include <vector>

#include "core/analysis/alias.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

class ScatterForms;

/// One use of a tensor value by a later node.
struct StorageUse {
    NodeId user, value;
    bool view = false;  ///< the user is a view op: PyTorch counts it, region analysis looks at its readers instead
    friend bool operator==(const StorageUse&, const StorageUse&) = default;
};

/// Rules that differ between `analysis=reference` and `extent`.
enum class AnalysisMode : std::uint8_t { Reference, Extent };

class ReinplaceIndex {
public:
    /// Extent analysis leaves out uses of which `forms` says that they read no element.
    ReinplaceIndex(const Graph& g, const OpRegistry& ops, AnalysisMode mode, const ScatterForms& forms);

    const AliasInfo& alias() const { return alias_; }
    /// Uses of values of the storage, in graph order of the users; uses that only read sizes, or views that are never read, are left out.
    const std::vector<StorageUse>& uses(StorageId id) const { return uses_[id.value]; }
    /// Nodes have moved: brings the uses that they are into graph order again. Returns how many uses were looked at.
    std::size_t usersMoved(const Graph& g, const std::vector<NodeId>& moved);
    /// `user` does not read `value` any more.
    void dropUse(NodeId user, NodeId value);
    /// Graph inputs and constants that lie in the storage.
    const std::vector<NodeId>& inputs(StorageId id) const { return inputs_[id.value]; }
    /// First `copy_` into an input; invalid = none.
    NodeId firstCopy(NodeId input) const;
    /// The `copy_` that writes `input` back from `producer`: the node itself, or (foreach, v1, launches) one of its results. Invalid = none.
    NodeId writeBack(NodeId input, NodeId producer) const;

    /// A `copy_` whose source is a result of `producer`, but of another argument than `input`: PyTorch takes it for the write-back (5.3).
    struct ForeignWriteBack {
        NodeId copy, input, producer, source;
    };
    const std::vector<ForeignWriteBack>& foreignWriteBacks() const { return foreign_; }

    /// Geometry of a value; null = unknown.
    const TensorType* geometry(NodeId id) const { return alias_.geometry(id); }

private:
    void indexWriteBack(const Graph& g, const OpRegistry& ops, AnalysisMode mode, NodeId copy);

    AliasInfo alias_;
    std::vector<std::vector<StorageUse>> uses_;
    std::vector<std::vector<NodeId>> inputs_;
    std::unordered_map<NodeId, NodeId> firstCopy_;
    std::map<std::pair<NodeId, NodeId>, NodeId> writeBack_;
    std::vector<ForeignWriteBack> foreign_;
};

/// `_foreach_add`, `_foreach_mul`, `_foreach_div` (List, Scalar) and `_foreach_copy`.
bool isInPlaceableForeach(Name op);
inline bool isInput(const Node& n) { return n.kind == NodeKind::Placeholder || n.kind == NodeKind::GetAttr; }

}  // namespace aliascope
