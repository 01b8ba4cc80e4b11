// `why`: the card of a decision (ui.md 2.6 and 6).

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "app/cli/execution.h"
#include "app/cli/node_lookup.h"
#include "app/cli/source.h"
#include "core/recording/forced_write.h"
#include "core/recording/log_explanation.h"

namespace aliascope::cli {
namespace {

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

bool isIndex(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string outcome(const DecisionRow& row) {
    if (row.verdict == "in-place") return "is written in place";
    if (row.verdict == "clone") return "is cloned";
    if (row.verdict == "not-attempted") return "is left as it is";
    return row.verdict;
}

std::string argumentText(const DecisionRow& row) { return isIndex(row.argument) ? "base " + row.argument : row.argument; }

struct Card {
    DecisionRow row;
    std::string subject;
};

std::string blockerText(const DecisionRow& row, NodeFacts& facts) {
    std::string out = "%" + row.blocker;
    if (!row.blockerUid) return out;
    for (int stage : {row.stage, row.stage - 1}) {
        const NodeRow* node = facts.find(stage, *row.blockerUid);
        if (!node) continue;
        std::string inside = node->op.empty() ? node->kind : node->op;
        if (node->storage >= 0) inside += fmt::format(", S{}", node->storage);
        if (node->bytes) inside += fmt::format(", {} B", grouped(*node->bytes));
        if (!node->file.empty()) inside += fmt::format(", {}:{}", node->file, node->line);
        return out + " (" + inside + ")";
    }
    return out;
}

std::string bytesLine(const DecisionRow& row) {
    std::string out;
    auto add = [&](std::string_view what, const std::optional<std::int64_t>& bytes) {
        if (bytes) out += fmt::format("{}{} {}", out.empty() ? "" : "   ", what, grouped(*bytes));
    };
    if (row.counted) add("reported", row.reportedBytes);
    add("cloned", row.clonedBytes);
    add("needed", row.neededBytes);
    if (!row.bytesExpr.empty()) out += fmt::format("{}size {}", out.empty() ? "" : "   ", row.bytesExpr);
    return out;
}

void writeCard(Output& out, const Card& card, NodeFacts& facts) {
    const DecisionRow& row = card.row;
    const std::string word = verdictWord(row);
    Output::Style style = Output::Style::Bold;
    if (word == "avoidable")
        style = Output::Style::Amber;
    else if (word == "in place")
        style = Output::Style::Green;
    out.write(out.styled(style, upper(word)) +
              escaped(fmt::format("  {}{} ({}{}) {}", row.argument.empty() ? "" : argumentText(row) + " of ", card.subject, row.node,
                                  row.origin.empty() || row.origin == row.node ? "" : ", from " + row.origin, outcome(row))) +
              "\n");
    auto line = [&](std::string_view key, const std::string& text) {
        if (!text.empty()) out.write(out.styled(Output::Style::Dim, fmt::format("  {:<9} ", key)) + escaped(text) + "\n");
    };
    const std::string reason = reasonName(row.code);
    line("reason", fmt::format("{}{}  {}", row.code, reason == row.code ? "" : " " + reason, row.sentence));
    if (!row.blocker.empty()) line("blocker", blockerText(row, facts));
    line("rule", row.rule);
    line("bytes", bytesLine(row));
    for (std::size_t i = 0; i < row.checks.size(); ++i) {
        const CheckRow& check = row.checks[i];
        line(i == 0 ? "checks" : "", fmt::format("{:<7} {}{}", check.result == "failed" ? "FAILED" : check.result, check.question,
                                                 check.detail.empty() ? "" : ": " + check.detail));
    }
    line("advice", row.advice);
    if (!row.avoidedBy.empty())
        line("try", fmt::format("--pipeline {} has it in place{}", row.avoidedBy, row.need == "avoidable" ? " (not yet executed)" : ""));
    line("stage", fmt::format("{} {} of {}", row.stage, row.stageName, row.lane));
}

Json cardJson(const Card& card, NodeFacts& facts) {
    Json out = decisionJson(card.row, facts);
    out["word"] = verdictWord(card.row);
    out["subject"] = card.subject;
    Json checks = Json::array();
    for (const CheckRow& check : card.row.checks)
        checks.push_back({{"question", check.question}, {"result", check.result}, {"detail", orNull(check.detail)}});
    out["checks"] = checks;
    return out;
}

/// The nodes from which `uid` stems, itself included, back through the rewrites of its lane.
std::set<Uid> ancestors(const Staged& staged, Uid uid) {
    std::set<Uid> out = {uid};
    const auto stages = staged.recording->stages(staged.lane.id);
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
        if (stage->rewrites == 0) continue;
        const auto rewrites = staged.recording->rewrites(staged.lane.id, stage->idx);
        for (auto rewrite = rewrites.rbegin(); rewrite != rewrites.rend(); ++rewrite) {
            if (rewrite->state != "applied") continue;
            if (std::any_of(rewrite->after.begin(), rewrite->after.end(), [&](const auto& node) { return out.contains(node.first); }))
                for (const auto& [before, name] : rewrite->before) out.insert(before);
        }
    }
    return out;
}

/// Decisions about the node: of its own name, else of the nodes that it stems from.
std::vector<DecisionRow> rowsOfNode(Command& c, const Staged& staged, const std::vector<DecisionRow>& rows, std::string name) {
    if (name.starts_with("%")) name.erase(0, 1);
    const int at = c.args().has("--stage") ? pickStage(staged, c.args().get("--stage")).idx : 0;
    std::vector<DecisionRow> out;
    if (at == 0)
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(out),
                     [&](const DecisionRow& row) { return row.node == name || row.origin == name; });
    if (!out.empty()) return out;

