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
#include "core/memory/memory_report.h"
#include "core/recording/recording_runs.h"
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

/// A run whose memory was recorded: a prediction (`predicted`) or an execution (`measured`).
struct MemoryRunRow {
    std::int64_t id = 0, lane = 0;
    int stage = 0;
    std::string stageName, kind, device, backend, mode, accounting, state, created;
    bool synthetic = false;
    std::int64_t peakExact = 0, peakCharged = 0, events = 0;
    std::optional<std::int64_t> peakSeq, arena, lowerBound, wallNs;
    std::optional<Uid> atUid;  ///< node of the peak event
    std::string at;            ///< its name
};
/// What holders of memory are grouped by. Of a node without such a fact the key is empty.
enum class HolderKey : std::uint8_t { Node, Storage, Op, Module, Source, Dtype };

/// A node of a region that auto-chunk cut (chunker.md 4, 7).
struct ChunkRow {
    Uid uid = 0;
    std::string node, op;
    std::string role;        ///< `input`, `body`, `output`, `tangent`
    std::optional<int> dim;  ///< axis of which a chunk holds a part
    bool sum = false;        ///< the whole is the sum over the chunks
    std::optional<Uid> scaleUid;
    std::string scale;  ///< tangent by which the whole is multiplied; empty = none
    std::string rule;
};
/// Predicted peak of the graph in so many chunks; 1 = whole. Inputs are not counted.
struct ChunkEstimateRow {
    std::int64_t chunks = 1, peakBytes = 0;
    bool chosen = false;
};

/// A mark that a reader left in the session: `note`, `bookmark` or `pin`.
struct NoteRow {
    std::int64_t graph = 0, lane = 0;  ///< 0 = of none
    int stage = 0;                     ///< 0 = of none
    std::optional<Uid> uid;            ///< nothing = of the whole stage
    std::string kind, text;
    std::string created;  ///< empty when it is written: now
    friend bool operator==(const NoteRow&, const NoteRow&) = default;
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
    /// Of a stage of auto-chunk; empty where it refused. The amplifier first, then tangents, inputs, body, outputs.
    std::vector<ChunkRow> chunkRows(std::int64_t lane, int stage) const;
    /// Of a stage of auto-chunk that followed a region to its end.
    std::vector<ChunkEstimateRow> chunkEstimates(std::int64_t lane, int stage) const;
    std::vector<HistoryRow> history(std::int64_t lane, Uid uid) const;
    std::vector<RewriteRow> rewrites(std::int64_t lane, int stage) const;
    std::vector<DiagnosticRow> diagnostics() const;

    // Runs and numerics (recording_runs.cpp).
    /// Runs of the lane, of one stage if it is not 0, oldest first; a run left `running` by a dead writer reads as `interrupted`.
    std::vector<RunRow> runs(std::int64_t lane, int stage = 0) const;
    /// In the order of the stage's graph; of one node if `uid` is given.
    std::vector<DigestRow> digests(std::int64_t run, std::optional<Uid> uid = std::nullopt) const;
    std::vector<TimingRow> timings(std::int64_t run) const;
    /// Of runs of this lane, in the order in which they were made.
    std::vector<ComparisonRow> comparisons(std::int64_t lane) const;
    std::vector<ComparedRow> comparisonRows(std::int64_t comparison) const;
    /// The origin in the earliest stage that has one (ui.md 2.9).
    std::optional<std::pair<ComparisonRow, ComparedRow>> firstDivergence(std::int64_t lane) const;
    std::vector<ProbeRow> probes(std::int64_t lane) const;

    // Memory of runs (recording_memory.cpp). Sites of the rows are (uid >> 32, uid & 0xffffffff, index into memoryCallPaths()).
    /// Runs of the lane that have events, of one stage if it is not 0; oldest first.
    std::vector<MemoryRunRow> memoryRuns(std::int64_t lane, int stage = 0) const;
    /// Texts of call paths in this session; 0 is the main graph's frame.
    std::vector<std::string> memoryCallPaths() const;
    /// About `buckets` (at most one more) of the events [from, to), `to` < 0 = the end. Exact bytes come from mem_level, charged ones from the
    /// events.
    std::vector<memory::CurveBucket> memoryCurve(std::int64_t run, std::int64_t from = 0, std::int64_t to = -1, int buckets = 1000,
                                                 memory::Accounting accounting = memory::Accounting::Exact) const;
    std::vector<memory::Event> memoryEvents(std::int64_t run, std::int64_t from, std::int64_t count) const;
    /// First event with the highest live bytes among those of a node; -1 when it has none.
    std::int64_t memorySeqOf(std::int64_t run, Uid node) const;
    /// Live after event `seq`, in birth order, without inputs and constants.
    std::vector<memory::Lifetime> memoryLiveAt(std::int64_t run, std::int64_t seq) const;
    /// The `limit` largest storages, in birth order.
    std::vector<memory::Lifetime> memoryLifetimes(std::int64_t run, std::int64_t limit) const;
    /// Who holds the memory after event `seq` (default: at the peak), largest first.
    std::vector<memory::Held> memoryHolders(std::int64_t run, HolderKey by, std::int64_t seq = -1) const;
    /// The first event with the highest live bytes if `storage` had never been, and that height.
    std::pair<std::int64_t, std::int64_t> memoryPeakWithout(std::int64_t run, memory::StorageId storage) const;
    /// The runs at their peaks, storages matched by origin. Both runs must be of one graph.
    memory::PeakDifference memoryDifference(std::int64_t runA, std::int64_t runB) const;
    /// The graph of a stage, rebuilt; prints byte for byte as it did in memory.
    Result<Graph> graph(std::int64_t lane, int stage, const OpRegistry& ops) const;
    std::optional<std::string> sourceText(std::int64_t graph) const;  ///< the text that was read, of its whole file
    /// Read-only SQL: one SELECT, WITH or EXPLAIN; time and row limits. Errors: R014 with sqlite's own words, R050 when it takes longer than `maxMs`.
    /// More rows than `maxRows`, or than 256 MiB of values, are cut off (`truncated`), and so is what a cancelled query has not found yet.
    Result<QueryResult> query(const std::string& sql, int maxRows = 100'000, int maxMs = 10'000, const CancelToken& cancel = {}) const;

    /// Marks of one kind, in the order in which they were written.
    std::vector<NoteRow> notes(const std::string& kind) const;
    /// `rows` take the place of all marks of the kind. Errors: as setUiState.
    Status setNotes(const std::string& kind, const std::vector<NoteRow>& rows);
    std::string uiState(const std::string& key) const;
    /// Errors: S003 when the file or its folder cannot be written, or a writer holds it.
    Status setUiState(const std::string& key, const std::string& value);

private:
    Recording();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The `.ops` files that a user who names none means: those in the folder of the graph file; of a session those beside it, else beside the file
/// that it was recorded from (sessions hold no schemas). Empty when there are none, or the session cannot be read.
std::vector<std::string> opsFilesFor(const std::string& path);

}  // namespace aliascope
