#pragma once
// A set of rewrite rules and the one traversal that tries them (canonicalize.md 2.3 row 7, patterns.md 3 and 7).
//
// Root nodes are visited from last to first in graph order; at each, the rules of its operator are tried in the order in which they were added, until
// one erased the root. Reference mode makes one traversal over the nodes that stood there at its start. Extended mode visits again the roots that a
// rewrite made or fed, until nothing fires; a node that was rewritten 8 times is left as it is (REWRITE_CAP).
//
// Roots that read or write complex, sparse or other tensors for which PyTorch generates no code are passed over.
//
// A pass fills a set when it runs and calls `run`. The main set is one set for one traversal (pass `joint-patterns`), in PyTorch's order of
// registration: graph rules (graph_rules.h), matmul padding, attention, randperm indexing.
// Thread-safety: a set may be run on several graphs at once when its attempts may.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/passes/clean_up.h"
#include "core/passes/new_nodes.h"
#include "core/pipeline/pass.h"
#include "core/support/flat_map.h"

namespace aliascope {

/// What an attempt sees and reports through.
class RuleContext {
public:
    RuleContext(Graph& g, PassContext& pass, std::string_view rule, bool extended, const MutationRegions& regions)
        : g(g), pass(pass), extended(extended), rule_(rule), regions_(regions) {}

    Graph& g;
    PassContext& pass;
    const bool extended;  ///< `mode=extended`

    const OpRegistry& ops() const { return pass.ops(); }
    std::string_view rule() const { return rule_; }
    const TensorType* tensor(NodeId id) const { return id ? g[id].tensor() : nullptr; }

    /// Whether no mutating node stands between any two of `nodes` (mutation regions of canonicalize.md 1). Nodes made during the traversal count as
    /// lying in every region.
    bool oneRegion(const std::vector<NodeId>& nodes) const;
    /// The first write that stands between two nodes; invalid when they lie in one region.
    NodeId writeBetween(NodeId a, NodeId b) const { return regions_.writeBetween(a, b); }
    /// Records REGION at `root` when `other`, which everything else speaks for, lies on another side of a write; whether it does.
    bool acrossWrite(NodeId root, NodeId other);

    /// Ends a successful attempt: uses of `root` become `by`, then `matched` nodes without users are erased, and
    /// the rewrite is recorded. `made` are the new nodes, for the record. Provenance of `root` goes to new nodes that have none.
    /// `keep` says which users go on using `root` (the replacement itself, when it reads it).
    void replace(NodeId root, NodeId by, const std::vector<NodeId>& matched, const std::vector<NodeId>& made,
                 const std::function<bool(NodeId user)>& keep = {});
    /// The same for several outputs at once; pairs are (old, new), a pair without new is an output that nothing replaces.
    void replaceAll(const std::vector<std::pair<NodeId, NodeId>>& outputs, const std::vector<NodeId>& matched, const std::vector<NodeId>& made);

    /// Records that the rule was refused at `root`: verdict `refused`, a code of reason-codes.md with the parameters of its sentence.
    void refuse(NodeId root, std::string code, Params params, NodeId blocker = {});

private:
    std::string rule_;
    const MutationRegions& regions_;
};

/// Tries a rule at one root; true = it rewrote (it has called replace or replaceAll).
using RuleAttempt = std::function<bool(RuleContext&, NodeId root)>;

class RuleSet {
public:
    /// `roots` are canonical operators (`aten::bmm`); `rule` names the rule in rewrites and decisions.
    void add(std::string rule, const std::vector<Name>& roots, RuleAttempt attempt);
    bool empty() const { return rules_.empty(); }

    /// Runs the traversal on `g` alone (not on its sub-graphs); stops between two roots when cancelled. Gives the number of rewrites. O(roots) plus
    /// what the attempts cost.
    std::size_t run(Graph& g, PassContext& ctx) const;

private:
    struct Rule {
        std::string name;
        RuleAttempt attempt;
    };
    friend class RuleTraversal;
    std::vector<Rule> rules_;
    FlatMap<Name, std::vector<std::uint32_t>> byRoot_;  ///< operator -> rules, in the order in which they were added
};

}  // namespace aliascope
