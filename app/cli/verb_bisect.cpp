// `bisect`: the first pass after which a program gives something else, and the rewrite that did it.

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/execution.h"
#include "core/recording/stage_bisect.h"

namespace aliascope::cli {
namespace {

std::string nodesText(const std::vector<NodeRef>& nodes) {
    std::string out;
    for (const NodeRef& node : nodes) out += (out.empty() ? "" : ", ") + node.name.str();
    return out.empty() ? "nothing" : out;
}

Json namesJson(const std::vector<NodeRef>& nodes) {
    Json out = Json::array();
    for (const NodeRef& node : nodes) out.push_back(node.name.str());
    return out;
}

void record(Command& c, const Staged& staged, const std::vector<BisectProbe>& probes, const std::string& command) {
    auto recorder = Recorder::create(staged.recording->path());
    if (!recorder) return c.error(recorder.error(), ExitOutput);
    int seq = 0;
    for (const BisectProbe& p : probes) {
        if (auto ok = (*recorder)->addProbe(rowOf(p, seq++, command), staged.lane.id); !ok) return c.error(ok.error(), ExitOutput);
    }
    if (auto closed = (*recorder)->close(); !closed) c.error(closed.error(), ExitOutput);
}

Table probesTable(const Bisection& found, const std::function<std::string(int)>& nameOf) {
    Table table;
    table.columns = {{"probe", "probe", true},
                     {"stage", "stage", false, 40},
                     {"rewrites", "rewrites", true},
                     {"verdict", "verdict"},
                     {"first", "begins at", false, 120}};
    for (const BisectProbe& p : found.probes) {
        Row row;
        row.cells = {std::to_string(table.rows.size() + 1), fmt::format("{} {}", p.stage, nameOf(p.stage)),
                     p.rewrites ? std::to_string(*p.rewrites) : "all", p.verdict, p.first};
        row.json = {{"probe", table.rows.size() + 1},
                    {"stage", nameOf(p.stage)},
                    {"idx", p.stage},
                    {"rewrites", p.rewrites ? Json(*p.rewrites) : Json(nullptr)},
                    {"verdict", p.verdict},
                    {"first", orNull(p.first)}};
        if (!p.good) row.style = Output::Style::Red;
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string sentenceOf(const Bisection& found, const std::function<std::string(int)>& nameOf) {
    if (!found.stage) return "the last stage gives what the first gives";
    std::string out = fmt::format("stage {} {} is the first that differs from the graph as opened", *found.stage, nameOf(*found.stage));
    if (!found.rewrite) return out;
    const std::string which =
        found.number ? fmt::format("with rewrite {} of {}", *found.number, found.rewrites) : "the difference begins at the rewrite";
    return out +
           fmt::format("; {} ({}): {} became {}", which, found.rewrite->rule, nodesText(found.rewrite->before), nodesText(found.rewrite->after));
}

}  // namespace

void runBisect(Command& c) {
    StageRunOptions options = stageRunOptions(c);
    const Staged staged = openStaged(c, c.args().at(0));
    const auto runs = prepareRuns(c, staged, std::move(options));
    const int first = runs->stages().front().idx;
    BisectOptions how;
    how.rewrites = c.args().has("--rewrites");
    how.each = [&](BisectProbe& p, const ExecutedStage& stage, const exec::Comparison* comparison) {
        if (comparison && comparison->first) p.first = firstDifference(c.ops(), runs->run(first)->get(), stage, *comparison);
    };
    auto found = bisectStages(*runs, *staged.recording, staged.lane.id, c.ops(), how);
    if (!found) endWith(found.error());
    if (!staged.ran)
        record(c, staged, found->probes, fmt::format("aliascope exec {} --stage {}", staged.recording->path(), found->stage.value_or(first)));

    const auto nameOf = [&](int idx) {
        const auto at = std::find_if(runs->stages().begin(), runs->stages().end(), [&](const StageRow& s) { return s.idx == idx; });
        return at == runs->stages().end() ? std::string() : at->name;
    };
    const Table table = probesTable(*found, nameOf);
    const std::string words = sentenceOf(*found, nameOf);
    if (found->stage) c.setExit(ExitNotFound);
    if (c.json()) {
        Json result = {{"probes", table.json()}, {"found", nullptr}, {"rewrite", nullptr}, {"sentence", words}};
        if (found->stage) {
            const auto row = std::find_if(runs->stages().begin(), runs->stages().end(), [&](const StageRow& s) { return s.idx == *found->stage; });
            result["found"] = {{"stage", row->name}, {"idx", *found->stage}, {"pass", orNull(row->pass)}};
        }
        if (found->rewrite)
            result["rewrite"] = {{"number", found->number ? Json(*found->number) : Json(nullptr)},
                                 {"of", found->rewrites},
                                 {"rule", found->rewrite->rule},
                                 {"before", namesJson(found->rewrite->before)},
                                 {"after", namesJson(found->rewrite->after)}};
        return c.answerJson(std::move(result));
    }
    writeTable(c.out(), table, c.format());
    if (c.format() == Format::Table || c.format() == Format::Markdown) c.out().write("\n" + c.out().styled(Output::Style::Bold, words) + "\n");
}

}  // namespace aliascope::cli
