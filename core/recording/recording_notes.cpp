// Marks that readers leave in a session (session.md 2: note).

#include "core/recording/lane_recorder.h"
#include "core/recording/recording_impl.h"
#include "core/recording/write_errors.h"

namespace aliascope {
using namespace recording;

std::vector<NoteRow> Recording::notes(const std::string& kind) const {
    return impl_->read(std::vector<NoteRow>(), [&](Database& db) {
        std::vector<NoteRow> out;
        Statement s(db, "SELECT graph, lane, stage, uid, kind, text, created FROM note WHERE kind = ?1 ORDER BY id");
        s.bind(kind);
        while (s.step())
            out.push_back({s.integer(0), s.integer(1), static_cast<int>(s.integer(2)), s.optionalInteger(3), s.text(4), s.text(5), s.text(6)});
        return out;
    });
}

Status Recording::setNotes(const std::string& kind, const std::vector<NoteRow>& rows) {
    const std::string& path = impl_->file->path();
    if (!impl_->file->isWritable()) return fail(cannotWrite(path, path + ": the file or its folder is read-only"));
    try {
        Database db(path, Database::Access::Write);
        Transaction transaction(db);
        Statement clear(db, "DELETE FROM note WHERE kind = ?1");
        clear.run(kind);
        Statement put(db,
                      "INSERT INTO note(graph, lane, stage, uid, kind, text, created) VALUES(nullif(?1, 0), nullif(?2, 0), nullif(?3, 0), "
                      "?4, ?5, ?6, ?7)");
        for (const NoteRow& row : rows)
            put.run(row.graph, row.lane, row.stage, row.uid, kind, row.text, row.created.empty() ? timestamp() : row.created);
        transaction.commit();
        return {};
    } catch (const SqlError& e) {
        return fail(cannotWrite(path, e, "the marks"));
    }
}

}  // namespace aliascope
