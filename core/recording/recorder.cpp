#include "core/recording/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/recording/document_rows.h"
#include "core/recording/lane_recorder.h"
#include "core/recording/migrations.h"
#include "core/recording/write_errors.h"
#include "core/recording/writer_mark.h"

namespace aliascope {
namespace {

using namespace recording;
namespace fs = std::filesystem;

Diagnostic heldBy(const std::string& path, const std::string& mark) {
    return cannotWrite(path, path + " is being written by process " + std::to_string(writerPid(mark)));
}

/// Nothing when `path` may be created or written; else the S003 that says why.
Status checkPlace(const std::string& path) {
    if (path.empty() || path == ":memory:") return fail(cannotWrite(path, "a session needs a file"));
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    std::error_code error;
    if (!fs::is_directory(folder, error)) return fail(cannotWrite(path, folder.string() + ": no such folder"));
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0) return fail(cannotWrite(path, path + ": folder is read-only; use -o"));
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return {};
    if (!fs::is_regular_file(status)) return fail(cannotWrite(path, path + " exists and is not a regular file"));
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return fail(cannotWrite(path, path + " is read-only; use -o"));
    return {};
}

/// A new file: the rollback journal makes its birth atomic against a killed process; against a power cut there is nothing yet to lose.
void createFile(Database& db) {
    db.exec("PRAGMA page_size=8192");
    db.exec("PRAGMA synchronous=OFF");
    createSchema(db);
}

/// Takes the file for this process. Throws SqlError; the mark of a live writer when there is one.
std::string takeOver(Database& db) {
    Transaction transaction(db);
    std::string mark = db.text("SELECT value FROM meta WHERE key = 'writer'");
    if (writerIsAlive(mark)) return mark;
    Statement meta(db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)");
    meta.run("writer", ownWriterMark());
    meta.run("tool", "aliascope");
    meta.run("version", ALIASCOPE_VERSION);
    Statement created(db, "INSERT OR IGNORE INTO meta(key, value) VALUES('created', ?1)");
    created.run(timestamp());
    // What a dead writer left running has ended; its whole stages are good.
    db.exec("UPDATE lane SET state = 'interrupted' WHERE state = 'running'");
    db.exec("UPDATE run SET state = 'interrupted' WHERE state = 'running'");
    transaction.commit();
    return {};
}

}  // namespace

struct Recorder::Impl {
    std::string path;
    RecorderLimits limits;
    std::unique_ptr<Database> db;
    std::unique_ptr<RowQueue> queue;
    std::unique_ptr<TextPool> pool;
    std::unique_ptr<LaneRecorder> lane;
    CancelToken cancel;

    Status open();
    std::string uniqueLaneName(const std::string& wanted);
};

Status Recorder::Impl::open() {
    std::error_code error;
    const bool existed = fs::exists(path, error) && fs::file_size(path, error) > 0;
    db = std::make_unique<Database>(path, Database::Access::Create);
    if (!existed || isEmptyDatabase(*db)) {
        createFile(*db);
    } else {
        if (db->integer("PRAGMA application_id") != kApplicationId) return fail(cannotWrite(path, path + " exists and is not a session"));
        const Result<int> version = checkIdentity(*db, path);
        if (!version) return fail(version.error());
        if (*version < kSchemaVersion)
            if (auto migrated = migrate(*db, migrationSteps(), kSchemaVersion, path); !migrated) return migrated;
    }
    db->exec("PRAGMA journal_mode=WAL");
    // A checkpoint in the middle waits for the disk twice; the log of most sessions is folded in once, at the end.
    db->exec("PRAGMA wal_autocheckpoint=8000");
    db->exec("PRAGMA synchronous=NORMAL");
    db->exec("PRAGMA foreign_keys=ON");
    // The words in CHECK(… IN …) come from enums of ours; testing them opens a temporary table for every row, a quarter of the time of a stage.
    db->exec("PRAGMA ignore_check_constraints=ON");
    const std::string other = takeOver(*db);
    if (!other.empty()) return fail(heldBy(path, other));
    queue = std::make_unique<RowQueue>();
    pool = std::make_unique<TextPool>(*queue, *db);
    return {};
}

