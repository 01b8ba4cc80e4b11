#include "core/recording/session_copy.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>

#include "core/recording/migrations.h"
#include "core/recording/session_file.h"
#include "core/recording/write_errors.h"

namespace aliascope {
namespace {

using namespace recording;
namespace fs = std::filesystem;

/// A new file beside `path` that takes its name at the end, or is gone.
class NewFile {
public:
    explicit NewFile(std::string path) : path_(std::move(path)) {
        std::string pattern = path_ + ".XXXXXX";
        const int fd = ::mkstemp(pattern.data());
        if (fd < 0) throw fs::filesystem_error("create", path_, std::error_code(errno, std::generic_category()));
        ::close(fd);
        working_ = pattern;
        fs::permissions(working_, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add);
    }
    ~NewFile() {
        std::error_code ignored;
        if (working_.empty()) return;
        for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(working_ + suffix, ignored);
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    const std::string& working() const { return working_; }
    void keep() {
        // A log of the file that is replaced must not be taken for one of the new file.
        std::error_code ignored;
        for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(path_ + suffix, ignored);
        fs::rename(working_, path_);
        working_.clear();
    }

private:
    std::string path_, working_;
};

void copyPages(const Database& from, const Database& to) {
    sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
    if (!backup) throw SqlError(sqlite3_errcode(to.handle()) & 0xff, sqlite3_errmsg(to.handle()));
    const int stepped = sqlite3_backup_step(backup, -1);
    const int finished = sqlite3_backup_finish(backup);
    if (stepped != SQLITE_DONE) throw SqlError(stepped & 0xff, sqlite3_errstr(stepped));
    if (finished != SQLITE_OK) throw SqlError(finished & 0xff, sqlite3_errstr(finished));
}

/// `/home/a/x/model.py` -> `dir1/model.py`: the same folder keeps the same name, so that files stay apart.
class Folders {
public:
    std::string redacted(const std::string& path) {
        const std::size_t slash = path.find_last_of("/\\");
        if (slash == std::string::npos) return path;
        const auto [at, fresh] = numbers_.try_emplace(path.substr(0, slash), numbers_.size() + 1);
        return "dir" + std::to_string(at->second) + "/" + path.substr(slash + 1);
    }

private:
    std::map<std::string, std::size_t> numbers_;
};

void redact(Database& db) {
    Folders folders;
    db.exec("PRAGMA secure_delete=ON");
    Transaction transaction(db);
    const auto rowsOf = [&](const char* select) {
        std::vector<std::pair<std::int64_t, std::string>> rows;
        Statement all(db, select);
        while (all.step()) rows.emplace_back(all.integer(0), all.text(1));
        return rows;
    };
    db.exec("DELETE FROM blob WHERE id IN (SELECT text FROM source WHERE text NOT NULL)");
    Statement source(db, "UPDATE source SET path = ?1, text = NULL WHERE id = ?2");
    for (const auto& [id, path] : rowsOf("SELECT id, path FROM source ORDER BY id")) source.run(folders.redacted(path), id);
    // No new text may meet an old one on the way: they are unique.
    const auto paths = rowsOf("SELECT id, text FROM str WHERE kind = 'path' ORDER BY id");
    db.exec("UPDATE str SET text = 'path ' || id WHERE kind = 'path'");
    Statement place(db, "UPDATE str SET text = ?1 WHERE id = ?2");
    for (const auto& [id, path] : paths) place.run(folders.redacted(path), id);
    db.exec("UPDATE diagnostic SET excerpt = NULL");
    db.exec("DELETE FROM ui_state");
    db.exec("DELETE FROM meta WHERE key = 'writer'");
    transaction.commit();
}

std::vector<std::string> columnsOf(Database& db, const std::string& table, const char* which) {
    std::vector<std::string> out;
    Statement s(db, std::string("SELECT name FROM pragma_table_info(?1) ") + which);
    s.bind(table);
    while (s.step()) out.push_back(s.text(0));
    return out;
}

std::string joined(const std::vector<std::string>& words, const std::string& suffix = {}) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "\"" : ", \"") + word + "\"" + suffix;
    return out;
}

/// Copies rows of one table until a fault. Gives the number of rows; `fault` is set when it did not reach the end.
std::int64_t copyRows(Database& from, Database& to, const std::string& table, const std::vector<std::string>& columns, const std::string& order,
                      bool& fault) {
    std::int64_t rows = 0;
    std::string marks;
    for (std::size_t i = 0; i < columns.size(); ++i) marks += i ? ",?" : "?";
    sqlite3_stmt *read = nullptr, *write = nullptr;
    const std::string select = "SELECT " + joined(columns) + " FROM \"" + table + "\"" + order;
    const std::string insert = "INSERT OR IGNORE INTO \"" + table + "\"(" + joined(columns) + ") VALUES(" + marks + ")";
    fault = sqlite3_prepare_v2(from.handle(), select.c_str(), -1, &read, nullptr) != SQLITE_OK;
    if (!fault && sqlite3_prepare_v2(to.handle(), insert.c_str(), -1, &write, nullptr) == SQLITE_OK) {
        int result = SQLITE_ROW;
        while ((result = sqlite3_step(read)) == SQLITE_ROW) {
            for (int i = 0; i < static_cast<int>(columns.size()); ++i) sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i));
            const int written = sqlite3_step(write);
            sqlite3_reset(write);
            if (written == SQLITE_DONE)
                rows += sqlite3_changes(to.handle());
            else if ((written & 0xff) != SQLITE_CONSTRAINT) {
                const SqlError error(written & 0xff, sqlite3_errmsg(to.handle()));
                sqlite3_finalize(read);
                sqlite3_finalize(write);
                throw error;
            }
        }
        fault = result != SQLITE_DONE;
    }
    sqlite3_finalize(read);
    sqlite3_finalize(write);
    return rows;
}

