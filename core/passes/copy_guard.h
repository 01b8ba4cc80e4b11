#pragma once
// Whether a copy may be taken away (reinplace.md 7): writes that come between it, or what it copied, and their readers.

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/alias.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/diagnostic.h"

namespace aliascope {

/// Last read and first write per storage, kept while values are replaced by what they copy. Linear to make; reads a functional graph whose order
/// stays.
class CopyGuard {
public:
    CopyGuard(const Graph& g, const OpRegistry& ops, const AliasInfo& alias);

    /// The write that would come between a value and its readers if `copy` became `source`; invalid = none. A functional operator that is not
    /// written in place makes a copy of its own, where a wrapper gets a clone in place of the removed one.
    NodeId conflict(NodeId copy, NodeId source);
    /// The write-back into an input after which something would be read that was `copy` and became `source`, so that results change; invalid = none.
    NodeId exposes(NodeId copy, NodeId source);
    /// Both are the same elements in the same order.
    bool sameMemory(NodeId a, NodeId b) const;
    /// The value is returned.
    void markReturned(NodeId id);
    bool isReturned(NodeId id);
    /// Values that are returned would share elements if `copy` became `source`: of both, or of the copy and an input that the source lies in.
    bool returnsShared(NodeId copy, NodeId source);
    /// It lies by now in memory of an input, or in what is returned.
    bool seenOutside(NodeId id);
    /// `copy` has become `source`.
    void merge(NodeId copy, NodeId source);

private:
    struct Facts {
        NodeId lastRead;   ///< before the first write-back: what an input is read for after it is its new value
        NodeId wrapper;    ///< first that will write it
        NodeId writeBack;  ///< first `copy_` into it
        bool input = false;
        std::vector<NodeId> returned;
        bool shifted = false;  ///< what is returned of merged storages stands elsewhere than its geometry says
    };
    Facts& factsOf(NodeId id) { return facts_[find(alias_.storageOf(id).value)]; }
    bool notBefore(NodeId a, NodeId b) const { return a && b && !g_.before(a, b); }
    bool samePlace(NodeId a, NodeId b) const;
    bool becomesSelfCopy(NodeId write, NodeId read, NodeId copy, NodeId source) const;
    std::uint32_t find(std::uint32_t i);

    const Graph& g_;
    const AliasInfo& alias_;
    std::vector<std::uint32_t> parent_;
    std::vector<Facts> facts_;
};

/// Storages of new values that lead from an input to its write-back, and that input: what is written where it stands is the input.
std::unordered_map<StorageId, NodeId> storagesWrittenBack(const OpRegistry& ops, const Graph& g, const AliasInfo& alias);
/// `copy` has become `source`: views of the copy are views of what ends in the input.
void mergeWrittenBack(std::unordered_map<StorageId, NodeId>& back, const AliasInfo& alias, NodeId copy, NodeId source);

/// The write-back into the input in which `source` lies that comes before a reader of `value`, so that results change if `value` became `source`;
/// invalid = none, also when `source` lies in no input. Looks only at their users: for a single question. Of more than 4096 readers one is taken to
/// be behind a write-back.
NodeId writtenBeforeReaders(const OpRegistry& ops, const Graph& g, NodeId value, NodeId source);

/// What the value is cut out of by views; itself when it is no view.
NodeId viewedRoot(const OpRegistry& ops, const Graph& g, NodeId value);
/// Whether the value or a view of it is returned. Of more than 4096 users one is taken to return it.
bool returnedThroughViews(const OpRegistry& ops, const Graph& g, NodeId value);

/// OUTPUT_ALIAS: `value` becomes `source`, in whose memory its readers find what `write` has put there. PyTorch asks for storages as they were before
/// the pass, or not at all.
Diagnostic readsOverwritten(const Graph& g, NodeId value, NodeId source, NodeId write);

}  // namespace aliascope