std::string Recorder::Impl::uniqueLaneName(const std::string& wanted) {
    std::set<std::string> taken;
    Statement names(*db, "SELECT name FROM lane");
    while (names.step()) taken.insert(names.text(0));
    std::string name = wanted;
    for (int n = 2; taken.contains(name); ++n) name = wanted + "#" + std::to_string(n);
    return name;
}

Recorder::Recorder() : impl_(std::make_unique<Impl>()) {}

Recorder::~Recorder() { (void)close(); }

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, const RecorderLimits& limits) {
    if (auto place = checkPlace(path); !place) return fail(place.error());
    std::error_code ignored;
    const bool existed = fs::exists(path, ignored);
    if (!existed) {
        // The system says why a file cannot be made; sqlite would only say that it cannot be opened.
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0) return fail(cannotWrite(path, path + ": " + std::strerror(errno)));
        ::close(fd);
    }
    std::unique_ptr<Recorder> recorder(new Recorder());
    recorder->impl_->path = path;
    recorder->impl_->limits = limits;
    try {
        if (auto opened = recorder->impl_->open(); !opened) {
            recorder->impl_->pool.reset();
            recorder->impl_->db.reset();  // not ours: close() must not touch it
            return fail(opened.error());
        }
    } catch (const SqlError& e) {
        recorder->impl_->pool.reset();
        recorder->impl_->db.reset();
        if (!existed && !e.busy() && fs::is_empty(path, ignored)) fs::remove(path, ignored);
        if (e.notADatabase()) return fail(cannotWrite(path, path + " exists and is not a session"));
        if (e.damaged()) return fail(damaged(path, e.what()));
        if (e.busy()) return fail(cannotWrite(path, path + " is in use by another process"));
        return fail(cannotWrite(path, e, existed ? "opening the session" : "a new session"));
    }
    return recorder;
}

void Recorder::stopWhen(const CancelToken& cancel) {
    impl_->cancel = cancel;
    if (impl_->queue) impl_->queue->stopWhen(cancel);
}

void Recorder::makeTemporary() {
    if (!impl_->db) return;
    try {
        impl_->db->exec("PRAGMA synchronous=OFF");
    } catch (const SqlError&) {
        // Then it waits.
    }
}

Result<std::vector<std::int64_t>> Recorder::addDocument(const Document& doc) {
    Impl& r = *impl_;
    if (!r.db) return fail(cannotWrite(r.path, "the session is closed"));
    try {
        Transaction transaction(*r.db);
        std::vector<std::int64_t> ids = insertDocument(*r.db, doc, r.path, r.limits, r.cancel);
        transaction.commit();
        return ids;
    } catch (const LimitReached& limit) {
        return fail(limit.diagnostic);
    } catch (const Cancelled&) {
        return fail(userError("CANCELLED"));
    } catch (const SqlError& e) {
        return fail(cannotWrite(r.path, e, "the source text", doc.text.size()));
    }
}

std::int64_t Recorder::lane() const { return impl_->lane ? impl_->lane->row() : 0; }

Result<PassObserver*> Recorder::beginLane(std::int64_t graph, const std::string& lane, const OpRegistry& ops, LaneKind kind) {
    Impl& r = *impl_;
    if (!r.db) return fail(cannotWrite(r.path, "the session is closed"));
    try {
        if (r.lane) r.lane->abandon();
        r.lane.reset();
        Statement known(*r.db, "SELECT 1 FROM graph WHERE id = ?1");
        known.bind(graph);
        if (!known.step()) return fail(internalError("S003", {{"why", "no graph " + std::to_string(graph) + " in the session"}}));
        known.reset();
        if (r.db->integer("SELECT count(*) FROM lane") >= r.limits.lanes) return fail(LimitReached(r.path, "lanes", r.limits.lanes).diagnostic);
        r.lane = std::make_unique<LaneRecorder>(*r.queue, *r.db, *r.pool, r.limits, r.path, graph, r.uniqueLaneName(lane),
                                                kind == LaneKind::Foreign ? "foreign" : "recorded", ops, r.cancel);
        return r.lane.get();
    } catch (const SqlError& e) {
        return fail(cannotWrite(r.path, e, "lane " + lane));
    }
}

