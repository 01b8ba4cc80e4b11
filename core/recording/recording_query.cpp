// Read-only SQL of users: one statement, nothing but reading, bounded in time and rows.

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "core/recording/recording_impl.h"

namespace aliascope {

using namespace recording;

namespace {

using Clock = std::chrono::steady_clock;

/// Virtual-machine steps between two looks at the clock.
constexpr int kStepsPerCheck = 10'000;
constexpr int kMaxValueBytes = 64 << 20;
constexpr std::size_t kMaxResultBytes = 256u << 20;

/// Table-valued pragmas that only describe the schema.
bool describesSchema(const char* pragma) {
    for (const char* allowed :
         {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "function_list"})
        if (sqlite3_stricmp(pragma, allowed) == 0) return true;
    return false;
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
    switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE:
            return SQLITE_OK;
        case SQLITE_FUNCTION:
            // The second gives away where code lies in memory.
            return sqlite3_stricmp(second, "load_extension") == 0 || sqlite3_stricmp(second, "fts3_tokenizer") == 0 ? SQLITE_DENY : SQLITE_OK;
        // Asked when a table-valued pragma declares its columns; a statement that writes is refused below, and the connection cannot write.
        case SQLITE_UPDATE:
            return sqlite3_stricmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
        case SQLITE_PRAGMA:
            return describesSchema(first) ? SQLITE_OK : SQLITE_DENY;
        default:
            return SQLITE_DENY;
    }
}

struct Patience {
    Clock::time_point deadline;
    CancelToken cancel;
};

int exhausted(void* patience) {
    const auto& p = *static_cast<const Patience*>(patience);
    return p.cancel.cancelled() || Clock::now() >= p.deadline ? 1 : 0;
}

bool isWordOf(std::string_view sql, std::string_view word) {
    if (sql.size() < word.size() || sqlite3_strnicmp(sql.data(), word.data(), static_cast<int>(word.size())) != 0) return false;
    return sql.size() == word.size() || !(std::isalnum(static_cast<unsigned char>(sql[word.size()])) || sql[word.size()] == '_');
}

/// Without leading blanks, comments and semicolons.
std::string_view skipBlank(std::string_view sql) {
    for (;;) {
        const auto at = sql.find_first_not_of(" \t\r\n\f;");
        sql = at == std::string_view::npos ? std::string_view() : sql.substr(at);
        if (sql.starts_with("--")) {
            const auto end = sql.find('\n');
            sql = end == std::string_view::npos ? std::string_view() : sql.substr(end);
        } else if (sql.starts_with("/*")) {
            const auto end = sql.find("*/", 2);
            sql = end == std::string_view::npos ? std::string_view() : sql.substr(end + 2);
        } else {
            return sql;
        }
    }
}

Diagnostic refused(const std::string& found) { return userError("R014", {{"want", "one SELECT, WITH or EXPLAIN statement"}, {"got", found}}); }

char typeLetter(int type) {
    switch (type) {
        case SQLITE_INTEGER:
            return 'i';
        case SQLITE_FLOAT:
            return 'r';
        case SQLITE_TEXT:
            return 't';
        case SQLITE_BLOB:
            return 'b';
        default:
            return 'n';
    }
}

std::string hexOf(const void* data, int size) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    const auto* bytes = static_cast<const unsigned char*>(data);
    out.reserve(2 * static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 15];
    }
    return out;
}

/// The connection is guarded before the statement is prepared, so that a view of the file cannot do what the statement may not.
class GuardedQuery {
public:
    GuardedQuery(sqlite3* db, int maxMs, const CancelToken& cancel) : db_(db), patience_{Clock::now() + std::chrono::milliseconds(maxMs), cancel} {
        sqlite3_set_authorizer(db_, authorize, nullptr);
        sqlite3_progress_handler(db_, kStepsPerCheck, exhausted, &patience_);
        sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    }
    ~GuardedQuery() {
        sqlite3_finalize(stmt_);
        sqlite3_progress_handler(db_, 0, nullptr, nullptr);
        sqlite3_set_authorizer(db_, nullptr, nullptr);
    }
    GuardedQuery(const GuardedQuery&) = delete;
    GuardedQuery& operator=(const GuardedQuery&) = delete;

