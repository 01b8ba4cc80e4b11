// `run` and `stages`: the stage table; `decisions`.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "app/cli/execution_report.h"
#include "app/cli/node_lookup.h"
#include "app/cli/source.h"
#include "core/recording/find_decisions.h"
#include "core/reduce/copy_totals.h"

namespace aliascope::cli {
namespace {

std::string passText(const StageRow& stage) { return stage.options.empty() ? stage.name : fmt::format("{}{{{}}}", stage.name, stage.options); }

std::string changeText(const StageRow& stage) {
    if (stage.idx == 1) return "";
    if (stage.state == "failed") return "failed";
    if (stage.state == "skipped") return "skipped";
    if (!stage.changed) return "no change";
    std::string out;
    auto add = [&](char mark, std::int64_t n) {
        if (n > 0) out += fmt::format("{}{}{}", out.empty() ? "" : " ", mark, n);
    };
    add('+', stage.added);
    add('-', stage.removed);
    add('~', stage.modified);
    return out.empty() ? "moved" : out;
}

std::string countAndBytes(std::int64_t n, const std::optional<std::int64_t>& bytes) {
    return n == 0 ? "-" : fmt::format("{} ({})", n, bytesText(bytes, "?"));
}

Json stageJson(const StageRow& stage, const std::string& lane) {
    return {{"idx", stage.idx},
            {"name", stage.name},
            {"lane", lane},
            {"pass", orNull(stage.pass)},
            {"options", stage.options},
            {"state", stage.state},
            {"changed", stage.changed},
            {"nodes", stage.nodes},
            {"added", stage.added},
            {"removed", stage.removed},
            {"modified", stage.modified},
            {"clones", stage.clones},
            {"cloned", orNull(stage.clonedBytes)},
            {"cloned_bytes", orNull(stage.clonedBytes)},
            {"copies_back", stage.copiesBack},
            {"copied_back_bytes", orNull(stage.copiedBackBytes)},
            {"self_copies", stage.selfCopies},
            {"rewrites", stage.rewrites},
            {"decisions", stage.decisions},
            {"ms", static_cast<double>(stage.wallNs) / 1e6},
            {"message", orNull(stage.message)}};
}

Table stageTable(const Staged& staged, bool changedOnly) {
    Table table;
    table.columns = {{"idx", "#", true},         {"name", "stage", false, 60},         {"nodes", "nodes", true},       {"changed", "change"},
                     {"clones", "clones", true}, {"copies_back", "copied back", true}, {"rewrites", "rewrites", true}, {"ms", "time", true}};
    for (const char* key : {"state", "added", "removed", "modified", "cloned_bytes", "copied_back_bytes", "self_copies", "message"})
        table.columns.push_back({key, ""});
    const auto rows = staged.recording->stages(staged.lane.id);
    table.empty = rows.empty() ? "no stages" : "no stage changed anything";
    for (const StageRow& stage : rows) {
        if (changedOnly && !stage.changed && stage.state != "failed") continue;
        Row row;
        row.json = stageJson(stage, staged.lane.name);
        row.cells = {std::to_string(stage.idx),
                     passText(stage),
                     std::to_string(stage.nodes),
                     changeText(stage),
                     countAndBytes(stage.clones, stage.clonedBytes),
                     countAndBytes(stage.copiesBack, stage.copiedBackBytes),
                     stage.rewrites ? std::to_string(stage.rewrites) : "-",
                     timeText(stage.wallNs)};
        if (stage.state == "failed")
            row.style = Output::Style::Red;
        else if (stage.idx > 1 && !stage.changed)
            row.style = Output::Style::Dim;
        table.rows.push_back(std::move(row));
    }
    return table;
}

struct Summary {
    std::int64_t clones = 0, ownClones = 0, copiesBack = 0, selfCopies = 0, inPlace = 0, asked = 0, findings = 0;
    std::string stopped;  ///< stage that failed, or how the lane ended early
    std::optional<std::int64_t> clonedBytes, copiedBackBytes;
};

Summary summarise(const Staged& staged, const std::vector<DecisionRow>& decisions) {
    Summary sum;
    const StageRow last = pickStage(staged, "last");
    sum.clones = last.clones;
    sum.ownClones = pickStage(staged, "first").clones;
    if (last.state == "failed")
        sum.stopped = fmt::format("stopped at {}, which failed", last.name);
    else if (staged.lane.state != "complete")
        sum.stopped = fmt::format("{} after {}", staged.lane.state, last.name);
    sum.clonedBytes = last.clonedBytes;
    sum.copiesBack = last.copiesBack;
    sum.copiedBackBytes = last.copiedBackBytes;
    sum.selfCopies = last.selfCopies;
    for (const DecisionRow& row : decisions) {
        sum.inPlace += row.verdict == "in-place";
        sum.asked += row.verdict == "in-place" || row.verdict == "clone";
        sum.findings += isFinding(row);
    }
    return sum;
}

std::string plural(std::int64_t n, std::string_view one, std::string_view many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

std::string sentence(const Summary& sum, const std::string& lane) {
    std::string out = fmt::format("{}: {}, {} cloned; {} copied back", lane, plural(sum.clones, "clone", "clones"),
                                  sum.clones ? bytesText(sum.clonedBytes, "unknown bytes") : "0 B",
                                  sum.copiesBack ? bytesText(sum.copiedBackBytes, "unknown bytes") : "0 B");
    if (sum.ownClones) out.insert(out.find(','), fmt::format(" ({} in the graph as opened)", sum.ownClones));
    if (sum.selfCopies) out += fmt::format(" ({} left)", plural(sum.selfCopies, "self-copy", "self-copies"));
    if (sum.asked) out += fmt::format("; {} of {} written in place", sum.inPlace, plural(sum.asked, "argument", "arguments"));
    if (!sum.stopped.empty()) return out + fmt::format("; {}.", sum.stopped);
    return out + fmt::format("; {}.", sum.findings ? plural(sum.findings, "finding", "findings") : "no findings");
}

/// What could be written differently, so that the copy goes.
std::string changeFor(const DecisionRow& row) {
    if (!row.advice.empty()) return row.advice;
    if (!row.avoidedBy.empty()) return "use --pipeline " + row.avoidedBy;
    return row.need == "needed" ? "nothing: the old value is used" : "not known";
}

struct NeedSum {
    std::int64_t rows = 0, cloned = 0, needed = 0;
};

Json totalsJson(const CopyTotals& t) {
    return {{"clones", t.clones}, {"cloned_bytes", t.clonedBytes}, {"copies_back", t.copiesBack}, {"copied_back_bytes", t.copiedBackBytes}};
}

/// `decisions --need`: every copy that is left, whether it is needed, what to change; what the lane copies and what `best` copies of the same graph.
void answerNeeds(Command& c, const Staged& staged, const std::vector<DecisionRow>& rows) {
    Table table;
    table.columns = {{"need", "need"},
                     {"node", "node", false, 32},
                     {"argument", "argument", false, 20},
                     {"code", "reason"},
                     {"cloned_bytes", "cloned", true},
                     {"needed_bytes", "needed", true},
                     {"change", "what to change", false, 70}};
    for (const char* key : {"verdict", "origin", "op", "avoided_by", "sentence"}) table.columns.push_back({key, ""});
    table.empty = "no copies are left";
    NodeFacts facts(staged);
    std::map<std::string, NeedSum> sums;
    for (const DecisionRow& row : rows) {
        if (row.verdict != "clone") continue;
        NeedSum& sum = sums[row.need];
        ++sum.rows;
        sum.cloned += row.clonedBytes.value_or(0);
        sum.needed += row.neededBytes.value_or(0);
        Row out;
        out.cells = {row.need,      row.node, row.argument, reasonName(row.code), bytesText(row.clonedBytes, "?"), bytesText(row.neededBytes, "?"),
                     changeFor(row)};
        out.json = decisionJson(row, facts);
        out.json["change"] = changeFor(row);
        table.rows.push_back(std::move(out));
    }
    const auto stages = staged.recording->stages(staged.lane.id);
    auto now = staged.recording->graph(staged.lane.id, stages.back().idx, c.ops());
    auto graph = staged.recording->graph(staged.lane.id, stages.front().idx, c.ops());
    const auto best = namedPipeline("best");
    if (!now) endWith(now.error());
    if (!graph) endWith(graph.error());
    RunOptions how;
    how.cancel = c.cancel();
    if (staged.lane.name != "best")
        if (const RunResult ran = runPipeline(*graph, *best, c.ops(), {}, how); ran.error) endWith(*ran.error);
    const CopyTotals before = copyTotals(*now, c.ops()), after = staged.lane.name == "best" ? before : copyTotals(*graph, c.ops());
    if (c.json()) {
        Json needs = Json::object();
        for (const char* need : {"needed", "avoidable", "unknown"})
            needs[need] = {{"copies", sums[need].rows}, {"cloned_bytes", sums[need].cloned}, {"needed_bytes", sums[need].needed}};
        return c.answerJson({{"decisions", table.json()}, {"needs", needs}, {"before", totalsJson(before)}, {"after", totalsJson(after)}});
    }
    writeTable(c.out(), table, c.format());
    if (c.format() != Format::Table) return;
    c.out().write(
        fmt::format("\nneeded {}, avoidable {}, unknown {}\n{}: {} clones, {} cloned, {} copied back; best: {} clones, {} cloned, {} copied back\n",
                    sums["needed"].rows, sums["avoidable"].rows, sums["unknown"].rows, escaped(staged.lane.name), before.clones,
                    bytesText(before.clonedBytes, "?"), bytesText(before.copiedBackBytes, "?"), after.clones, bytesText(after.clonedBytes, "?"),
                    bytesText(after.copiedBackBytes, "?")));
}

}  // namespace

void runStages(Command& c) {
    const Staged staged = openStaged(c, c.args().at(0));
    c.answer(stageTable(staged, c.args().has("--changed")), "stages");
}

void runDecisions(Command& c) {
    const DecisionFilter filter = decisionFilter(c);
    std::optional<query::Find> find;
    if (c.args().has("--find")) {
        auto parsed = query::parseFind(c.args().get("--find"));
        if (!parsed) throw Failure{ExitUsage, "--find: " + parsed.error().format()};
        find = std::move(*parsed);
    }
    const Staged staged = openStaged(c, c.args().at(0));
    auto rows = filtered(staged, filter);
    if (find) {
        std::map<std::int64_t, std::string> passes;
        for (const StageRow& stage : staged.recording->stages(staged.lane.id)) passes[stage.id] = stage.pass;
        std::erase_if(rows, [&](const DecisionRow& row) { return !decisionMatches(*find, row, passes[row.stageId]); });
    }
    if (rows.empty() && !filter.node.empty()) requireNode(c, staged, filter.node);
    if (c.args().has("--need")) return answerNeeds(c, staged, rows);
    c.answer(decisionTable(staged, rows), "decisions");
}

void runRun(Command& c) {
    const bool execute = c.args().has("--exec");
    const StageRunOptions options = execute ? stageRunOptions(c) : StageRunOptions();
    const std::string kept = c.args().get("--output");
    const bool recorded = execute && !kept.empty();
    Staged staged = openStaged(c, c.args().at(0), kept, recorded ? Writing::GoesOn : Writing::Ends);
    const Table stages = stageTable(staged, false);
    const auto rows = filtered(staged, DecisionFilter{});
    const Table decisions = decisionTable(staged, rows);
    const Summary sum = summarise(staged, rows);
    const std::string words = sentence(sum, staged.lane.name);
    Json executionResult;
    Table executed;
    if (execute) {
        auto runs = prepareRuns(c, staged, options);
        std::vector<int> all;
        for (const StageRow& stage : runs->stages()) all.push_back(stage.idx);
        const Execution execution = recorded ? executeAndRecord(c, staged, *runs, all, kept) : executeStages(c, *runs, all);
        if (c.json())
            executionResult = executionJson(c, *runs, execution, false, false);
        else
            executed = executionTable(c, execution);
        closeSession(c, staged, runs);
    }
    if (c.json()) {
        const Json summary = {{"clones", sum.clones},
                              {"cloned_bytes", orNull(sum.clonedBytes)},
                              {"copies_back", sum.copiesBack},
                              {"copied_back_bytes", orNull(sum.copiedBackBytes)},
                              {"self_copies", sum.selfCopies},
                              {"in_place", sum.inPlace},
                              {"findings", sum.findings},
                              {"stopped", orNull(sum.stopped)},
                              {"sentence", words}};
        Json result = {{"stages", stages.json()}, {"decisions", decisions.json()}, {"summary", summary}, {"missing_passes", staged.missing}};
        if (execute) result["execution"] = std::move(executionResult);
        return c.answerJson(std::move(result));
    }
    writeTable(c.out(), stages, c.format());
    if (c.format() != Format::Table && c.format() != Format::Markdown) return;
    c.out().write("\n");
    writeTable(c.out(), decisions, c.format());
    if (execute) {
        c.out().write("\n");
        writeTable(c.out(), executed, c.format());
    }
    c.out().write("\n" + c.out().styled(Output::Style::Bold, words) + "\n");
    if (!staged.missing.empty() && c.args().has("--verbose")) {
        std::string list;
        for (const std::string& pass : staged.missing) list += (list.empty() ? "" : ", ") + pass;
        c.note("left out, not in this build: " + list);
    }
    if (!kept.empty()) c.note(fmt::format("written to {} as lane {}", kept, staged.lane.name));
}

}  // namespace aliascope::cli