namespace {

/// `f` inside one transaction; S003 says that `what` could not be written. The pool reads the file again after a rollback.
template <class F>
Status inTransaction(Database* db, TextPool* pool, const std::string& path, const std::string& what, F&& f) {
    if (!db) return fail(cannotWrite(path, "the session is closed"));
    try {
        Transaction transaction(*db);
        f();
        transaction.commit();
        return {};
    } catch (const SqlError& e) {
        Diagnostic d = cannotWrite(path, e, what);
        try {
            pool->reload();
        } catch (const SqlError&) {
            // The first error is the one to tell.
        }
        return fail(std::move(d));
    }
}

}  // namespace

Status Recorder::addLinks(const std::vector<LinkRow>& links) {
    Impl& r = *impl_;
    return inTransaction(r.db.get(), r.pool.get(), r.path, "links between graphs", [&] {
        Statement insert(*r.db, "INSERT OR IGNORE INTO link(from_graph, from_uid, to_graph, to_uid, kind) VALUES(?1, ?2, ?3, ?4, ?5)");
        for (const LinkRow& link : links) insert.run(link.fromGraph, link.fromUid, link.toGraph, link.toUid, link.kind);
    });
}

Result<std::int64_t> Recorder::beginRun(const RunHeader& header) {
    Impl& r = *impl_;
    std::int64_t run = 0;
    auto ok = inTransaction(r.db.get(), r.pool.get(), r.path, "a run", [&] { run = insertRun(*r.db, header); });
    if (!ok) return fail(std::move(ok.error()));
    return run;
}

Status Recorder::endRun(std::int64_t run, const RunOutcome& outcome) {
    Impl& r = *impl_;
    return inTransaction(r.db.get(), r.pool.get(), r.path, "run " + std::to_string(run), [&] { writeRun(*r.db, *r.pool, run, outcome); });
}

Result<std::int64_t> Recorder::addComparison(std::int64_t runA, std::int64_t runB, const exec::Comparison& comparison) {
    Impl& r = *impl_;
    std::int64_t id = 0;
    auto ok = inTransaction(r.db.get(), r.pool.get(), r.path, "a comparison", [&] { id = insertComparison(*r.db, runA, runB, comparison); });
    if (!ok) return fail(std::move(ok.error()));
    return id;
}

Status Recorder::addProbe(const ProbeRow& probe, std::int64_t lane) {
    Impl& r = *impl_;
    return inTransaction(r.db.get(), r.pool.get(), r.path, "a probe", [&] { insertProbe(*r.db, probe, lane); });
}

Status Recorder::close() {
    Impl& r = *impl_;
    if (!r.db) return {};
    if (r.lane) r.lane->abandon();
    r.lane.reset();
    r.pool.reset();
    r.queue.reset();
    Status status;
    try {
        r.db->exec("DELETE FROM meta WHERE key = 'writer'");
        // With readers beside us the log stays; the last of them folds it in.
        r.db->foldLog();
    } catch (const SqlError& e) {
        if (!e.busy()) {
            Diagnostic d = cannotWrite(r.path, e, "folding the log into the file");
            d.note = "what was recorded is in the file and its -wal beside it; keep both together";
            status = fail(std::move(d));
        }
    }
    r.db.reset();
    return status;
}

const std::string& Recorder::path() const { return impl_->path; }

}  // namespace aliascope
