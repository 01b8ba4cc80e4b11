#pragma once
// A small RAII layer over the C API of sqlite: connections, prepared statements, transactions. Internal to core/recording.
//
// Errors are SqlError exceptions; they never leave core/recording (public functions turn them into Diagnostics).
// Thread-safety: a Database and its statements belong to one thread at a time.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace aliascope::recording {

class SqlError : public std::exception {
public:
    SqlError(int code, std::string message, std::uint64_t pendingBytes = 0)
        : code_(code), message_(std::move(message)), pendingBytes_(pendingBytes) {}
    int code() const { return code_; }  ///< primary result code
    const char* what() const noexcept override { return message_.c_str(); }
    bool diskFull() const;
    /// The bytes of the file are not those of a sound database.
    bool damaged() const;
    bool notADatabase() const;
    bool busy() const;
    bool readOnly() const;
    /// Bytes of the pages in memory when the error came up: about what the transaction would have written.
    std::uint64_t pendingBytes() const { return pendingBytes_; }

private:
    int code_;
    std::string message_;
    std::uint64_t pendingBytes_;
};

/// Bytes to be bound as a BLOB.
struct BlobView {
    std::string_view bytes;
};

class Database {
public:
    enum class Access { Read, ReadImmutable, Write, Create };

    /// Opens `path`; Read never creates. Settings that guard against hostile files are on (trusted_schema off, cell_size_check on).
    Database(const std::string& path, Access access);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void exec(const char* sql);
    void exec(const std::string& sql) { exec(sql.c_str()); }
    /// First column of the first row; 0 or empty when there is none.
    std::int64_t integer(const std::string& sql);
    std::string text(const std::string& sql);
    bool inTransaction() const;
    /// Bytes of the pages in memory, an upper bound of what a transaction has to write.
    std::uint64_t cachedBytes() const;
    /// Folds the log into the file and leaves one file. Throws a busy error when readers are beside: then the log stays, whole.
    void foldLog();
    /// The file's header asks for a write-ahead log.
    bool usesWal() { return text("PRAGMA journal_mode") == "wal"; }
    sqlite3* handle() const { return db_; }

private:
    sqlite3* db_ = nullptr;
};

class Statement {
public:
    Statement(const Database& db, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    Statement(Statement&& other) noexcept : stmt_(other.stmt_), next_(other.next_) { other.stmt_ = nullptr; }

    /// Binds `values` to ?1, ?2, … Texts must live until the statement is reset or run again.
    template <class... T>
    Statement& bind(const T&... values) {
        reset();
        next_ = 1;
        (put(values), ...);
        return *this;
    }
    /// Binds and runs a statement that gives no rows.
    template <class... T>
    void run(const T&... values) {
        bind(values...);
        while (step()) {
        }
        reset();
    }
    /// True while there is a row.
    bool step();
    void reset();

    bool isNull(int column) const;
    std::int64_t integer(int column) const;  ///< 0 for NULL
    double real(int column) const;
    std::string_view view(int column) const;  ///< text or blob; valid until the next step
    std::string text(int column) const { return std::string(view(column)); }
    std::optional<std::int64_t> optionalInteger(int column) const;

    /// Binds the next parameter; bind() without values starts anew.
    void put(std::int64_t v);
    void put(int v) { put(static_cast<std::int64_t>(v)); }
    void put(std::uint32_t v) { put(static_cast<std::int64_t>(v)); }
    void put(std::uint64_t v) { put(static_cast<std::int64_t>(v)); }
    void put(bool v) { put(static_cast<std::int64_t>(v)); }
    void put(double v);
    void put(std::string_view v);
    void put(const std::string& v) { put(std::string_view(v)); }
    void put(const char* v) { put(std::string_view(v)); }
    void put(std::nullptr_t);
    void put(BlobView v);
    template <class T>
    void put(const std::optional<T>& v) {
        v ? put(*v) : put(nullptr);
    }

private:
    sqlite3_stmt* stmt_ = nullptr;
    int next_ = 1;
};

/// BEGIN IMMEDIATE now, ROLLBACK unless commit() was reached.
class Transaction {
public:
    explicit Transaction(Database& db) : db_(db) { db_.exec("BEGIN IMMEDIATE"); }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& db_;
    bool open_ = true;
};

/// NULL for an empty text.
inline std::optional<std::string_view> orNull(std::string_view text) { return text.empty() ? std::nullopt : std::optional(text); }

}  // namespace aliascope::recording
