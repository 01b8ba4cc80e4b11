// `query`: read-only SQL on a session.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/number_text.h"
#include "app/cli/source.h"

namespace aliascope::cli {
namespace {

constexpr int maxRows = 100'000;

/// A cell as JSON: integers and reals are numbers, NULL is null.
Json cellJson(const std::optional<std::string>& cell, char type) {
    if (!cell) return nullptr;
    if (type == 'i')
        if (const auto n = numberIn<std::int64_t>(*cell)) return *n;
    if (type == 'r')
        if (const auto n = numberIn<double>(*cell)) return *n;
    return *cell;
}

/// Column names, a repeated one with `#2`, so that each is a key of its own.
std::vector<std::string> uniqueNames(const std::vector<std::string>& columns) {
    std::vector<std::string> out;
    for (const std::string& column : columns) {
        std::string name = column;
        for (int n = 2; std::find(out.begin(), out.end(), name) != out.end(); ++n) name = fmt::format("{}#{}", column, n);
        out.push_back(name);
    }
    return out;
}

std::string cutBy(const QueryResult& result, int limit) {
    return result.rows.size() == static_cast<std::size_t>(limit) ? "--limit shows more" : "the values of more would not fit into memory";
}

}  // namespace

void runQuery(Command& c) {
    const std::string file = c.args().at(0);
    std::string sql = c.args().at(1);
    if (c.args().has("--tables") && !sql.empty()) usage("--tables is a query of its own; leave the SQL out");
    if (c.args().has("--tables")) sql = "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY type, name";
    if (sql.empty()) usage("`query` needs SQL, or --tables");
    int limit = maxRows;
    if (c.args().has("--limit")) {
        const auto n = numberIn<int>(c.args().get("--limit"));
        if (!n || *n < 1) usage(fmt::format("--limit {}: a number of rows expected", c.args().get("--limit")));
        limit = *n;
    }
    int seconds = 10;
    if (c.args().has("--timeout")) {
        const auto n = numberIn<int>(c.args().get("--timeout"));
        if (!n || *n < 1 || *n > 86'400) usage(fmt::format("--timeout {}: a number of seconds, 1 to 86400, expected", c.args().get("--timeout")));
        seconds = *n;
    }
    const Staged staged = openStaged(c, file);
    const auto result = staged.recording->query(sql, limit, seconds * 1000, c.cancel());
    if (c.cancel().cancelled()) throw Failure{ExitInterrupted, "interrupted"};
    if (!result) throw Failure{exitCodeOf(result.error()) == ExitSession ? ExitSession : ExitUsage, result.error().format()};

    Table table;
    table.empty = "no rows";
    const auto names = uniqueNames(result->columns);
    for (const std::string& name : names) table.columns.push_back({name, name.empty() ? " " : name, false, 80});
    for (std::size_t r = 0; r < result->rows.size(); ++r) {
        Row row;
        row.json = Json::object();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const char type = r < result->types.size() && i < result->types[r].size() ? result->types[r][i] : 't';
            if (type == 'i' && r == 0) table.columns[i].right = true;
            row.cells.push_back(result->rows[r][i].value_or("NULL"));
            row.json[names[i]] = cellJson(result->rows[r][i], type);
        }
        table.rows.push_back(std::move(row));
    }
    if (result->truncated) c.note(fmt::format("only the first {} rows are shown; {}", result->rows.size(), cutBy(*result, limit)));
    if (c.json()) return c.answerJson({{"columns", names}, {"rows", table.json()}, {"truncated", result->truncated}});
    writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
