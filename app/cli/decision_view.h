#pragma once
// Decisions as rows and words; shared by `run`, `decisions` and `why`.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/source.h"
#include "core/recording/decision_words.h"

namespace aliascope::cli {

/// Names and operators of nodes at a stage, for the `{name, stage, op}` of JSON.
class NodeFacts {
public:
    explicit NodeFacts(const Staged& staged) : staged_(staged) {}
    /// The row of a node at a stage, or null.
    const NodeRow* find(int stage, Uid uid);
    /// `{name, stage, op}`; null when `name` is empty.
    Json json(const std::string& name, const std::optional<Uid>& uid, int stage);

private:
    struct Stage {
        std::shared_ptr<const StageSnapshot> snapshot;
        std::map<Uid, const NodeRow*> byUid;
    };
    const Stage& at(int stage);
    const Staged& staged_;
    std::map<int, Stage> stages_;
    std::map<int, std::string> names_;
};

/// What --verdict takes.
const std::vector<std::string>& verdictWords();

struct DecisionFilter {
    std::string verdict, code, node, pass = "reinplace";
    std::int64_t minBytes = 0;
};
/// --verdict, --code, --min-bytes, --node, --pass; mistakes end the command with exit 2.
DecisionFilter decisionFilter(Command& c);

/// Decisions of the lane that pass the filter, in order.
std::vector<DecisionRow> filtered(const Staged& staged, const DecisionFilter& filter);

/// The operator that the decision speaks of: `mylib.cache` of a wrapper around it, else its own operator.
std::string subjectOf(const DecisionRow& row, NodeFacts& facts);

Table decisionTable(const Staged& staged, const std::vector<DecisionRow>& rows);
Json decisionJson(const DecisionRow& row, NodeFacts& facts);

/// `1MiB`, `16 KiB`, `4096`; K, M, G are powers of 1024.
std::optional<std::int64_t> parseAmount(const std::string& text);

}  // namespace aliascope::cli