    const NamedNode node = requireNode(c, staged, name, at);
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](const DecisionRow& row) { return row.uid == node.uid; });
    if (!out.empty()) return out;
    const std::set<Uid> stems = ancestors(staged, node.uid);
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](const DecisionRow& row) { return row.uid && stems.contains(*row.uid); });
    // Of a clone, what matters is the argument that it copies.
    if (node.row->op.find("clone") == std::string::npos) return out;
    std::string argument;
    for (const DecisionRow& row : staged.recording->decisions(staged.lane.id))
        if (row.code == "CLONED" && (row.uid == node.uid || row.blockerUid == node.uid || row.sentence.find(name + ":") != std::string::npos))
            argument = row.argument;
    std::vector<DecisionRow> clones;
    std::copy_if(out.begin(), out.end(), std::back_inserter(clones),
                 [&](const DecisionRow& row) { return row.verdict == "clone" && (argument.empty() || row.argument == argument); });
    return clones.empty() ? out : clones;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out.empty() ? "none" : out;
}

Json explained(const std::string& node, const LogExplanation& said) {
    return {{"node", node},        {"attempted", said.attempted}, {"cloned", said.cloned},    {"missed", said.missed}, {"bytes", orNull(said.bytes)},
            {"calls", said.calls}, {"agrees", said.agrees},       {"sentence", said.sentence}};
}

void writeExplained(Output& out, const Json& line) {
    auto list = [&](const char* key) { return joined(line[key].get<std::vector<std::string>>()); };
    out.write(escaped(fmt::format("log line of %{}", line["node"].get<std::string>())) + "\n");
    for (const char* key : {"attempted", "cloned", "missed"})
        out.write(out.styled(Output::Style::Dim, fmt::format("  {:<9} ", key)) + escaped(list(key)) + "\n");
    out.write("  " + escaped(line["sentence"].get<std::string>()) + "\n");
}

/// What became of the write of one card, made in place by force.
struct Forced {
    std::optional<ForcedWrite> write;
    std::optional<Diagnostic> error;  ///< it could not be forced
};

/// One per card whose argument is copied, in their order; nothing for the others. Exit 1 when nothing is copied.
std::vector<std::optional<Forced>> forceAll(Command& c, const Staged& staged, std::vector<Card>& cards) {
    std::vector<std::optional<Forced>> out(cards.size());
    StageRunOptions options = stageRunOptions(c);
    options.run.sanitize = exec::Sanitize::Reads;
    const auto runs = prepareRuns(c, staged, options);
    bool any = false;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (cards[i].row.verdict != "clone") continue;
        any = true;
        auto write = forceWrite(*runs, *staged.recording, staged.lane.id, cards[i].row, c.ops());
        Forced& forced = out[i].emplace();
        if (write) {
            if (write->shownNeeded() && cards[i].row.need == "unknown")
                cards[i].row.need = "needed";  // reason-codes.md 1: an executed counter-example
            forced.write = std::move(*write);
        }
        if (!write && write.error().code != "FORCE_IMPOSSIBLE") endWith(write.error());
        if (!write) forced.error = std::move(write.error());
    }
    if (!any) {
        c.note("nothing is copied there: there is nothing to force");
        c.setExit(ExitNotFound);
    }
    return out;
}

std::string sentenceOf(const exec::Finding& finding) { return warning(finding.code, finding.params).sentence(); }