    Result<QueryResult> run(std::string_view sql, int maxRows, int maxMs) {
        const std::string_view text = skipBlank(sql);
        if (!isWordOf(text, "SELECT") && !isWordOf(text, "WITH") && !isWordOf(text, "EXPLAIN") && !isWordOf(text, "VALUES"))
            return fail(refused(text.empty() ? "nothing" : std::string(text.substr(0, 30))));
        const char* tail = nullptr;
        if (sqlite3_prepare_v2(db_, text.data(), static_cast<int>(text.size()), &stmt_, &tail) != SQLITE_OK) return fail(error(maxMs));
        if (!sqlite3_stmt_readonly(stmt_)) return fail(refused("a statement that writes"));
        if (!skipBlank(text.substr(static_cast<std::size_t>(tail - text.data()))).empty()) return fail(refused("a second statement"));
        QueryResult result;
        const int columns = sqlite3_column_count(stmt_);
        for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(stmt_, i));
        for (;;) {
            const int code = sqlite3_step(stmt_);
            if (code == SQLITE_DONE) return result;
            const bool cancelled = code == SQLITE_INTERRUPT && patience_.cancel.cancelled();
            if (code != SQLITE_ROW && !cancelled) return fail(error(maxMs));
            if (cancelled || result.rows.size() == static_cast<std::size_t>(std::max(maxRows, 0)) || bytes_ > kMaxResultBytes) {
                result.truncated = true;
                return result;
            }
            addRow(result, columns);
        }
    }

private:
    void addRow(QueryResult& result, int columns) {
        std::vector<std::optional<std::string>> row;
        std::vector<char> types;
        for (int i = 0; i < columns; ++i) {
            const int type = sqlite3_column_type(stmt_, i);
            types.push_back(typeLetter(type));
            if (type == SQLITE_NULL) {
                row.emplace_back();
            } else if (type == SQLITE_BLOB) {
                row.emplace_back(hexOf(sqlite3_column_blob(stmt_, i), sqlite3_column_bytes(stmt_, i)));
            } else {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, i));
                row.emplace_back(std::string(text ? text : "", text ? static_cast<std::size_t>(sqlite3_column_bytes(stmt_, i)) : 0));
            }
            if (row.back()) bytes_ += row.back()->size();
        }
        result.rows.push_back(std::move(row));
        result.types.push_back(std::move(types));
    }

    Diagnostic error(int maxMs) const {
        if (sqlite3_errcode(db_) == SQLITE_INTERRUPT)
            return userError("R050", {{"what", "time of the query"}, {"limit", std::to_string(maxMs) + " ms"}, {"option", "--timeout"}});
        const std::string words = sqlite3_errmsg(db_);
        if (sqlite3_errcode(db_) == SQLITE_AUTH) return refused("something else (" + words + ")");
        Diagnostic d = userError("R014", {{"want", "SQL that sqlite can run"}, {"got", words}});
        if (words.starts_with("no such table") || words.starts_with("no such column")) d.note = "--tables lists tables and views";
        return d;
    }

    sqlite3* db_;
    sqlite3_stmt* stmt_ = nullptr;
    Patience patience_;
    std::size_t bytes_ = 0;  // of the values so far
};

}  // namespace

Result<QueryResult> Recording::query(const std::string& sql, int maxRows, int maxMs, const CancelToken& cancel) const {
    try {
        const auto db = impl_->file->connect();
        return GuardedQuery(db->handle(), maxMs, cancel).run(sql, maxRows, maxMs);
    } catch (const SqlError& e) {
        impl_->note(e);
        return fail(userError("S002", {{"what", e.what()}}));
    }
}

}  // namespace aliascope
