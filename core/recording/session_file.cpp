#include "core/recording/session_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/recording/migrations.h"
#include "core/recording/writer_mark.h"

namespace aliascope::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdleConnections = 4;

bool canWrite(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0; }

bool folderIsWritable(const fs::path& file) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    return canWrite(folder.string());
}

/// What a killed writer leaves: a log that was not folded into the file, or a journal of a transaction that was not ended.
bool hasBeside(const std::string& path, const char* suffix) {
    std::error_code error;
    const auto size = fs::file_size(path + suffix, error);
    return !error && size > 0;
}

/// Only called on files that sqlite refused: closing a file that sqlite has open in this process would drop its locks.
bool startsWithMagic(const std::string& path) {
    char head[16] = {};
    std::ifstream(path, std::ios::binary).read(head, sizeof head);
    return std::memcmp(head, "SQLite format 3", sizeof head) == 0;
}

Diagnostic refused(const std::string& path, const SqlError& e) {
    if (!e.damaged()) return notASession(path, e.what());
    return startsWithMagic(path) ? damaged(path, e.what()) : notASession(path, "it does not start like one");
}

}  // namespace

Result<std::unique_ptr<SessionFile>> SessionFile::open(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return fail(notASession(path, error ? error.message() : "not a regular file"));
    std::unique_ptr<SessionFile> file(new SessionFile(path));
    try {
        if (!folderIsWritable(path)) {
            if (hasBeside(path, "-wal") || hasBeside(path, "-journal"))
                file->copyToTemporary();
            else
                file->access_ = Database::Access::ReadImmutable;
        }
        file->rollBack();
        auto db = file->connect();
        // The first statement reads the header, so that a file that is no database is told from one that is damaged.
        db->integer("PRAGMA schema_version");
        const Result<int> version = checkIdentity(*db, path);
        if (!version) return fail(version.error());
        if (*version < kSchemaVersion) {
            db.reset();
            if (auto migrated = file->migrateIfOlder(); !migrated) return fail(migrated.error());
            db = file->connect();
            if (const auto again = checkIdentity(*db, path); !again) return fail(again.error());
        }
        file->giveBack(std::move(db));
    } catch (const SqlError& e) {
        return fail(refused(path, e));
    } catch (const fs::filesystem_error& e) {
        return fail(notASession(path, e.code().message()));
    }
    return file;
}

SessionFile::~SessionFile() {
    idle_.clear();
    makeOneFile();
    if (temporaryFolder_.empty()) return;
    std::error_code ignored;
    fs::remove_all(temporaryFolder_, ignored);
}

SessionFile::Lease SessionFile::lease() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto db = std::move(idle_.back());
            idle_.pop_back();
            return Lease(*this, std::move(db));
        }
    }
    return Lease(*this, connect());
}

std::unique_ptr<Database> SessionFile::connect() const {
    auto db = std::make_unique<Database>(opened_, access_);
    db->exec("PRAGMA query_only=ON");
    return db;
}

void SessionFile::giveBack(std::unique_ptr<Database> db) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleConnections) idle_.push_back(std::move(db));
}

bool SessionFile::isWritable() const { return access_ == Database::Access::Read && !isTemporaryCopy() && canWrite(opened_); }

void SessionFile::copyToTemporary() {
    std::string pattern = (fs::temp_directory_path() / "aliascope-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
    temporaryFolder_ = pattern;
    opened_ = (temporaryFolder_ / "session.aliascope").string();
    fs::copy_file(path_, opened_);
    fs::permissions(opened_, fs::perms::owner_read | fs::perms::owner_write);
    for (const char* suffix : {"-wal", "-journal"}) {
        if (!hasBeside(path_, suffix)) continue;
        fs::copy_file(path_ + suffix, opened_ + suffix);
        fs::permissions(opened_ + suffix, fs::perms::owner_read | fs::perms::owner_write);
    }
}

/// Ends a transaction whose writer was killed: a connection that only reads may not.
void SessionFile::rollBack() const {
    if (access_ != Database::Access::Read || !hasBeside(opened_, "-journal") || !canWrite(opened_)) return;
    Database(opened_, Database::Access::Write).integer("PRAGMA schema_version");
}

Status SessionFile::migrateIfOlder() {
    if (!isWritable()) {
        copyToTemporary();
        access_ = Database::Access::Read;
    }
    Database db(opened_, Database::Access::Write);
    return migrate(db, migrationSteps(), kSchemaVersion, path_);
}

/// A writer that ended while we were reading could not fold its log into the file; the last reader does it, if it may.
void SessionFile::makeOneFile() const {
    std::error_code error;
    if (!isWritable() || !fs::exists(opened_ + "-wal", error)) return;
    try {
        Database db(opened_, Database::Access::Write);
        if (writerIsAlive(db.text("SELECT value FROM meta WHERE key = 'writer'"))) return;
        db.exec("PRAGMA busy_timeout=0");
        db.foldLog();
    } catch (const SqlError&) {
    }
}

}  // namespace aliascope::recording
