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
    /// Of a node that stays functional: it computes the same wherever its operands are.
    bool mayMove(NodeId id) const;
    bool isListed(WriteForms::List WriteForms::*list, NodeId id) const;
    /// True, and recorded, when a whole run copies less with this node functional.
    Answer functionalByRun(NodeId id) const;  ///< RI53, of a listed node
    bool staysFunctional(NodeId id);
    void visitTableOp(NodeId id, std::size_t operand, Name inPlace);
    /// Leaves out what an operator may read of the memory that it writes: elements that stay what they are, or operands that the program itself
    /// let share that memory.
    void dropHarmlessReads(Question& q);
    /// A scatter of what its own input holds there: the result is the input, whoever reads either. Not said of results that are returned.
    bool keepsEveryElement(NodeId id);
    void visitIdentity(const Question& q);
    /// A scatter that puts every element where it stands: in place it is nothing.
    bool writesWhatStands(NodeId id);
    void visitForeach(NodeId id);
    /// The in-place form of an element-wise operator whose result is written back to its first operand, an input (L10). `swapped`: to the second one,
    /// and the operator commutes. Empty name = not one.
    struct Forwarding {
        Name twin;
        bool swapped = false;
    };
    Forwarding forwarding(NodeId id) const;
    bool fitsForwarding(NodeId id, NodeId input) const;
    void visitForwarded(NodeId id, const Forwarding& how);
    void visitWrapper(NodeId id);

    std::vector<Key> keysOf(NodeId id, const WrapperCall& call) const;
    void askKeys(NodeId id, const WrapperCall& call, std::vector<Key>& keys);
    /// Scatters that put a key's result back where its value lies: of what they read they keep only the rest (L8: views that are written on their
    /// own).
    std::vector<StorageUse> putBacks(const Key& key);
    /// Asks; where readers of the old value are in the way, puts them in front of the node (L2), or, if `mayCopy`, lets them read a saved copy (L3)
    /// when that copies less than `cloneBytes`. (reinplace_room.cpp)
    Answer askMakingRoom(Question& q, std::optional<std::int64_t> cloneBytes, bool mayCopy);
    bool moveReaders(const Question& q, const std::unordered_set<NodeId>& moved, Answer& answer);
    bool saveOld(const Question& q, const std::vector<StorageUse>& readers, std::unordered_set<NodeId> moved, std::int64_t cloneBytes,
                 Answer& answer);
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
    /// Whether a link may be written into what it is the new value of: who reads the old one runs before, or can.
    bool mayFollow(NodeId link, NodeId previous, NodeId input);
    /// What is legal but beyond the budget of rewrites stays functional.
    void withinBudget(Answer& answer);
    void takeInPlace(NodeId id, const WrapperCall& call, const Key& key);
    void recordClones(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByKey(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void decideByArgument(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void warnSeparateCopies(NodeId id, const WrapperCall& call, const std::vector<Key>& keys);
    void eraseWriteBack(NodeId copy, NodeId input);
    /// Copies of elements onto themselves by other strides (of dimensions of one element), which `copy_` refuses.
    void eraseRefusedCopies();
    /// Operator `id` writes `value` in place: the write-back of the input in whose memory that is has nothing left to do.
    void eraseWriteBackOf(NodeId value, NodeId id);
    /// The value in whose memory, element by element, this one stands.
    NodeId standing(NodeId value) const;
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
    std::unordered_set<NodeId> movedReaders_;      ///< stand before nodes that were asked about: no questions of their own
    std::unordered_map<NodeId, NodeId> standsIn_;  ///< result -> value that was written in place for it
    Replacements replacements_;
};

}  // namespace aliascope
