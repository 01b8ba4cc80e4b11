#pragma once
// The version of a session file: creating it, recognising it, bringing an older one up to date. Internal to core/recording.
//
// Rules (session.md 1.1): application_id "ALSC", user_version = schema number. A newer file is refused with both numbers. An older one is
// migrated by numbered steps inside one transaction; a step is never changed once a release has written its result.

#include <cstdint>
#include <span>
#include <string>

#include "core/recording/database.h"
#include "core/support/result.h"

namespace aliascope::recording {

constexpr std::int64_t kApplicationId = 0x414C5343;
constexpr int kSchemaVersion = 1;

/// Brings a file of schema `from` to `from + 1`. Runs inside the transaction of migrate().
struct MigrationStep {
    int from;
    void (*apply)(Database& db);
};

/// The steps of this build, ascending. Empty while there is only one schema.
std::span<const MigrationStep> migrationSteps();
/// S002 when a step on the way to `target` is missing; then nothing has changed.
Status migrate(Database& db, std::span<const MigrationStep> steps, int target, const std::string& path);

/// Tables, views, application_id and user_version, in one transaction; nothing when the file is not empty (any more).
void createSchema(Database& db);
/// No table yet: a file that was just made, or whose maker died before its first transaction ended.
bool isEmptyDatabase(Database& db);
/// Errors: S001 (newer), S002 (wrong id, damaged, a table missing, a trigger or virtual table that no session has), R003 (not a session at all).
/// Returns the schema number.
Result<int> checkIdentity(Database& db, const std::string& path);

/// S002 for `path` with sqlite's words or ours.
Diagnostic damaged(const std::string& path, const std::string& what);
Diagnostic notASession(const std::string& path, const std::string& why);

}  // namespace aliascope::recording
