#pragma once
// The per-node work of re-inplacing (reinplace.md 2 and 5): which arguments a node writes, what is asked about them, and what an answer does.

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_decision.h"
#include "core/passes/reinplace_scatter.h"
#include "core/passes/replacements.h"

namespace aliascope {

class Reinplacer {
public:
    Reinplacer(Graph& g, PassContext& ctx, AnalysisMode mode);
    void run();

private:
    /// One written argument of a wrapper, in the order in which PyTorch asks.
    struct Key {
        std::string name;  ///< as PyTorch's log says: argument name, or base index
        Value value;
        std::vector<std::size_t> arguments;     ///< indices into WrapperCall::arguments that are cut out of it
        std::vector<Question::Result> results;  ///< nodes that take the new value
        Answer answer;
    };

    void visit(NodeId id);
    void visitTableOp(NodeId id, std::size_t operand, Name inPlace);
    void visitForeach(NodeId id);
    void visitWrapper(NodeId id);

    std::vector<Key> keysOf(NodeId id, const WrapperCall& call) const;
    void askKeys(NodeId id, const WrapperCall& call, std::vector<Key>& keys);
    /// What is legal but beyond the budget of rewrites stays functional.
    void withinBudget(Answer& answer);
    void takeInPlace(NodeId id, const WrapperCall& call, const Key& key);
    void recordClones(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByKey(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByArgument(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void warnSeparateCopies(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void eraseWriteBack(NodeId copy, NodeId input);
    void reportForeignWriteBacks();
    std::vector<Question::Read> readsOf(NodeId id, const WrapperCall& call) const;
    std::string shownName(const WrapperCall& call, const Key& key) const;
    void redirectEffectResults(NodeId id, const Value& value);

    Graph& g_;
    PassContext& ctx_;
    AnalysisMode mode_;
    ScatterForms forms_;
    ReinplaceIndex index_;
    DefectReport defects_;
    DecisionTable table_;
    std::unordered_set<NodeId> inPlaceScatters_;
    Replacements replacements_;
};

}  // namespace aliascope
