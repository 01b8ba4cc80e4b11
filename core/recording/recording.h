#pragma once
// Reads a session file: the questions that panels and verbs ask, as plain rows. What is not recorded is not shown.
// Thread-safety: every method may be called from any thread; each thread uses its own read-only connection or waits for a shared one.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace aliascope {

/// Stable id of a node in one graph of a session: body number in the upper 32 bits (0 = main graph), NodeId below.
using Uid = std::uint64_t;

struct GraphRow {
    std::int64_t id = 0;
    std::string name, phase, sourcePath, container;
    std::int64_t nodes = 0;
    std::string unit; /**< `1`, `1.cond_true_0` */
};
struct LaneRow {
    std::int64_t id = 0, graph = 0;
    std::string name, pipeline, kind, state, created;
    int stages = 0;
};

struct StageRow {
    std::int64_t id = 0, lane = 0;
    int idx = 1;
    std::string name, pass, options, state, message;
    std::uint64_t hash = 0;
    bool changed = false;
    std::int64_t nodes = 0, added = 0, removed = 0, modified = 0, clones = 0, copiesBack = 0, selfCopies = 0, rewrites = 0, decisions = 0, wallNs = 0;
    std::optional<std::int64_t> clonedBytes, copiedBackBytes;
};

/// One version of a node; shared between all stages in which it lives.
struct NodeRow {
    std::int64_t version = 0;
    Uid uid = 0;
    int firstStage = 1, lastStage = 0;
    std::int64_t ord = 0;
    std::string body;  ///< path of the sub-graph; empty = main graph
    std::string kind, name, op, args;
    std::string target;  ///< as spelled in text
    std::string type;    ///< annotation text; empty = unknown
    std::optional<std::int64_t> bytes;
    std::optional<std::int64_t> extentBytes;  ///< from the start of the value to its last element
    std::optional<std::int64_t> offset;       ///< elements from the start of the storage; nothing = unknown or 0
    int storage = -1;                         ///< -1 = none; shown as S<storage>
    std::string module, file, function, code;
    int line = 0, flags = 0;       ///< flags: NodeFlag
    Trust trust = Trust::Unknown;  ///< of the type
};
using NodeRowPtr = std::shared_ptr<const NodeRow>;

struct EdgeRow {
    Uid from = 0, to = 0;
    std::string arg;
    enum class Mode : std::uint8_t { Read, Write, ReadWrite, Meta } mode = Mode::Read;
};

/// The graph at one stage, immutable.
struct StageSnapshot {
    StageRow stage;
    std::vector<NodeRowPtr> nodes;  ///< by body, then order
    std::vector<EdgeRow> edges;     ///< by `to` in order of nodes, then argument
};

enum class ChangeMark : char { Added = '+', Removed = '-', Modified = '~' };
struct ChangeRow {
    Uid uid = 0;
    std::string name;
    ChangeMark mark = ChangeMark::Added;
};

struct StorageRow {
    int id = 0;
    Uid base = 0;
    std::string baseName, role, bytesExpr;
    std::optional<std::int64_t> bytes;
    bool opaque = false;
};
struct CheckRow {
    std::string question, result, detail;
};

struct DecisionRow {
    std::int64_t id = 0, stageId = 0;
    int stage = 0;
    std::string stageName, lane;
    std::optional<Uid> uid, originUid, blockerUid, viewUid;
    std::string node, origin, op, argument, verdict, need, code, blocker, rule, avoidedBy, advice, bytesExpr, sentence;
    std::optional<std::int64_t> reportedBytes, clonedBytes, neededBytes;
    bool counted = false;
    std::vector<CheckRow> checks;  ///< filled by decisionCard() only
};

struct HistoryRow {
    int stage = 0;
    std::string stageName, rule, side, name, state;
    std::int64_t rewrite = 0;
    int seq = 0;
    std::vector<std::string> others;
};
struct RewriteRow {
    std::int64_t id = 0;
    int stage = 0, seq = 0;
    std::string rule, state, theorem, message;
    std::vector<std::pair<Uid, std::string>> before, after;
};
struct DiagnosticRow {
    std::string severity, audience, code, sentence, excerpt, file, stage;
    std::optional<Uid> uid;
    int line = 0, col = 0;
};

struct QueryResult {
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<std::string>>> rows;
    std::vector<std::vector<char>> types;
    bool truncated = false;
};

class Recording {
public:
    /// Errors: S001 (newer, exit 7), S002 (damaged, exit 7), R003 when it is no session. A read-only folder opens too; a lane left `running` by a
    /// dead writer reads as `interrupted`.
    static Result<std::shared_ptr<Recording>> open(const std::string& path);
    ~Recording();
    const std::string& path() const;
    /// The file lies in a folder that cannot be written and had a left-over log: a temporary copy is shown (titles say so).
    bool isTemporaryCopy() const;
    /// The first error that a question below met (S002): a damaged file gives what can be read and then this.
    std::optional<Diagnostic> fault() const;

    std::vector<GraphRow> graphs() const;
    std::vector<LaneRow> lanes() const;
    std::vector<StageRow> stages(std::int64_t lane) const;
    /// `--stage`: idx, full name, unique prefix, `first`, `last`. Nothing if there is none.
    std::optional<StageRow> stage(std::int64_t lane, const std::string& selector) const;
    std::shared_ptr<const StageSnapshot> snapshot(std::int64_t lane, int stage) const;
    std::vector<ChangeRow> changes(std::int64_t lane, int stage) const;  ///< against the stage before
    std::vector<ChangeRow> difference(std::int64_t lane, int stageA, int stageB) const;
    std::vector<StorageRow> storages(std::int64_t lane, int stage) const;
    std::vector<DecisionRow> decisions(std::int64_t lane) const;
    std::optional<DecisionRow> decisionCard(std::int64_t id) const;  ///< with checks
    std::vector<HistoryRow> history(std::int64_t lane, Uid uid) const;
    std::vector<RewriteRow> rewrites(std::int64_t lane, int stage) const;
    std::vector<DiagnosticRow> diagnostics() const;
    /// The graph of a stage, rebuilt; prints byte for byte as it did in memory.
    Result<Graph> graph(std::int64_t lane, int stage, const OpRegistry& ops) const;
    std::optional<std::string> sourceText(std::int64_t graph) const;  ///< the text that was read, of its whole file
    /// Read-only SQL: one SELECT, WITH or EXPLAIN; time and row limits. Errors: R014 with sqlite's own words, R050 when it takes longer than `maxMs`.
    /// More rows than `maxRows`, or than 256 MiB of values, are cut off (`truncated`), and so is what a cancelled query has not found yet.
    Result<QueryResult> query(const std::string& sql, int maxRows = 100'000, int maxMs = 10'000, const CancelToken& cancel = {}) const;

    std::string uiState(const std::string& key) const;
    /// Errors: S003 when the file or its folder cannot be written, or a writer holds it.
    Status setUiState(const std::string& key, const std::string& value);

private:
    Recording();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace aliascope
