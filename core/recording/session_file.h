#pragma once
// Opens a session file for reading: finds the way that the place allows, checks what the file is, and hands out connections. Internal to
// core/recording.

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/recording/database.h"
#include "core/support/result.h"

namespace aliascope::recording {

/// Thread-safe: each lease is a connection of its own.
class SessionFile {
public:
    /// Errors: S001, S002, R003 (see Recording::open).
    static Result<std::unique_ptr<SessionFile>> open(const std::string& path);
    ~SessionFile();

    class Lease {
    public:
        Lease(SessionFile& owner, std::unique_ptr<Database> db) : owner_(owner), db_(std::move(db)) {}
        ~Lease() { owner_.giveBack(std::move(db_)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Database& operator*() const { return *db_; }
        Database* operator->() const { return db_.get(); }

    private:
        SessionFile& owner_;
        std::unique_ptr<Database> db_;
    };
    /// A read-only connection; waits for nobody. Throws SqlError when the file cannot be opened any more.
    Lease lease();
    /// A new connection that no one else will get, for settings that stay with it.
    std::unique_ptr<Database> connect() const;

    const std::string& path() const { return path_; }
    /// The file lies in a folder without write permission and had a left-over log: a copy was opened.
    bool isTemporaryCopy() const { return !temporaryFolder_.empty(); }
    /// Bookmarks and the like can be stored in the file itself.
    bool isWritable() const;

private:
    explicit SessionFile(std::string path) : path_(path), opened_(std::move(path)) {}
    void giveBack(std::unique_ptr<Database> db);
    void copyToTemporary();
    void rollBack() const;
    Status migrateIfOlder();
    void makeOneFile() const;

    std::string path_;                       ///< as given
    std::string opened_;                     ///< the file that connections open
    std::filesystem::path temporaryFolder_;  ///< removed at the end; empty = none
    Database::Access access_ = Database::Access::Read;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Database>> idle_;
};

}  // namespace aliascope::recording
