#include "core/recording/migrations.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace aliascope::embedded {
extern const std::string_view schema_sql;
}

namespace aliascope::recording {
namespace {

/// Names of the tables and views of schema.sql.
const std::set<std::string, std::less<>>& expectedNames() {
    static const std::set<std::string, std::less<>> names = [] {
        std::set<std::string, std::less<>> out;
        for (std::string_view word : {"CREATE TABLE ", "CREATE VIEW "}) {
            const std::string_view sql = embedded::schema_sql;
            for (auto at = sql.find(word); at != std::string_view::npos; at = sql.find(word, at + 1)) {
                const auto begin = at + word.size();
                out.emplace(sql.substr(begin, sql.find_first_of(" (", begin) - begin));
            }
        }
        return out;
    }();
    return names;
}

/// What the list of tables lacks or has too much; empty when all is well.
std::string schemaFault(Database& db) {
    std::set<std::string, std::less<>> missing = expectedNames();
    Statement s(db, "SELECT type, name, sql FROM sqlite_schema");
    while (s.step()) {
        const std::string_view type = s.view(0);
        if (type == "trigger") return "unexpected trigger " + s.text(1);
        if (type == "table" && s.view(2).starts_with("CREATE VIRTUAL")) return "unexpected virtual table " + s.text(1);
        if (const auto it = missing.find(s.view(1)); it != missing.end()) missing.erase(it);
    }
    return missing.empty() ? std::string() : "no table " + *missing.begin();
}

}  // namespace

std::span<const MigrationStep> migrationSteps() { return {}; }

Status migrate(Database& db, std::span<const MigrationStep> steps, int target, const std::string& path) {
    Transaction transaction(db);
    int version = static_cast<int>(db.integer("PRAGMA user_version"));
    while (version < target) {
        const auto step = std::find_if(steps.begin(), steps.end(), [&](const MigrationStep& s) { return s.from == version; });
        if (step == steps.end()) return fail(damaged(path, "no way from schema " + std::to_string(version) + " to " + std::to_string(target)));
        step->apply(db);
        ++version;
        db.exec("PRAGMA user_version=" + std::to_string(version));
    }
    transaction.commit();
    return {};
}

void createSchema(Database& db) {
    Transaction transaction(db);
    db.exec(std::string(embedded::schema_sql));
    db.exec("PRAGMA application_id=" + std::to_string(kApplicationId));
    db.exec("PRAGMA user_version=" + std::to_string(kSchemaVersion));
    transaction.commit();
}

bool isEmptyDatabase(Database& db) { return db.integer("PRAGMA application_id") == 0 && db.integer("SELECT count(*) FROM sqlite_schema") == 0; }

Result<int> checkIdentity(Database& db, const std::string& path) {
    try {
        if (isEmptyDatabase(db)) return fail(notASession(path, "the file is empty"));
        if (db.integer("PRAGMA application_id") != kApplicationId) return fail(damaged(path, "a database of another program"));
        const std::int64_t version = db.integer("PRAGMA user_version");
        if (version > kSchemaVersion) {
            Diagnostic d = userError("S001", {{"got", std::to_string(version)}, {"want", std::to_string(kSchemaVersion)}});
            d.file = path;
            return fail(std::move(d));
        }
        const std::string check = db.text("PRAGMA quick_check(1)");
        if (check != "ok") return fail(damaged(path, check));
        if (version == kSchemaVersion) {
            const std::string fault = schemaFault(db);
            if (!fault.empty()) return fail(damaged(path, fault));
        }
        return static_cast<int>(version);
    } catch (const SqlError& e) {
        return fail(damaged(path, e.what()));
    }
}

Diagnostic damaged(const std::string& path, const std::string& what) {
    Diagnostic d = userError("S002", {{"what", what}});
    d.file = path;
    return d;
}

Diagnostic notASession(const std::string& path, const std::string& why) {
    Diagnostic d = userError("R003", {{"list", "a session"}});
    d.file = path;
    d.note = why;
    return d;
}

}  // namespace aliascope::recording
