// `explain`: what a line of PyTorch's log about re-inplacing means, by itself or in a recorded lane (ui.md 2.6).

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "app/cli/source.h"
#include "app/cli/standard_input.h"
#include "core/recording/log_explanation.h"

namespace aliascope::cli {
namespace {

std::string commaList(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out.empty() ? "none" : out;
}

/// What the line says without a graph: base indices stay numbers.
LogExplanation literally(const LogLine& line) {
    const auto named = [](const std::vector<std::string>& list) {
        std::vector<std::string> out;
        for (const std::string& entry : list)
            out.push_back(!entry.empty() && entry.find_first_not_of("0123456789") == std::string::npos ? "base " + entry : entry);
        return out;
    };
    LogExplanation out;
    out.attempted = named(line.tried);
    out.cloned = named(line.cloned);
    out.missed = named(line.missed);
    out.bytes = line.bytes;
    if (out.cloned.empty())
        out.sentence = "All is well: everything that was attempted is written in place.";
    else if (out.missed.empty())
        out.sentence = fmt::format("{} cloned, but PyTorch counts nothing of it as missed.", commaList(out.cloned));
    else
        out.sentence = fmt::format("{} cloned; counted as missed: {}{}.", commaList(out.cloned), commaList(out.missed),
                                   line.bytes ? fmt::format(", {} B (numel x item size of the missed values)", grouped(*line.bytes)) : "");
    return out;
}

Json meaningJson(const LogLine& line, const LogExplanation& said) {
    return {{"node", line.node},           {"attempted", said.attempted}, {"cloned", said.cloned}, {"missed", said.missed},
            {"bytes", orNull(said.bytes)}, {"calls", said.calls},         {"agrees", said.agrees}, {"sentence", said.sentence}};
}

void writeMeaning(Output& out, const LogLine& line, const LogExplanation& said, bool recorded) {
    const auto row = [&](const char* key, const std::string& text) {
        out.write(out.styled(Output::Style::Dim, fmt::format("  {:<9} ", key)) + escaped(text) + "\n");
    };
    out.write(out.styled(Output::Style::Bold, "log line of " + line.node) + "\n");
    row("attempted", commaList(said.attempted));
    row("cloned", commaList(said.cloned));
    row("missed", commaList(said.missed));
    if (recorded) row("calls", said.calls.empty() ? "none fits" : commaList(said.calls) + (said.agrees ? "" : "; the recorded verdicts are others"));
    out.write("  " + escaped(said.sentence) + "\n");
}

}  // namespace

void runExplain(Command& c) {
    const std::string given = c.args().at(0), file = c.args().at(1);
    if (given == "-" && file == "-") usage("standard input cannot be both the line and the graph");
    const std::string text = given == "-" ? standardInput() : given;
    std::vector<LogLine> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (auto line = parseLogLine(text.substr(at, end - at))) lines.push_back(std::move(*line));
        at = end + 1;
    }
    if (lines.empty())
        usage("no line about re-inplacing: \"For node NAME, attempted to reinplace [...]. We were unable to reinplace [...]; [...] ...\" expected");

    std::optional<Staged> staged;
    c.seekOpsBeside(file);
    if (!file.empty()) staged.emplace(openStaged(c, file));
    Json list = Json::array();
    bool fits = true;
    for (const LogLine& line : lines) {
        const LogExplanation said = staged ? explainLogLine(*staged->recording, staged->lane.id, line) : literally(line);
        Table decisions;
        if (staged) {
            fits = fits && !said.calls.empty();
            const std::set<std::int64_t> ids(said.decisions.begin(), said.decisions.end());
            auto rows = staged->recording->decisions(staged->lane.id);
            std::erase_if(rows, [&](const DecisionRow& row) { return !ids.contains(row.id); });
            decisions = decisionTable(*staged, rows);
        }
        Json entry = meaningJson(line, said);
        entry["decisions"] = decisions.json();
        list.push_back(std::move(entry));
        if (c.json()) continue;
        if (list.size() > 1) c.out().write("\n");
        writeMeaning(c.out(), line, said, staged.has_value());
        if (!decisions.rows.empty()) writeTable(c.out(), decisions, c.format());
    }
    if (!fits) c.setExit(ExitNotFound);
    if (c.json()) c.answerJson({{"lines", list}});
}

}  // namespace aliascope::cli
