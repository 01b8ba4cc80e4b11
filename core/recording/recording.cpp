#include "core/recording/recording.h"

#include "core/ir/ops_file.h"
#include "core/recording/blob_codec.h"
#include "core/recording/document_rows.h"
#include "core/recording/migrations.h"
#include "core/recording/recording_impl.h"
#include "core/recording/write_errors.h"
#include "core/recording/writer_mark.h"

namespace aliascope {

using namespace recording;

namespace recording {

const char* const kStageColumns =
    "s.id, s.lane, s.idx, s.name, s.pass, s.options, s.state, s.message, s.hash, s.changed, s.nodes, s.added, s.removed, s.modified, s.clones, "
    "s.copies_back, s.self_copies, s.rewrites, s.wall_ns, s.cloned_bytes, s.copied_back_bytes, (SELECT count(*) FROM decision d WHERE d.stage = "
    "s.id)";

StageRow stageRowFrom(const Statement& s) {
    StageRow r;
    r.id = s.integer(0);
    r.lane = s.integer(1);
    r.idx = static_cast<int>(s.integer(2));
    r.name = s.text(3);
    r.pass = s.text(4);
    r.options = s.text(5);
    r.state = s.text(6);
    r.message = s.text(7);
    r.hash = static_cast<std::uint64_t>(s.integer(8));
    r.changed = s.integer(9) != 0;
    r.nodes = s.integer(10);
    r.added = s.integer(11);
    r.removed = s.integer(12);
    r.modified = s.integer(13);
    r.clones = s.integer(14);
    r.copiesBack = s.integer(15);
    r.selfCopies = s.integer(16);
    r.rewrites = s.integer(17);
    r.wallNs = s.integer(18);
    r.clonedBytes = s.optionalInteger(19);
    r.copiedBackBytes = s.optionalInteger(20);
    r.decisions = s.integer(21);
    return r;
}

}  // namespace recording

void Recording::Impl::note(const SqlError& e) {
    const std::lock_guard lock(faultMutex);
    if (!fault) fault = damaged(file->path(), e.what());
}

Recording::Recording() : impl_(std::make_unique<Impl>()) {}
Recording::~Recording() = default;

Result<std::shared_ptr<Recording>> Recording::open(const std::string& path) {
    Result<std::unique_ptr<SessionFile>> file = SessionFile::open(path);
    if (!file) return fail(file.error());
    std::shared_ptr<Recording> recording(new Recording());
    recording->impl_->file = std::move(*file);
    return recording;
}

const std::string& Recording::path() const { return impl_->file->path(); }

bool Recording::isTemporaryCopy() const { return impl_->file->isTemporaryCopy(); }

std::optional<Diagnostic> Recording::fault() const {
    const std::lock_guard lock(impl_->faultMutex);
    return impl_->fault;
}

std::vector<GraphRow> Recording::graphs() const {
    return impl_->read(std::vector<GraphRow>(), [](Database& db) {
        std::vector<GraphRow> out;
        Statement s(db,
                    "SELECT g.id, g.name, g.phase, g.nodes, g.order_key, o.path, o.container FROM graph g LEFT JOIN source o ON o.id = g.source "
                    "ORDER BY g.source, g.order_key");
        while (s.step()) {
            GraphRow r;
            r.id = s.integer(0);
            r.name = s.text(1);
            r.phase = s.text(2);
            r.nodes = s.integer(3);
            r.unit = unitIdFrom(s.text(4));
            r.sourcePath = s.text(5);
            r.container = s.text(6);
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::vector<LaneRow> Recording::lanes() const {
    return impl_->read(std::vector<LaneRow>(), [](Database& db) {
        std::vector<LaneRow> out;
        const bool written = writerIsAlive(db.text("SELECT value FROM meta WHERE key = 'writer'"));
        Statement s(db,
                    "SELECT l.id, l.graph, l.name, l.pipeline, l.kind, l.state, l.created, (SELECT count(*) FROM stage s WHERE s.lane = l.id) "
                    "FROM lane l ORDER BY l.id");
        while (s.step()) {
            LaneRow r;
            r.id = s.integer(0);
            r.graph = s.integer(1);
            r.name = s.text(2);
            r.pipeline = s.text(3);
            r.kind = s.text(4);
            r.state = s.text(5);
            if (r.state == "running" && !written) r.state = "interrupted";
            r.created = s.text(6);
            r.stages = static_cast<int>(s.integer(7));
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::vector<StageRow> Recording::stages(std::int64_t lane) const {
    return impl_->read(std::vector<StageRow>(), [&](Database& db) {
        std::vector<StageRow> out;
        Statement s(db, std::string("SELECT ") + kStageColumns + " FROM stage s WHERE s.lane = ?1 ORDER BY s.idx");
        s.bind(lane);
        while (s.step()) out.push_back(stageRowFrom(s));
        return out;
    });
}

std::optional<StageRow> Recording::stage(std::int64_t lane, const std::string& selector) const {
    const std::vector<StageRow> all = stages(lane);
    if (all.empty()) return std::nullopt;
    if (selector == "first") return all.front();
    if (selector == "last") return all.back();
    const StageRow* prefixed = nullptr;
    int matches = 0;
    for (const StageRow& s : all) {
        if (s.name == selector || std::to_string(s.idx) == selector) return s;
        if (selector.empty() || !s.name.starts_with(selector)) continue;
        prefixed = &s;
        ++matches;
    }
    return matches == 1 ? std::optional(*prefixed) : std::nullopt;
}

std::vector<StorageRow> Recording::storages(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<StorageRow>(), [&](Database& db) {
        std::vector<StorageRow> out;
        Statement s(db,
                    "SELECT t.id, t.base_uid, (SELECT n.name FROM node n WHERE n.lane = t.lane AND n.uid = t.base_uid AND n.first_stage <= ?2 AND "
                    "n.last_stage >= ?2), t.role, t.bytes, t.bytes_expr, t.opaque FROM storage t WHERE t.lane = ?1 AND t.first_stage <= ?2 AND "
                    "t.last_stage >= ?2 "
                    "ORDER BY t.id");
        s.bind(lane, stage);
        while (s.step()) {
            StorageRow r;
            r.id = static_cast<int>(s.integer(0));
            r.base = static_cast<Uid>(s.integer(1));
            r.baseName = s.text(2);
            r.role = s.text(3);
            r.bytes = s.optionalInteger(4);
            r.bytesExpr = s.text(5);
            r.opaque = s.integer(6) != 0;
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::optional<std::string> Recording::sourceText(std::int64_t graph) const {
    return impl_->read(std::optional<std::string>(), [&](Database& db) -> std::optional<std::string> {
        Statement s(db, "SELECT o.text FROM graph g JOIN source o ON o.id = g.source WHERE g.id = ?1");
        s.bind(graph);
        if (!s.step() || s.isNull(0)) return std::nullopt;
        return loadBlob(db, s.integer(0));
    });
}

std::string Recording::uiState(const std::string& key) const {
    return impl_->read(std::string(), [&](Database& db) {
        Statement s(db, "SELECT value FROM ui_state WHERE key = ?1");
        s.bind(key);
        return s.step() ? s.text(0) : std::string();
    });
}

Status Recording::setUiState(const std::string& key, const std::string& value) {
    const std::string& path = impl_->file->path();
    if (!impl_->file->isWritable()) return fail(cannotWrite(path, path + ": the file or its folder is read-only"));
    try {
        Database db(path, Database::Access::Write);
        Transaction transaction(db);
        Statement put(db, "INSERT OR REPLACE INTO ui_state(key, value) VALUES(?1, ?2)");
        put.run(key, value);
        transaction.commit();
        return {};
    } catch (const SqlError& e) {
        return fail(cannotWrite(path, e, "the state of the window"));
    }
}

std::vector<std::string> opsFilesFor(const std::string& path) {
    std::vector<std::string> files = opsFilesBeside(path);
    if (!files.empty() || !isSessionFile(path)) return files;
    try {
        const auto recording = Recording::open(path);
        if (!recording) return files;
        for (const GraphRow& graph : (*recording)->graphs())
            if (files.empty() && !graph.sourcePath.empty()) files = opsFilesBeside(graph.sourcePath);
    } catch (const SqlError&) {
        files.clear();  // damaged: whoever opens it says so
    }
    return files;
}

}  // namespace aliascope
