// `numerics`: the values of a lane's stages side by side (ui.md 2.9).

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/decision_view.h"
#include "app/cli/execution.h"
#include "core/recording/value_matrix.h"

namespace aliascope::cli {
namespace {

/// Opens the session for writing. One that cannot be written is copied to a temporary place.
void makeWritable(Staged& staged) {
    if (staged.recorder) return;
    if (auto recorder = Recorder::create(staged.recording->path())) {
        staged.recorder = std::move(*recorder);
        return;
    }
    const std::string copy = staged.folder.file("numerics.aliascope");
    std::error_code error;
    std::filesystem::copy_file(staged.recording->path(), copy, error);
    if (!error) std::filesystem::permissions(copy, std::filesystem::perms::owner_write, std::filesystem::perm_options::add, error);
    auto opened = error ? Result<std::shared_ptr<Recording>>(staged.recording) : Recording::open(copy);
    if (!opened) endWith(opened.error());
    staged.recording = *opened;
}

/// Runs the stages and keeps what comes out in the session, which for a plain file is a temporary one.
void runStages(Command& c, Staged& staged) {
    makeWritable(staged);
    auto runs = prepareRuns(c, staged, stageRunOptions(c));
    std::vector<int> all;
    for (const StageRow& stage : runs->stages()) all.push_back(stage.idx);
    const int before = c.exit();
    const std::string path = staged.recording->path();
    executeAndRecord(c, staged, *runs, all, path);
    closeSession(c, staged, runs);
    auto reopened = Recording::open(path);
    if (!reopened) endWith(reopened.error());
    staged.recording = *reopened;
    // A difference is what was asked about; it is a failure only with --exit-code.
    if (before == ExitOk && c.exit() == ExitNotFound) c.resetExit();
}

/// With errors against doubles: of the first stage's value and of this one.
std::string cellText(const ComparedRow& row) {
    if (row.errorA && row.errorB) return fmt::format("{} {} -> {}", row.glyph(), numberText(*row.errorA), numberText(*row.errorB));
    return row.verdict == "differs" && row.maxAbs ? fmt::format("{} {}", row.glyph(), numberText(*row.maxAbs)) : std::string(1, row.glyph());
}

Json cellJson(const ComparisonRow& column, const ComparedRow& row) {
    const auto number = [](const std::optional<double>& n) { return n ? numberJson(*n) : Json(nullptr); };
    return {{"stage", column.stageNameB}, {"idx", column.stageB},          {"verdict", row.verdict},
            {"inherited", row.inherited}, {"max_abs", number(row.maxAbs)}, {"max_rel", number(row.maxRel)},
            {"ulp", number(row.ulp)},     {"at", orNull(row.at)},          {"a", orNull(row.a)},
            {"b", orNull(row.b)},         {"error_a", number(row.errorA)}, {"error_b", number(row.errorB)}};
}

bool hasErrors(const ValueMatrix& m) {
    return std::any_of(m.rows.begin(), m.rows.end(), [](const ValueMatrix::Row& row) {
        return std::any_of(row.cells.begin(), row.cells.end(), [](const auto& cell) { return cell && cell->errorA; });
    });
}

/// Values that agree everywhere are told by their number only, unless one was asked for.
bool isShown(const ValueMatrix::Row& row, const std::string& node, bool everything) {
    if (!node.empty())
        return std::any_of(row.cells.begin(), row.cells.end(),
                           [&](const auto& cell) { return cell && (cell->nodeA == node || cell->nodeB == node); });
    return everything || row.differs() || row.label.starts_with("returned value") || row.label.ends_with("after the run");
}

Row rowOf(const ValueMatrix& m, const ValueMatrix::Row& value, const Table& table) {
    Row row;
    row.cells.push_back(value.label);
    Json shown = Json::array();
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
        const auto& cell = value.cells[i];
        row.cells.push_back(cell ? cellText(*cell) : "-");
        if (cell) shown.push_back(cellJson(m.columns[i], *cell));
    }
    if (value.differs()) row.style = Output::Style::Red;
    row.json = {{"value", row.cells.front()}, {"cells", std::move(shown)}};
    for (std::size_t i = 0; i < m.columns.size(); ++i) row.json[table.columns[i + 1].key] = row.cells[i + 1];
    return row;
}

Table matrixTable(const ValueMatrix& m, const std::string& node, std::int64_t limit) {
    constexpr std::size_t showAllBelow = 40;
    Table table;
    table.columns.push_back({"value", "value", false, 60});
    for (const ComparisonRow& column : m.columns)
        table.columns.push_back({fmt::format("stage_{}", column.stageB), fmt::format("{} {}", column.stageB, column.stageNameB)});
    table.empty = node.empty() ? "no stage was compared with the first" : "no compared value of that name";
    for (const ValueMatrix::Row& value : m.rows) {
        if (!isShown(value, node, m.rows.size() <= showAllBelow)) continue;
        if (limit > 0 && static_cast<std::int64_t>(table.rows.size()) == limit) break;
        table.rows.push_back(rowOf(m, value, table));
    }
    return table;
}

std::string sentenceOf(const ComparisonRow& column, const ComparedRow& row) {
    std::string out =
        fmt::format("first divergence: stage {} {}, {}", column.stageB, column.stageNameB, row.label.empty() ? column.first : row.label);
    if (row.maxAbs) out += fmt::format(" (max abs {} at {}: {} became {})", numberText(*row.maxAbs), row.at, row.a, row.b);
    return out;
}

}  // namespace

