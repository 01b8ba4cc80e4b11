#include "core/recording/database.h"

#include <sqlite3.h>

#include <cstddef>

namespace aliascope::recording {
namespace {

/// Milliseconds that a statement waits for another connection's lock.
constexpr int kBusyTimeoutMs = 5000;

std::uint64_t bytesInCache(sqlite3* db) {
    int used = 0, highest = 0;
    if (db) sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0);
    return static_cast<std::uint64_t>(used);
}

[[noreturn]] void raise(sqlite3* db, int code) {
    const std::string message = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    throw SqlError(code & 0xff, message, bytesInCache(db));
}

void check(sqlite3* db, int code) {
    if (code != SQLITE_OK) raise(db, code);
}

/// `file:` URI of a path: the characters that would end the path are escaped.
std::string uriOf(const std::string& path, const char* query) {
    static const char hex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (char c : path) {
        if (c == '%' || c == '?' || c == '#') {
            uri += '%';
            uri += hex[static_cast<unsigned char>(c) >> 4];
            uri += hex[c & 15];
        } else {
            uri += c;
        }
    }
    return uri + query;
}

int flagsOf(Database::Access access) {
    switch (access) {
        case Database::Access::Read:
        case Database::Access::ReadImmutable:
            return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
        case Database::Access::Write:
            return SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI;
        case Database::Access::Create:
            break;
    }
    return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
}

}  // namespace

bool SqlError::diskFull() const { return code_ == SQLITE_FULL; }
bool SqlError::damaged() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }
bool SqlError::notADatabase() const { return code_ == SQLITE_NOTADB; }
bool SqlError::busy() const { return code_ == SQLITE_BUSY || code_ == SQLITE_LOCKED; }
bool SqlError::readOnly() const { return code_ == SQLITE_READONLY || code_ == SQLITE_CANTOPEN || code_ == SQLITE_PERM; }

Database::Database(const std::string& path, Access access) {
    // Statistics of memory that nobody reads take a lock at every allocation. Has no effect once a database was opened; then it does no harm either.
    static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)configured;
    const std::string uri = uriOf(path, access == Access::ReadImmutable ? "?immutable=1" : "");
    const int code = sqlite3_open_v2(uri.c_str(), &db_, flagsOf(access) | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
        const SqlError error(code & 0xff, db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(code));
        sqlite3_close_v2(db_);
        throw error;
    }
    sqlite3_busy_timeout(db_, kBusyTimeoutMs);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_limit(db_, SQLITE_LIMIT_ATTACHED, 0);
    try {
        exec("PRAGMA cell_size_check=ON");
    } catch (...) {
        sqlite3_close_v2(db_);
        throw;
    }
}

Database::~Database() { sqlite3_close_v2(db_); }

void Database::exec(const char* sql) { check(db_, sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }

std::int64_t Database::integer(const std::string& sql) {
    Statement s(*this, sql);
    return s.step() ? s.integer(0) : 0;
}

std::string Database::text(const std::string& sql) {
    Statement s(*this, sql);
    return s.step() ? s.text(0) : std::string();
}

bool Database::inTransaction() const { return sqlite3_get_autocommit(db_) == 0; }

void Database::foldLog() {
    const bool whole = integer("PRAGMA wal_checkpoint(FULL)") == 0;
    exec("PRAGMA busy_timeout=0");
    // Once everything is on the disk, two bytes in one sector of the header are left to change, and both states of it open: no need to wait thrice.
    if (whole) exec("PRAGMA synchronous=OFF");
    exec("PRAGMA journal_mode=DELETE");
}

std::uint64_t Database::cachedBytes() const { return bytesInCache(db_); }

Statement::Statement(const Database& db, std::string_view sql) {
    check(db.handle(), sqlite3_prepare_v3(db.handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &stmt_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(stmt_); }

bool Statement::step() {
    const int code = sqlite3_step(stmt_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    sqlite3* db = sqlite3_db_handle(stmt_);
    try {
        raise(db, code);
    } catch (...) {
        sqlite3_reset(stmt_);
        throw;
    }
}

void Statement::reset() { sqlite3_reset(stmt_); }

bool Statement::isNull(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(stmt_, column); }
double Statement::real(int column) const { return sqlite3_column_double(stmt_, column); }

std::string_view Statement::view(int column) const {
    const void* data = sqlite3_column_type(stmt_, column) == SQLITE_BLOB ? sqlite3_column_blob(stmt_, column)
                                                                         : static_cast<const void*>(sqlite3_column_text(stmt_, column));
    const int size = sqlite3_column_bytes(stmt_, column);
    return data ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size)) : std::string_view();
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const { return isNull(column) ? std::nullopt : std::optional(integer(column)); }

void Statement::put(std::int64_t v) { sqlite3_bind_int64(stmt_, next_++, v); }
void Statement::put(double v) { sqlite3_bind_double(stmt_, next_++, v); }
void Statement::put(std::nullptr_t) { sqlite3_bind_null(stmt_, next_++); }

void Statement::put(std::string_view v) {
    const char* data = v.data() ? v.data() : "";  // a null pointer would bind NULL
    sqlite3_bind_text64(stmt_, next_++, data, v.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::put(BlobView v) { sqlite3_bind_blob64(stmt_, next_++, v.bytes.data(), v.bytes.size(), SQLITE_STATIC); }

void Transaction::commit() {
    // A commit that fails rolls back at once: afterwards the pages are gone.
    const std::uint64_t pending = db_.cachedBytes();
    try {
        db_.exec("COMMIT");
    } catch (const SqlError& e) {
        throw SqlError(e.code(), e.what(), pending);
    }
    open_ = false;
}

Transaction::~Transaction() {
    // sqlite rolls back by itself on some errors (disk full): then there is nothing left to do.
    if (!open_ || !db_.inTransaction()) return;
    try {
        db_.exec("ROLLBACK");
    } catch (const SqlError&) {
    }
}

}  // namespace aliascope::recording
