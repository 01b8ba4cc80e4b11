#pragma once
// The decision table of re-inplacing (reinplace.md 4.5): may node n write argument a where it stands?
//
// `reference` asks what PyTorch 2.11 asks, its overlap predicate included. `extent` asks about the elements that are really written: exact overlap,
// views looked through to their readers, reads by the node itself, views of inputs that are written back (reinplace.md 9, theorem 1 with L1 and L6),
// and readers of results that would find the memory rewritten. Reference mode asks these questions too, to tell when PyTorch's answer is wrong.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/passes/reinplace_index.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// A warning per defect of PyTorch, the first time that it changes a result (reinplace.md 10).
class DefectReport {
public:
    explicit DefectReport(PassContext& ctx) : ctx_(ctx) {}
    void say(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params);
    /// The same of what stops PyTorch with an error.
    void sayStops(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params);

private:
    void say(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params, std::string note);

    PassContext& ctx_;
    std::vector<std::string> said_;
};

struct Question {
    NodeId node;
    Value value;                      ///< a node, or a list of nodes
    std::string argument;             ///< as sentences name it
    std::vector<TensorType> written;  ///< elements that are written, when the call says so; empty = the whole value
    struct Read {
        std::string argument;
        NodeId value;
    };
    std::vector<Read> reads;  ///< operands that the node only reads
    struct Result {
        NodeId node;
        std::int64_t element = -1;  ///< of a list; -1 = no list
    };
    std::vector<Result> results;      ///< nodes that take the new value
    bool mayBeTaken = true;           ///< false: it stays functional whatever the answer, which then does no harm
    std::vector<StorageUse> ignored;  ///< readers that are not counted: they are going to read something else, or earlier
};

/// Old elements that are copied so that the rest may be written in place.
struct SavedOld {
    std::int64_t bytes = 0, instead = 0;  ///< copied; what cloning the base would copy
    std::string form;
};

struct Answer {
    bool inPlace = false;
    std::string code = "RI00";
    std::string rule = "reinplace 4.5";
    NodeId blocker, view;
    std::optional<std::int64_t> neededBytes;
    Params params;
    std::vector<CheckStep> checks;
    std::optional<SavedOld> saved;  ///< in place at the price of this copy
};

class DecisionTable {
public:
    DecisionTable(const Graph& g, const OpRegistry& ops, const ReinplaceIndex& index, AnalysisMode mode, DefectReport& defects);

    /// Steps 1 to 7; `Answer::inPlace` says whether all passed. Nodes must be asked about in graph order.
    Answer ask(const Question& q) const;
    /// Extent analysis: all readers of old elements behind the node, and the node itself where it reads some; nothing when there are more than
    /// `most`.
    std::optional<std::vector<StorageUse>> readersOfOld(const Question& q, std::size_t most) const;
    /// Most bytes that one of the readers reads of what the question overwrites; nothing when unknown.
    std::optional<std::int64_t> neededBytes(const Question& q, const std::vector<StorageUse>& readers) const;
    /// From now on `result` lies in the memory of `value`, because its node writes there: later questions of extent analysis take both for one.
    void accept(NodeId value, NodeId result);
    /// Number of the memory in which the value lies; of extent analysis equal for all that accepted answers made one. Nothing when unknown.
    std::optional<std::uint32_t> memoryOf(NodeId value) const;
    /// Whether it is known which inputs the returned values show in the program.
    bool knowsReturned() const { return !shown_.empty(); }
    /// The program returns the result, or a view of it, in other memory than the input's: the value that is returned; invalid = no.
    NodeId returnedApart(NodeId result, NodeId input) const;
    /// Both are the same elements of one memory, as far as nodes were accepted.
    bool sameMemory(NodeId a, NodeId b) const;
    /// The same of `value` and the elements at `place` of the memory in which `base` lies.
    bool standsAt(NodeId value, NodeId base, const TensorType& place) const;

private:
    /// Which analysis, and what counts as overlap where geometry leaves it open.
    enum class Rules : std::uint8_t { Reference, Extent, CertainlyWrong };

    Answer askList(const Question& q) const;
    Answer askTensor(const Question& q, NodeId a, std::int64_t element) const;
    Answer askExtent(const Question& q, NodeId a, std::int64_t element, Rules rules) const;
    Answer askReference(const Question& q, NodeId a) const;
    bool checkOwnInputs(NodeId a, Answer& answer, NodeId& limit) const;
    bool checkGroupInputs(const Question& q, NodeId a, Rules rules, Answer& answer, NodeId& limit) const;
    bool checkSameNode(const Question& q, NodeId a, Rules rules, Answer& answer) const;
    bool checkResults(const Question& q, NodeId a, std::int64_t element, NodeId limit, Answer& answer) const;
    bool checkReturnedTogether(const Question& q, NodeId a, std::int64_t element, Answer& answer) const;
    bool checkApart(const Question& q, NodeId a, std::int64_t element, NodeId input, Answer& answer) const;
    bool refuseInput(NodeId a, NodeId input, const char* code, const char* rule, Answer& answer) const;

    template <class Found>
    void scanUses(const Question& q, NodeId a, StorageId member, NodeId limit, Rules rules, const Found& found) const;
    /// Storages that are one memory with the value's and have uses behind the node.
    const std::vector<StorageId>& usedBehind(const Question& q, NodeId a) const;
    std::optional<StorageUse> laterUse(const Question& q, NodeId a, NodeId limit, Rules rules) const;
    bool conflicts(const Question& q, NodeId a, NodeId value, Rules rules) const;
    bool overlaps(const TensorType* a, const TensorType* b, Rules rules) const;
    bool sameElements(const TensorType* a, const TensorType* b) const;
    bool keepsPlace(NodeId value, NodeId result) const;
    void explainLaterUse(const Question& q, NodeId a, const StorageUse& use, Rules rules, Answer& answer) const;
    NodeId finalReader(NodeId view) const;
    std::int64_t overlapBytes(const Question& q, NodeId a, NodeId value, Rules rules) const;
    StorageId storageOf(NodeId id) const { return index_.alias().storageOf(id); }

    std::uint32_t groupOf(StorageId id) const;

    const Graph& g_;
    const OpRegistry& ops_;
    const ReinplaceIndex& index_;
    AnalysisMode mode_;
    DefectReport& defects_;
    /// Storages that are one memory once the accepted nodes write in place.
    struct Group {
        std::vector<StorageId> members;
        std::vector<StorageId> used;  ///< members with uses behind the last question; questions come in graph order
        std::vector<std::pair<StorageId, NodeId>> inputs;
    };
    mutable std::vector<std::uint32_t> parent_;
    mutable std::vector<Group> groups_;
    std::unordered_multimap<NodeId, Name> shown_;  ///< returned value -> the input whose memory it may show; an empty name is none
    std::vector<bool> shifted_;                    ///< the storage's geometry does not count from the start of the memory it was merged into
};

}  // namespace aliascope