SalvagedTable salvageTable(Database& from, Database& to, const std::string& table) {
    SalvagedTable out{table, 0, true};
    const auto columns = columnsOf(to, table, "");
    const auto key = columnsOf(to, table, "WHERE pk > 0 ORDER BY pk");
    bool fault = false;
    out.rows = copyRows(from, to, table, columns, "", fault);
    if (!fault) return out;
    out.whole = false;
    out.rows += copyRows(from, to, table, columns, key.empty() ? " ORDER BY rowid DESC" : " ORDER BY " + joined(key, " DESC"), fault);
    return out;
}

std::string quickCheck(Database& db) {
    try {
        const std::string found = db.text("PRAGMA quick_check(1)");
        return found == "ok" ? std::string() : found;
    } catch (const SqlError& e) {
        return e.what();
    }
}

}  // namespace

Status copySession(const std::string& from, const std::string& to, const CopyOptions& options) {
    auto file = SessionFile::open(from);
    if (!file) return fail(file.error());
    try {
        NewFile target(to);
        {
            const auto source = (*file)->connect();
            Database copy(target.working(), Database::Access::Write);
            copyPages(*source, copy);
            if (options.redactPaths) redact(copy);
        }
        target.keep();
    } catch (const SqlError& e) {
        return fail(e.damaged() ? damaged(from, e.what()) : cannotWrite(to, e, "the copy"));
    } catch (const fs::filesystem_error& e) {
        return fail(cannotWrite(to, e.code().message()));
    }
    return {};
}

Result<std::string> checkSession(const std::string& path) {
    auto file = SessionFile::open(path);
    if (!file) {
        if (file.error().code != "S002") return fail(file.error());
        return file.error().sentence();
    }
    try {
        return quickCheck(*(*file)->connect());
    } catch (const SqlError& e) {
        return std::string(e.what());
    }
}

Result<Salvaged> salvageSession(const std::string& from, const std::string& to) {
    auto what = checkSession(from);
    if (!what) return fail(what.error());
    Salvaged out;
    out.what = *what;
    try {
        NewFile target(to);
        {
            Database source(from, Database::Access::Read);
            Database copy(target.working(), Database::Access::Write);
            createSchema(copy);
            std::vector<std::string> tables;
            Statement names(copy, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid");
            while (names.step()) tables.push_back(names.text(0));
            names.reset();
            copy.exec("PRAGMA foreign_keys=OFF");
            Transaction transaction(copy);
            copy.exec("DELETE FROM meta");
            for (const std::string& table : tables) {
                SalvagedTable saved = salvageTable(source, copy, table);
                if (saved.rows > 0 || !saved.whole) out.tables.push_back(std::move(saved));
            }
            // A stage that is cut off from its lane, or a lane from its graph, would be shown as empty.
            copy.exec("DELETE FROM lane WHERE graph NOT IN (SELECT id FROM graph)");
            copy.exec("DELETE FROM stage WHERE lane NOT IN (SELECT id FROM lane)");
            copy.exec("UPDATE lane SET state = 'interrupted' WHERE id IN (SELECT DISTINCT lane FROM stage) AND state = 'running'");
            transaction.commit();
        }
        target.keep();
    } catch (const SqlError& e) {
        return fail(cannotWrite(to, e, "the copy"));
    } catch (const fs::filesystem_error& e) {
        return fail(cannotWrite(to, e.code().message()));
    }
    return out;
}

}  // namespace aliascope