Json forcedJson(const Forced& forced) {
    if (forced.error) return {{"error", diagnosticJson(*forced.error)}};
    const ForcedWrite& w = *forced.write;
    Json reads = Json::array();
    for (const exec::Finding& read : w.reads) {
        Json row = {{"reader", read.node.str()}, {"sentence", sentenceOf(read)}};
        for (const auto& [key, value] : read.params)
            if (key != "reader") row[key == "n" ? "bytes" : key] = value;
        reads.push_back(std::move(row));
    }
    Json first;
    if (w.first)
        first = {{"value", w.firstValue},
                 {"max_abs", numberJson(w.first->maxAbs)},
                 {"at", w.first->at},
                 {"expected", orNull(w.first->valueA)},
                 {"found", orNull(w.first->valueB)}};
    return {{"stage", w.stageName},
            {"verdict", w.error ? "failed" : std::string(exec::toString(w.verdict))},
            {"needed", w.shownNeeded()},
            {"first", first},
            {"reads", reads},
            {"error", w.error ? diagnosticJson(*w.error) : Json(nullptr)},
            {"sentence", w.sentence()}};
}

void writeForced(Output& out, const Forced& forced) {
    auto line = [&](std::string_view key, const std::string& text) {
        out.write(out.styled(Output::Style::Dim, fmt::format("  {:<9} ", key)) + escaped(text) + "\n");
    };
    if (forced.error) return line("forced", forced.error->sentence());
    line("forced", forced.write->sentence());
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < forced.write->reads.size() && i < most; ++i) line(i == 0 ? "seen by" : "", sentenceOf(forced.write->reads[i]));
    if (forced.write->reads.size() > most) line("", fmt::format("and {} more reads", forced.write->reads.size() - most));
}

}  // namespace

void runWhy(Command& c) {
    if (c.args().has("--force") && !c.args().has("--node")) usage("--force needs --node NAME: which write is to be made in place");
    std::optional<LogLine> logLine;
    if (c.args().has("--line")) {
        logLine = parseLogLine(c.args().get("--line"));
        if (!logLine) usage("--line: expected \"For node NAME, attempted to reinplace [...]. We were unable to reinplace [...]; [...] ...\"");
        if (c.args().has("--node")) usage("--line names the node already; leave --node out");
    }
    if (c.args().has("--arg") && !c.args().has("--node") && !logLine) usage("--arg names an argument of --node NAME");
    const Staged staged = openStaged(c, c.args().at(0));
    NodeFacts facts(staged);
    DecisionFilter filter;
    if (c.args().has("--pass")) filter.pass = c.args().get("--pass");
    const auto all = filtered(staged, filter);
    const std::string node = logLine ? logLine->node : c.args().get("--node");

    std::vector<DecisionRow> rows;
    LogExplanation said;
    if (logLine) {
        said = explainLogLine(*staged.recording, staged.lane.id, *logLine);
        const std::set<std::int64_t> ids(said.decisions.begin(), said.decisions.end());
        std::copy_if(all.begin(), all.end(), std::back_inserter(rows), [&](const DecisionRow& row) { return ids.contains(row.id); });
    } else if (!node.empty()) {
        rows = rowsOfNode(c, staged, all, node);
        if (rows.empty() && !c.args().has("--pass")) {
            filter.pass = "all";  // re-inplacing said nothing; another pass may have
            rows = rowsOfNode(c, staged, filtered(staged, filter), node);
        }
    } else
        std::copy_if(all.begin(), all.end(), std::back_inserter(rows), [](const DecisionRow& row) { return row.verdict == "clone"; });
    if (c.args().has("--arg")) std::erase_if(rows, [&](const DecisionRow& row) { return row.argument != c.args().get("--arg"); });

    std::vector<Card> cards;
    for (const DecisionRow& row : rows) cards.push_back({staged.recording->decisionCard(row.id).value_or(row), subjectOf(row, facts)});
    const Json line = logLine ? explained(node, said) : Json();
    if (cards.empty() && !node.empty()) c.setExit(ExitNotFound);
    std::vector<std::optional<Forced>> forced(cards.size());
    if (c.args().has("--force") && !cards.empty()) forced = forceAll(c, staged, cards);
    if (c.json()) {
        Json list = Json::array();
        for (std::size_t i = 0; i < cards.size(); ++i) {
            list.push_back(cardJson(cards[i], facts));
            if (forced[i]) list.back()["forced"] = forcedJson(*forced[i]);
        }
        Json result = {{"cards", list}};
        if (logLine) result["line"] = line;
        return c.answerJson(result);
    }
    if (logLine) writeExplained(c.out(), line);
    if (cards.empty()) {
        if (logLine) return;
        if (!node.empty())
            return c.out().write(fmt::format("no pass considered {}{}\n", escaped(node), c.args().has("--arg") ? " with that argument" : ""));
        const auto inPlace = std::count_if(all.begin(), all.end(), [](const DecisionRow& row) { return row.verdict == "in-place"; });
        return c.out().write(fmt::format("no copies are left by {}; {} written in place\n", escaped(staged.lane.name), inPlace));
    }
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (i > 0 || logLine) c.out().write("\n");
        writeCard(c.out(), cards[i], facts);
        if (forced[i]) writeForced(c.out(), *forced[i]);
    }
}

}  // namespace aliascope::cli
