// `bisect`: the first pass after which a program gives something else, and the rewrite that did it.

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/execution.h"

namespace aliascope::cli {
namespace {

struct Probe {
    int stage = 0;
    std::string verdict;  ///< as comparisons say, or `failed`
    std::string first;    ///< where the difference begins
    bool good = false;
};

class Bisection {
public:
    Bisection(Command& c, StageRuns& runs) : c_(c), runs_(runs) {
        for (const StageRow& stage : runs.stages())
            if (candidates_.empty() || stage.changed) candidates_.push_back(stage.idx);
    }

    /// The first stage found to differ whose predecessor agrees; nothing when the last one agrees.
    std::optional<int> search() {
        if (!probe(candidates_.front()).good)
            throw Failure{c_.exit() == ExitOk ? ExitExecution : c_.exit(), "the graph as opened does not run; there is nothing to compare with"};
        std::size_t good = 0, bad = candidates_.size() - 1;
        if (bad == 0 || probe(candidates_[bad]).good) return std::nullopt;
        while (bad - good > 1) {
            const std::size_t middle = good + (bad - good) / 2;
            (probe(candidates_[middle]).good ? good : bad) = middle;
        }
        return candidates_[bad];
    }

    const std::vector<Probe>& probes() const { return probes_; }
    const exec::Comparison* comparisonWith(int stage) const {
        const auto at = comparisons_.find(stage);
        return at == comparisons_.end() ? nullptr : &at->second;
    }

private:
    const Probe& probe(int idx) {
        Probe p;
        p.stage = idx;
        auto ran = runs_.run(idx);
        if (!ran) endWith(ran.error());
        const ExecutedStage& stage = ran->get();
        if (!stage.complete) {
            if (stage.error->code == "CANCELLED" || stage.error->code == "TIMEOUT") endWith(*stage.error);
            p.verdict = "failed";
            p.first = stage.error->sentence();
        } else if (idx == candidates_.front()) {
            p.verdict = "reference";
            p.good = true;
        } else {
            auto comparison = runs_.compare(candidates_.front(), idx);
            if (!comparison) endWith(comparison.error());
            p.verdict = exec::toString(comparison->verdict);
            p.good = comparison->verdict != exec::Verdict::Differs;
            p.first = firstDifference(c_.ops(), (*runs_.run(candidates_.front())).get(), stage, *comparison);
            comparisons_.insert_or_assign(idx, std::move(*comparison));
        }
        return probes_.emplace_back(std::move(p));
    }

    Command& c_;
    StageRuns& runs_;
    std::vector<int> candidates_;  ///< stages that may differ from the one before
    std::vector<Probe> probes_;
    std::map<int, exec::Comparison> comparisons_;
};

/// The rewrite of the stage that made, or changed, the node where the difference begins.
std::optional<RewriteRow> rewriteOf(const Staged& staged, int stage, const exec::Comparison& comparison) {
    if (!comparison.first || !comparison.rows[*comparison.first].b) return std::nullopt;
    const memory::Site site = *comparison.rows[*comparison.first].b;
    const Uid uid = Uid(site.body) << 32 | site.node.value;
    for (RewriteRow& row : staged.recording->rewrites(staged.lane.id, stage))
        for (const auto& list : {row.after, row.before})
            if (std::any_of(list.begin(), list.end(), [&](const auto& node) { return node.first == uid; })) return std::move(row);
    return std::nullopt;
}

std::string nodesText(const std::vector<std::pair<Uid, std::string>>& nodes) {
    std::string out;
    for (const auto& [uid, name] : nodes) out += (out.empty() ? "" : ", ") + name;
    return out.empty() ? "nothing" : out;
}

void record(Command& c, const Staged& staged, const std::vector<Probe>& probes, const std::string& command) {
    auto recorder = Recorder::create(staged.recording->path());
    if (!recorder) return c.error(recorder.error(), ExitOutput);
    int seq = 0;
    for (const Probe& p : probes) {
        ProbeRow row;
        row.kind = "bisect";
        row.seq = seq++;
        row.k = p.stage;
        row.verdict = p.verdict;
        row.command = command;
        if (auto ok = (*recorder)->addProbe(row, staged.lane.id); !ok) return c.error(ok.error(), ExitOutput);
    }
    if (auto closed = (*recorder)->close(); !closed) c.error(closed.error(), ExitOutput);
}

}  // namespace

void runBisect(Command& c) {
    StageRunOptions options = stageRunOptions(c);
    const Staged staged = openStaged(c, c.args().at(0));
    const auto runs = prepareRuns(c, staged, std::move(options));
    Bisection bisection(c, *runs);
    const auto found = bisection.search();
    const auto stageNamed = [&](int idx) {
        const auto at = std::find_if(runs->stages().begin(), runs->stages().end(), [&](const StageRow& s) { return s.idx == idx; });
        return at == runs->stages().end() ? StageRow() : *at;
    };
    std::optional<RewriteRow> rewrite;
    if (found && c.args().has("--rewrites") && bisection.comparisonWith(*found))
        rewrite = rewriteOf(staged, *found, *bisection.comparisonWith(*found));
    if (!staged.ran) record(c, staged, bisection.probes(), fmt::format("aliascope exec {} --stage {}", staged.recording->path(), found.value_or(0)));

    Table table;
    table.columns = {{"probe", "probe", true}, {"stage", "stage", false, 40}, {"verdict", "verdict"}, {"first", "begins at", false, 120}};
    for (const Probe& p : bisection.probes()) {
        Row row;
        row.cells = {std::to_string(table.rows.size() + 1), fmt::format("{} {}", p.stage, stageNamed(p.stage).name), p.verdict, p.first};
        row.json = {{"probe", table.rows.size() + 1},
                    {"stage", stageNamed(p.stage).name},
                    {"idx", p.stage},
                    {"verdict", p.verdict},
                    {"first", orNull(p.first)}};
        if (!p.good) row.style = Output::Style::Red;
        table.rows.push_back(std::move(row));
    }
    if (found) c.setExit(ExitNotFound);
    std::string words = found ? fmt::format("stage {} {} is the first that differs from the graph as opened", *found, stageNamed(*found).name)
                              : std::string("the last stage gives what the first gives");
    if (rewrite)
        words += fmt::format("; rewrite {} ({}): {} became {}", rewrite->seq, rewrite->rule, nodesText(rewrite->before), nodesText(rewrite->after));
    if (c.json()) {
        Json result = {{"probes", table.json()}, {"found", nullptr}, {"rewrite", nullptr}, {"sentence", words}};
        if (found) result["found"] = {{"stage", stageNamed(*found).name}, {"idx", *found}, {"pass", orNull(stageNamed(*found).pass)}};
        if (rewrite) {
            Json before = Json::array(), after = Json::array();
            for (const auto& [uid, name] : rewrite->before) before.push_back(name);
            for (const auto& [uid, name] : rewrite->after) after.push_back(name);
            result["rewrite"] = {{"seq", rewrite->seq}, {"rule", rewrite->rule}, {"before", before}, {"after", after}};
        }
        return c.answerJson(std::move(result));
    }
    writeTable(c.out(), table, c.format());
    if (c.format() == Format::Table || c.format() == Format::Markdown) c.out().write("\n" + c.out().styled(Output::Style::Bold, words) + "\n");
}

}  // namespace aliascope::cli
