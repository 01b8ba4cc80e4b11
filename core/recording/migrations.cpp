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

/// Sizes of a usual session, as ANALYZE would store them. Without any the planner takes `lane = ?` for as selective as `lane = ? AND uid = ?` and
/// reads the whole lane for every edge; these make the same plan in every file, from the first stage on.
constexpr const char* kStatistics =
    "ANALYZE;"
    "INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES"
    "('node', 'node_uid', '6000 3000 2 1'), ('node', 'node_last', '6000 3000 1000 500'), ('node', 'node_name', '6000 3000 2'),"
    "('node', 'node_storage', '5000 2500 3 2'), ('use', 'use', '10000 2 1'), ('use', 'use_uid', '10000 4 1'), ('part', 'part', '300 3 1'),"
    "('storage', 'storage', '2000 1000 2 1'), ('str', 'sqlite_autoindex_str_1', '6000 1000 1'), ('type', 'sqlite_autoindex_type_1', '300 1'),"
    "('lane', NULL, '2'), ('graph', NULL, '2'), ('stage', 'sqlite_autoindex_stage_1', '60 30 1'), ('stage', 'sqlite_autoindex_stage_2', '60 30 1'),"
    "('rewrite', 'sqlite_autoindex_rewrite_1', '3000 100 1'), ('rewrite_node', 'rewrite_node', '9000 3 2 1'), ('rewrite_node', 'rewrite_uid', '9000 "
    "3'),"
    "('decision', 'sqlite_autoindex_decision_1', '600 60 1'), ('decision', 'decision_uid', '600 3'), ('decision', 'decision_code', '600 40'),"
    "('check_step', 'check_step', '3000 5 1'), ('run', NULL, '30'), ('mem_event', 'mem_event', '1000000 100000 1'),"
    "('mem_storage', 'mem_storage', '500000 50000 1'), ('mem_live', 'mem_live', '5000 500 20 1'), ('mem_level', 'mem_level', '20000 2000 1000 1'),"
    "('digest', 'digest', '90000 3000 1 1 1'), ('timing', 'timing', '9000 3000 5 5 1');"
    "ANALYZE sqlite_schema;";

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
    if (!isEmptyDatabase(db)) return;  // another process was first
    db.exec(std::string(embedded::schema_sql));
    db.exec(kStatistics);
    db.exec("PRAGMA application_id=" + std::to_string(kApplicationId));
    db.exec("PRAGMA user_version=" + std::to_string(kSchemaVersion));
    transaction.commit();
}

bool isEmptyDatabase(Database& db) { return db.integer("PRAGMA application_id") == 0 && db.integer("SELECT count(*) FROM sqlite_schema") == 0; }

Result<int> checkIdentity(Database& db, const std::string& path) {
    try {
        if (isEmptyDatabase(db)) return fail(notASession(path, "the file is empty: its writer ended before the first graph was in it"));
        if (db.integer("PRAGMA application_id") != kApplicationId) return fail(damaged(path, "a database of another program"));
        const std::int64_t version = db.integer("PRAGMA user_version");
        if (version > kSchemaVersion) {
            Diagnostic d = userError("S001", {{"got", std::to_string(version)}, {"want", std::to_string(kSchemaVersion)}});
            d.file = path;
            return fail(std::move(d));
        }
        const std::string check = db.text("PRAGMA quick_check(1)");
        // A heading of sqlite's ("*** in database main ***") may stand in a line before the fault.
        if (check != "ok") return fail(damaged(path, check.substr(check.rfind('\n') + 1)));
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
