#include "core/recording/lane_recorder.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/recording/blob_codec.h"
#include "core/recording/chunk_rows.h"
#include "core/recording/graph_state.h"
#include "core/recording/write_errors.h"

namespace aliascope::recording {
namespace {

const char* stateWord(StageResult::State state) {
    switch (state) {
        case StageResult::State::Ok:
            return "ok";
        case StageResult::State::Failed:
            return "failed";
        case StageResult::State::Skipped:
            break;
    }
    return "skipped";
}

const char* stateWord(Rewrite::State state) {
    switch (state) {
        case Rewrite::State::Applied:
            return "applied";
        case Rewrite::State::Failed:
            return "failed";
        case Rewrite::State::Skipped:
            break;
    }
    return "skipped";
}

const char* answerWord(CheckStep::Answer answer) {
    switch (answer) {
        case CheckStep::Answer::Ok:
            return "ok";
        case CheckStep::Answer::Failed:
            return "failed";
        case CheckStep::Answer::Unknown:
            return "unknown";
        case CheckStep::Answer::Skipped:
            break;
    }
    return "skipped";
}

}  // namespace

std::string paramsJson(const Params& params, const std::string& note) {
    if (params.empty() && note.empty()) return "{}";
    nlohmann::json j = nlohmann::json::object();
    for (const auto& [key, value] : params)
        if (!j.contains(key)) j[key] = value;
    if (!note.empty()) j["note"] = note;
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string timestamp() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

struct LaneRecorder::Statements {
    explicit Statements(Database& db)
        : stage(db,
                "INSERT INTO stage(lane, idx, name, pass, options, state, hash, changed, nodes, added, removed, modified, clones, cloned_bytes, "
                "copies_back, "
                "copied_back_bytes, self_copies, rewrites, wall_ns, message) "
                "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20) RETURNING id"),
          rewrite(db, "INSERT INTO rewrite(stage, seq, rule, state, theorem, message) VALUES(?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"),
          rewriteNode(db, "INSERT OR IGNORE INTO rewrite_node(rewrite, side, uid, name) VALUES(?1, ?2, ?3, ?4)"),
          decision(
              db,
              "INSERT INTO decision(stage, seq, uid, node, origin_uid, origin, op, argument, verdict, need, code, blocker_uid, blocker, view_uid, "
              "reported_bytes, counted, cloned_bytes, needed_bytes, bytes_expr, rule, params, avoided_by) "
              "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) RETURNING id"),
          checkStep(db, "INSERT INTO check_step(decision, seq, question, result, detail) VALUES(?1, ?2, ?3, ?4, ?5)"),
          diagnostic(db,
                     "INSERT INTO diagnostic(graph, stage, uid, severity, audience, code, line, col, params, excerpt) "
                     "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)") {}
    Statement stage, rewrite, rewriteNode, decision, checkStep, diagnostic;
};

LaneRecorder::LaneRecorder(RowQueue& queue, Database& db, TextPool& pool, const RecorderLimits& limits, std::string path, std::int64_t graph,
                           std::string name, std::string kind, const OpRegistry& ops, CancelToken cancel)
    : queue_(queue),
      db_(db),
      pool_(pool),
      limits_(limits),
      path_(std::move(path)),
      graph_(graph),
      name_(std::move(name)),
      kind_(std::move(kind)),
      ops_(ops),
      cancel_(std::move(cancel)) {}

LaneRecorder::~LaneRecorder() = default;

Status LaneRecorder::pipelineStarted(const Graph&, const Pipeline& pipeline) {
    try {
        Transaction transaction(db_);
        Statement insert(db_, "INSERT INTO lane(graph, name, pipeline, kind, state, created) VALUES(?1, ?2, ?3, ?5, 'running', ?4) RETURNING id");
        const std::string text = pipeline.str(), now = timestamp();
        insert.bind(graph_, name_, text, now, kind_);
        insert.step();
        lane_ = insert.integer(0);
        insert.reset();
        transaction.commit();
        versions_ = std::make_unique<NodeVersions>(queue_, db_, pool_, lane_, ops_, cancel_);
        statements_ = std::make_unique<Statements>(db_);
        writtenVersions_ = db_.integer("SELECT count(*) FROM node");
        writtenDecisions_ = db_.integer("SELECT count(*) FROM decision");
        return {};
    } catch (const SqlError& e) {
        broken_ = cannotWrite(path_, e, "lane " + name_);
        return fail(*broken_);
    }
}

Status LaneRecorder::stageFinished(const Graph& g, const StageResult& stage) {
    if (broken_) return fail(*broken_);
    try {
        writeStage(g, stage);
        return {};
    } catch (const LimitReached& limit) {
        broken_ = limit.diagnostic;
        setState("interrupted");
        return fail(*broken_);
    } catch (const Cancelled&) {
        return stageCancelled();
    } catch (const SqlError& e) {
        Diagnostic why = cannotWrite(path_, e, "stage " + std::to_string(stage.index) + " (" + stage.name + ")");
        why.note = "the stages before it are kept";
        return stageFailed(std::move(why));
    }
}

void LaneRecorder::pipelineFinished(bool complete) {
    if (lane_ == 0 || ended_ || broken_) return;
    ended_ = true;
    setState(failed_ ? "failed" : complete ? "complete" : "interrupted");
}

void LaneRecorder::abandon() {
    if (lane_ == 0 || ended_) return;
    ended_ = true;
    setState("interrupted");
}

void LaneRecorder::writeStage(const Graph& g, const StageResult& stage) {
    checkLimits(stage);
    Transaction transaction(db_);
    RowQueue::Span span(queue_);
    const StageDifference difference = versions_->record(g, stage.index);
    span.settle();
    throwIfCancelled(cancel_);  // rows that waited were left out
    const std::int64_t stageId = insertStageRow(stage, difference);
    storeGraphState(stage.index);
    if (stage.rewrites) insertRewrites(stageId, *stage.rewrites);
    if (stage.decisions) insertDecisions(stageId, *stage.decisions);
    if (stage.decisions && stage.pass == "auto-chunk")
        writeChunkRows(
            db_, stageId, *stage.decisions, [&](const NodeRef& ref) { return versions_->uidOf(ref); },
            [&](Name name) { return versions_->uidOf(name); });
    if (stage.diagnostics) insertDiagnostics(stageId, *stage.diagnostics);
    writtenVersions_ += difference.versions;
    if (writtenVersions_ > limits_.nodeVersions) throw LimitReached(path_, "node versions", limits_.nodeVersions);
    transaction.commit();
    hasStages_ = true;
    failed_ = failed_ || stage.state == StageResult::State::Failed;
}

std::int64_t LaneRecorder::insertStageRow(const StageResult& s, const StageDifference& d) {
    const StageFacts& f = versions_->facts();
    Statement& insert = statements_->stage;
    const bool first = s.index == 1;  // everything is new in stage 1: nothing was added to the program
    insert.bind(lane_, s.index, s.name, orNull(s.pass), orNull(s.options), stateWord(s.state), s.hash, s.changed, f.nodes, first ? 0 : d.added,
                d.removed, d.modified, f.clones, f.clonedBytes, f.copiesBack, f.copiedBackBytes, f.selfCopies,
                static_cast<std::int64_t>(s.rewrites ? s.rewrites->size() : 0), s.wallNs, orNull(s.message));
    insert.step();
    const std::int64_t id = insert.integer(0);
    insert.reset();
    return id;
}

void LaneRecorder::insertRewrites(std::int64_t stageId, const std::vector<Rewrite>& rewrites) {
    int seq = 0;
    for (const Rewrite& r : rewrites) {
        Statement& insert = statements_->rewrite;
        insert.bind(stageId, ++seq, r.rule, stateWord(r.state), orNull(r.theorem), orNull(r.message));
        insert.step();
        const std::int64_t id = insert.integer(0);
        insert.reset();
        insertRewriteNodes(id, "before", r.before);
        insertRewriteNodes(id, "after", r.after);
    }
}

void LaneRecorder::insertRewriteNodes(std::int64_t rewrite, const char* side, const std::vector<NodeRef>& nodes) {
    for (const NodeRef& node : nodes)
        if (const auto uid = versions_->uidOf(node)) statements_->rewriteNode.run(rewrite, side, *uid, node.name.view());
}

void LaneRecorder::insertDecisions(std::int64_t stageId, const std::vector<Decision>& decisions) {
    int seq = 0;
    for (const Decision& d : decisions) {
        if (writtenDecisions_ >= limits_.decisions) {
            const std::size_t left = decisions.size() - static_cast<std::size_t>(seq);
            insertDiagnostics(stageId, {warning("R051", {{"n", std::to_string(left)}})});
            return;
        }
        ++writtenDecisions_;
        const std::string params = paramsJson(d.params);
        const auto name = [](const NodeRef& ref) { return orNull(ref.name.view()); };
        Statement& insert = statements_->decision;
        insert.bind(stageId, ++seq, versions_->uidOf(d.node), d.node.name.view(), versions_->uidOf(d.origin), name(d.origin), orNull(d.op.view()),
                    orNull(d.argument), d.verdict, d.need, d.code, versions_->uidOf(d.blocker), name(d.blocker), versions_->uidOf(d.view),
                    d.reportedBytes, d.counted, d.clonedBytes, d.neededBytes, orNull(d.bytesExpr), orNull(d.rule), params, orNull(d.avoidedBy));
        insert.step();
        const std::int64_t id = insert.integer(0);
        insert.reset();
        int step = 0;
        for (const CheckStep& check : d.checks)
            statements_->checkStep.run(id, ++step, check.question, answerWord(check.answer), orNull(check.detail));
    }
}

void LaneRecorder::insertDiagnostics(std::int64_t stageId, const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& d : diagnostics)
        statements_->diagnostic.run(graph_, stageId, versions_->uidOf(d.node), toString(d.severity), toString(d.audience), d.code,
                                    d.line ? std::optional(d.line) : std::nullopt, d.column ? std::optional(d.column) : std::nullopt,
                                    paramsJson(d.params, d.note), orNull(d.excerpt));
}

/// `str` rows of kind `graph:LANE` name the blob of each stage in which the state changed: `STAGE BLOB`.
void LaneRecorder::storeGraphState(int stage) {
    const std::string json = graphStateJson(versions_->bodies());
    const std::uint64_t hash = contentHash(json);
    if (hash == stateHash_) return;
    pool_.str("graph:" + std::to_string(lane_), std::to_string(stage) + " " + std::to_string(storeBlob(db_, json)));
    stateHash_ = hash;
}

void LaneRecorder::setState(const char* state) {
    try {
        Statement update(db_, "UPDATE lane SET state = ?2 WHERE id = ?1");
        update.run(lane_, state);
    } catch (const SqlError&) {
        // The lane then stays `running`, which readers take for interrupted once the writer is gone.
    }
}

Status LaneRecorder::stageFailed(Diagnostic why) {
    broken_ = std::move(why);
    setState("interrupted");
    try {
        pool_.reload();
    } catch (const SqlError&) {
    }
    return fail(*broken_);
}

/// A lane without a stage shows nothing: it goes too.
Status LaneRecorder::stageCancelled() {
    Status told = stageFailed(userError("CANCELLED"));
    if (hasStages_) return told;
    try {
        Statement drop(db_, "DELETE FROM lane WHERE id = ?1");
        drop.run(lane_);
        lane_ = 0;
    } catch (const SqlError&) {
        // It then stays, interrupted.
    }
    return told;
}

void LaneRecorder::checkLimits(const StageResult& stage) const {
    if (stage.index > limits_.stages) throw LimitReached(path_, "stages of a lane", limits_.stages);
}

}  // namespace aliascope::recording
