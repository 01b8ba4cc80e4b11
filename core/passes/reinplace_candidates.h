#pragma once
// The per-node work of re-inplacing (reinplace.md 2 and 5): which arguments a node writes, what is asked about them, and what an answer does.

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_decision.h"
#include "core/passes/reinplace_order.h"
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
    /// Leaves out what an operator may read of the memory that it writes: elements that stay what they are, or operands that the program itself
    /// let share that memory.
    void dropHarmlessReads(Question& q);
    void visitForeach(NodeId id);
    /// The in-place form of an element-wise operator whose result is written back to its first operand, an input; empty = not one (L10).
    Name forwardTwin(NodeId id) const;
    void visitForwarded(NodeId id, Name twin);
    void visitWrapper(NodeId id);

    std::vector<Key> keysOf(NodeId id, const WrapperCall& call) const;
    void askKeys(NodeId id, const WrapperCall& call, std::vector<Key>& keys);
    /// Asks; where readers of the old value are in the way, puts them in front of the node (L2), or, if `mayCopy`, lets them read a saved copy (L3)
    /// when that copies less than `cloneBytes`. (reinplace_room.cpp)
    Answer askMakingRoom(Question& q, std::optional<std::int64_t> cloneBytes, bool mayCopy);
    bool moveReaders(const Question& q, const std::unordered_set<NodeId>& moved, Answer& answer);
    bool saveOld(const Question& q, const std::vector<StorageUse>& readers, std::unordered_set<NodeId> moved, std::int64_t cloneBytes, Answer& answer);
    void readSaved(NodeId user, NodeId from, NodeId to);
    /// What a clone of the value would copy; nothing when symbolic or unknown.
    std::optional<std::int64_t> cloneBytes(const Value& value, bool wrapper) const;
    bool isCandidate(NodeId id) const;
    /// What a candidate's result is the new value of, and where the chain of such values begins.
    struct ChainLink {
        NodeId previous, root;
    };
    /// Marks the scatters of chains that end in the write-back of the input that they begin with, wrapped calls between them included (L7).
    void findWrittenBackChains();
    void markChain(NodeId input, NodeId last, const std::unordered_map<NodeId, ChainLink>& links);
    /// What is legal but beyond the budget of rewrites stays functional.
    void withinBudget(Answer& answer);
    void takeInPlace(NodeId id, const WrapperCall& call, const Key& key);
    void recordClones(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByKey(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByArgument(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void warnSeparateCopies(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void eraseWriteBack(NodeId copy, NodeId input);
    /// Operator `id` writes `value` in place: the write-back of the input in whose memory that is has nothing left to do.
    void eraseWriteBackOf(NodeId value, NodeId id);
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
    bool effectsSeen_ = false;          ///< a `with_effects` around an operator that is written in place
    std::optional<ReaderOrder> order_;  ///< of extent analysis
    std::size_t roomWork_ = 0;          ///< steps spent on making room
    std::unordered_set<NodeId> inPlaceScatters_;
    std::unordered_set<NodeId> writtenBackChain_;
    std::unordered_map<NodeId, NodeId> standsIn_;  ///< result -> graph input of which it is all the memory
    Replacements replacements_;
};

}  // namespace aliascope
