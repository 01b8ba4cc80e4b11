#pragma once
// The find language over the nodes of a recorded stage: what `show --find` prints and what the window's find and filters keep.

#include <unordered_set>

#include "core/query/find.h"
#include "core/recording/recording.h"

namespace aliascope {

/// What is known of a stage beyond its snapshot; null = nothing of the kind. Whatever is pointed to must outlive the call.
struct FindContext {
    const std::vector<ChangeRow>* changes = nullptr;
    const std::vector<StorageRow>* storages = nullptr;
    const std::vector<DecisionRow>* decisions = nullptr;  ///< of the lane
    const std::unordered_set<Uid>* pinned = nullptr;
};

/// Indices into `snapshot.nodes` of the nodes that match, in their order. Near-linear. Empty when cancelled.
///
/// A bare word is sought in the name and in the operator; `bytes`, `users`, `rank` are of the value; `verdict:`, `need:`, `code:`, `rule:`, `pass:`,
/// `cloned`, `reported`, `needed` of the decisions about the node, up to this stage.
std::vector<std::uint32_t> findNodes(const StageSnapshot& snapshot, const FindContext& context, const query::Find& find,
                                     const CancelToken& cancel = {});

/// `f32[8, 512][512, 1]cuda:0` -> `f32`; empty when it is no tensor.
std::string dtypeOfType(const std::string& type);
/// Operator as the language asks for it: `aten.view.default`, `mylib.cache.default`; of what is no call its spelling.
std::string operatorOf(const NodeRow& node);

}  // namespace aliascope