void runNumerics(Command& c) {
    std::string node = c.args().get("--node");
    if (node.starts_with("%")) node.erase(0, 1);
    std::int64_t limit = 0;
    if (c.args().has("--limit")) {
        const auto n = parseAmount(c.args().get("--limit"));
        if (!n || *n < 1) usage(fmt::format("--limit {}: a number from 1 expected", c.args().get("--limit")));
        limit = *n;
    }
    Staged staged = openStaged(c, c.args().at(0), {}, Writing::GoesOn);
    const auto options = {"--rtol", "--atol", "--inputs", "--seed", "--device", "--reference", "--alias", "--bind"};
    const bool fresh = std::any_of(options.begin(), options.end(), [&](const char* option) { return c.args().has(option); });
    if (fresh || staged.recording->comparisons(staged.lane.id).empty()) runStages(c, staged);
    const ValueMatrix matrix = valueMatrix(*staged.recording, staged.lane.id);
    const Table table = matrixTable(matrix, node, limit);
    const auto first = staged.recording->firstDivergence(staged.lane.id);
    const bool differs = matrix.differs();
    if (differs && c.args().has("--exit-code")) c.setExit(ExitNotFound);
    if (c.json()) {
        Json columns = Json::array();
        for (const ComparisonRow& r : matrix.columns)
            columns.push_back({{"stage", r.stageNameB},
                               {"idx", r.stageB},
                               {"earlier", r.stageNameA},
                               {"policy", r.policy},
                               {"verdict", r.verdict},
                               {"first", orNull(r.first)}});
        Json begins = nullptr;
        if (first && differs) {
            begins = cellJson(first->first, first->second);
            begins["value"] = first->second.label;
            begins["node"] = {{"name", first->second.nodeB}, {"stage", first->first.stageNameB}, {"op", orNull(first->second.opB)}};
        }
        return c.answerJson({{"comparisons", std::move(columns)}, {"values", table.json()}, {"first_divergence", std::move(begins)}});
    }
    writeTable(c.out(), table, c.format());
    if (c.format() != Format::Table && c.format() != Format::Markdown) return;
    if (hasErrors(matrix)) c.out().write("numbers: largest error against a run in doubles, of the first stage -> of this one\n");
    if (const std::size_t left = matrix.rows.size() - table.rows.size(); left > 0 && node.empty())
        c.out().write(fmt::format("{} further values agree wherever they have a counterpart\n", left));
    const std::string words =
        first && differs ? sentenceOf(first->first, first->second) : std::string("every compared stage gives what the first gives");
    c.out().write("\n" + c.out().styled(Output::Style::Bold, words) + "\n");
}

}  // namespace aliascope::cli
