#pragma once
// Which values share memory. Every tensor value of a graph belongs to one storage; views keep the storage of what they are cut from and
// carry their exact geometry (sizes, strides, absolute offset in elements).
//
// Rules: functionalize.md 1.1, schemas.md 3 and 5. In-place operators return their argument; `copy_` returns its destination; results of
// other operators and of functional wrappers are fresh. Linear in graph size.
// Thread-safety: immutable after construction.

#include <optional>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

enum class StorageRole : std::uint8_t { Input, Constant, Intermediate, Opaque };
std::string_view toString(StorageRole r);

struct StorageInfo {
    NodeId base;                       ///< first node whose value is the whole fresh result: an input, a constant, a call; of a call with several
                                       ///< results the getitem that takes the component
    int baseOutput = -1;               ///< component that `base` takes from its call, when it is a getitem with a number; else -1
    StorageRole role = StorageRole::Intermediate;
    std::optional<SymInt> bytes;       ///< of the base value's extent (assumed strides count); nothing = unknown
    std::vector<NodeId> members;       ///< nodes whose value lies in it, in graph order, base included
};

class AliasInfo {
public:
    AliasInfo(const Graph& g, const OpRegistry& ops);

    std::size_t storageCount() const { return storages_.size(); }
    const StorageInfo& storage(StorageId id) const { return storages_[id.value]; }
    /// Storage of a tensor-valued node; invalid for symbols, tuples and unknown values. A wrapper's tuple has none; its getitems have.
    StorageId storageOf(NodeId id) const { return id.value < of_.size() ? of_[id.value] : StorageId(); }
    bool sameStorage(NodeId a, NodeId b) const { return storageOf(a) && storageOf(a) == storageOf(b); }
    /// Sizes, strides, offset of a node's value as exactly as they are known; null = unknown. Strides that are only assumed are left out here,
    /// because they prove nothing. Stated sizes and strides win over computed ones. The offset of a base is 0, except for values that copy another
    /// one together with its place in the storage: scatters, and the results of functional wrappers.
    const TensorType* geometry(NodeId id) const { return id.value < geometry_.size() && geometry_[id.value] ? &*geometry_[id.value] : nullptr; }
    /// True when whether the node aliases its operand could not be decided (reshape with unknown strides); it is then taken as an alias.
    bool undecided(NodeId id) const { return id.value < undecided_.size() && undecided_[id.value]; }

private:
    friend class AliasBuilder;
    std::vector<StorageInfo> storages_;
    std::vector<StorageId> of_;
    std::vector<std::optional<TensorType>> geometry_;
    std::vector<bool> undecided_;
};

}  // namespace aliascope
