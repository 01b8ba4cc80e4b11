#pragma once
// The decision table of re-inplacing (reinplace.md 4.5): may node n write argument a where it stands?
//
// `reference` asks what PyTorch 2.11 asks, its overlap predicate included. `extent` asks about the elements that are really written: exact overlap,
// views looked through to their readers, reads by the node itself, views of inputs that are written back (reinplace.md 9, theorem 1 with L1 and L6).

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

private:
    PassContext& ctx_;
    std::vector<std::string> said_;
};

struct Question {
    NodeId node;
    Value value;                     ///< a node, or a list of nodes
    std::string argument;            ///< as sentences name it
    std::vector<TensorType> written; ///< elements that are written, when the call says so; empty = the whole value
    struct Read {
        std::string argument;
        NodeId value;
    };
    std::vector<Read> reads;         ///< operands that the node only reads
};

struct Answer {
    bool inPlace = false;
    std::string code = "RI00";
    std::string rule = "reinplace 4.5";
    NodeId blocker, view;
    int element = -1;                        ///< of a list, the one that fails
    std::optional<std::int64_t> neededBytes;
    Params params;
    std::vector<CheckStep> checks;
};

class DecisionTable {
public:
    DecisionTable(const Graph& g, const OpRegistry& ops, const ReinplaceIndex& index, AnalysisMode mode, DefectReport& defects);

    /// Steps 1 to 7; `Answer::inPlace` says whether all passed.
    Answer ask(const Question& q) const;
    /// Extent analysis: from now on `result` lies in the memory of `value`, because its node writes there.
    void accept(NodeId value, NodeId result);

private:
    struct LaterUse {
        StorageUse use;
        std::int64_t overlap = -1;  ///< elements; -1 = not counted
    };
    Answer askList(const Question& q) const;
    Answer askTensor(const Question& q, NodeId a) const;
    bool checkInputs(const Question& q, NodeId a, Answer& answer, NodeId& limit) const;
    bool checkSameNode(const Question& q, NodeId a, Answer& answer) const;
    std::optional<LaterUse> laterUse(const Question& q, NodeId a, NodeId limit) const;
    bool conflicts(const Question& q, NodeId a, NodeId value) const;
    void explainLaterUse(const Question& q, NodeId a, const LaterUse& later, Answer& answer) const;
    NodeId finalReader(NodeId view) const;
    std::int64_t overlapBytes(const Question& q, NodeId a, NodeId value) const;

    std::uint32_t groupOf(StorageId id) const;
    const std::vector<StorageId>& group(StorageId id) const { return members_[groupOf(id)]; }

    const Graph& g_;
    const OpRegistry& ops_;
    const ReinplaceIndex& index_;
    AnalysisMode mode_;
    DefectReport& defects_;
    // Storages that are one memory once the accepted nodes write in place; only extent analysis merges any.
    mutable std::vector<std::uint32_t> parent_;
    std::vector<std::vector<StorageId>> members_;
    std::vector<bool> shifted_;  ///< the storage's geometry does not count from the start of the memory it was merged into
};

}  // namespace aliascope
