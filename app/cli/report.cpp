#include "app/cli/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace aliascope::cli {
namespace {

std::string cut(std::string text, std::size_t most) {
    if (most == 0 || widthOf(text) <= most) return text;
    std::size_t bytes = 0, characters = 0;
    while (bytes < text.size() && characters + 1 < most) {
        ++bytes;
        while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
        ++characters;
    }
    return text.substr(0, bytes) + "…";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string blanks(width - std::min(width, widthOf(text)), ' ');
    return right ? blanks + text : text + blanks;
}

void writeAligned(Output& out, const Table& table) {
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) widths.push_back(widthOf(column.title));
    std::vector<std::vector<std::string>> shown;
    for (const Row& row : table.rows) {
        auto& cells = shown.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            cells.push_back(cut(escaped(i < row.cells.size() ? row.cells[i] : ""), table.columns[i].most));
            widths[i] = std::max(widths[i], widthOf(cells.back()));
        }
    }
    auto line = [&](const std::vector<std::string>& cells, Output::Style style) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (!table.columns[i].title.empty()) text += (text.empty() ? "" : "  ") + padded(cells[i], widths[i], table.columns[i].right);
        text.erase(text.find_last_not_of(' ') + 1);
        out.write(out.styled(style, text) + "\n");
    };
    std::vector<std::string> titles;
    for (const Column& column : table.columns) titles.push_back(column.title);
    line(titles, Output::Style::Bold);
    for (std::size_t r = 0; r < shown.size(); ++r) line(shown[r], table.rows[r].style);
}

void writeMarkdown(Output& out, const Table& table) {
    std::string head = "|", rule = "|";
    for (const Column& column : table.columns) {
        if (column.title.empty()) continue;
        head += " " + escaped(column.title) + " |";
        rule += column.right ? "---:|" : "---|";
    }
    out.write(head + "\n" + rule + "\n");
    for (const Row& row : table.rows) {
        std::string text = "|";
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (table.columns[i].title.empty()) continue;
            std::string cell = escaped(i < row.cells.size() ? row.cells[i] : "");
            for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, "\\");
            text += " " + cell + " |";
        }
        out.write(text + "\n");
    }
}

std::string csvField(const Json& value) {
    std::string text;
    if (value.is_string())
        text = value.get<std::string>();
    else if (value.is_object() && value.contains("name"))
        return csvField(value["name"]);
    else if (!value.is_null())
        text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

void writeCsv(Output& out, const Table& table) {
    std::string head;
    for (std::size_t i = 0; i < table.columns.size(); ++i) head += (i ? "," : "") + csvField(table.columns[i].key);
    out.writeForeign(head + "\n");
    for (const Row& row : table.rows) {
        std::string text;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const auto found = row.json.find(table.columns[i].key);
            text += (i ? "," : "") + (found == row.json.end() ? std::string() : csvField(*found));
        }
        out.writeForeign(text + "\n");
    }
}

}  // namespace

std::optional<Format> formatFromName(std::string_view name) {
    if (name == "table") return Format::Table;
    if (name == "json") return Format::Json;
    if (name == "ndjson") return Format::NdJson;
    if (name == "csv") return Format::Csv;
    if (name == "md") return Format::Markdown;
    return std::nullopt;
}

Json Table::json() const {
    Json out = Json::array();
    for (const Row& row : rows) out.push_back(row.json);
    return out;
}

void writeTable(Output& out, const Table& table, Format format) {
    switch (format) {
        case Format::Csv:
            return writeCsv(out, table);
        case Format::Markdown:
            return writeMarkdown(out, table);
        case Format::NdJson:
            for (const Row& row : table.rows) out.writeForeign(row.json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
            return;
        case Format::Table:
        case Format::Json:
        case Format::Junit:
            break;
    }
    if (table.rows.empty() && !table.empty.empty()) return out.write(escaped(table.empty) + "\n");
    writeAligned(out, table);
}

std::size_t widthOf(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Json orNull(const std::optional<std::int64_t>& n) { return n ? Json(*n) : Json(nullptr); }
Json orNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace aliascope::cli
