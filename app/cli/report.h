#pragma once
// Answers in the forms that users ask for: aligned table, Markdown, CSV, JSON envelope, JSON lines.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "core/support/amount_text.h"

namespace aliascope::cli {

using Json = nlohmann::ordered_json;
using words::bytesText;
using words::grouped;
using words::timeText;

enum class Format { Table, Json, NdJson, Csv, Markdown, Junit };  ///< Junit: of `check` alone
std::optional<Format> formatFromName(std::string_view name);

struct Column {
    std::string key;    ///< in JSON and CSV
    std::string title;  ///< in tables; empty = not shown there
    bool right = false;
    std::size_t most = 0;  ///< longest shown, 0 = no limit
};

struct Row {
    std::vector<std::string> cells;  ///< by column
    Json json;                       ///< object with at least the columns' keys
    Output::Style style = Output::Style::Plain;
};

struct Table {
    std::vector<Column> columns;
    std::vector<Row> rows;
    std::string empty;  ///< said when there are no rows

    Json json() const;  ///< array of the rows' objects
};

/// Table, Markdown, CSV or JSON lines.
void writeTable(Output& out, const Table& table, Format format);

/// Columns that a text takes on a terminal, one per code point.
std::size_t widthOf(std::string_view text);

Json orNull(const std::optional<std::int64_t>& n);
Json orNull(const std::string& text);

}  // namespace aliascope::cli
