#pragma once
// What the canonicalising passes share (canonicalize.md): their options, the precondition that the graph is functional, refusals as decisions, and
// mutation regions.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// `mode`, with a help line that says what extended mode adds.
PassOption modeOption(std::string help);
/// `fp`: by default `fast` in reference mode and `strict` in extended mode.
PassOption fpOption(std::string help);
inline bool isExtended(const PassContext& ctx) { return ctx.options().is("mode", "extended"); }
/// Whether the budget of a search that stops passes early leaves room for another rewrite (PassContext::mayRewrite takes it).
inline bool mayGoOn(const PassContext& ctx) { return !ctx.cancelled() && ctx.budget->taken < ctx.budget->most; }
/// Whether rewrites that may change a float are allowed.
bool isFpFast(const PassContext& ctx);

/// Runs `work` on every body of a higher-order operator, then on `g` (sub_graphs.h). A graph that writes elsewhere than in its write-backs is left
/// alone: of `g` itself that skips the pass with NEEDS_FUNCTIONAL.
Outcome onFunctionalGraphs(Graph& g, PassContext& ctx, std::string_view pass, const std::function<void(Graph&, PassContext&)>& work);

/// A rewrite that was considered and not done: verdict `refused`. `rule` is the rule's id or the section it stands in.
void refuse(const Graph& g, PassContext& ctx, NodeId node, std::string rule, std::string code, Params params, NodeId blocker = {});

/// What a run of the whole pipeline has shown for `node` (WriteForms); null = nothing, and in reference mode.
const WriteForms::Effect* shownByRun(const Graph& g, const PassContext& ctx, WriteForms::List WriteForms::*list, NodeId node);
/// `code` for a copy, or a kernel that only copies, which goes (`applied`) or stays (`refused`) because of that; `params` come before the effect's.
void decideByRun(const Graph& g, PassContext& ctx, NodeId node, bool goes, std::string code, Params params, const WriteForms::Effect& effect);

/// Mutation regions of a graph (canonicalize.md 1): nodes with no mutating node between them. Nodes that were made later lie in every region.
/// Linear to make; a snapshot.
class MutationRegions {
public:
    MutationRegions(const OpRegistry& ops, const Graph& g);

    bool same(NodeId a, NodeId b) const;
    bool isNew(NodeId id) const { return at(id) == kEvery; }
    /// The first write that stands between two nodes; invalid when they lie in one region.
    NodeId writeBetween(NodeId a, NodeId b) const;

private:
    static constexpr std::uint32_t kEvery = 0xffffffffu;
    std::uint32_t at(NodeId id) const { return id.value < of_.size() ? of_[id.value] : kEvery; }
    std::vector<std::uint32_t> of_;  ///< by id: mutating nodes at or before it
    std::vector<NodeId> writers_;
};

/// PyTorch's `unsupported_input_tensor`: no kernels are generated for complex, 8-bit exponent and meta tensors, so no pattern touches them.
bool touchesUnsupported(const Graph& g, NodeId id);

/// Whether `op` is called in the graph or in a body of it.
bool anyCall(const Graph& g, Name op);

/// Every node that the output mentions, however deep.
std::unordered_set<NodeId> flattenedOutputs(const Graph& g);

/// Erases `id` and, when that leaves them without users, its operands, as long as they are pure calls. Names what it erased in `erased`.
void eraseDeadChain(const OpRegistry& ops, Graph& g, NodeId id, std::vector<NodeRef>* erased = nullptr);

}  // namespace aliascope
