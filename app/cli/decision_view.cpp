#include "app/cli/decision_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/support/nearest.h"
#include "core/support/reasons.h"

namespace aliascope::cli {
namespace {

std::string withHyphens(std::string word) {
    std::replace(word.begin(), word.end(), ' ', '-');
    return word;
}

bool fitsVerdict(const DecisionRow& row, const std::string& word) {
    return word.empty() || row.verdict == word || withHyphens(verdictWord(row)) == word;
}

bool fitsCode(const DecisionRow& row, const std::string& code) {
    if (code.empty() || row.code == code || row.code.starts_with(code + ".")) return true;
    const Reason* reason = findReason(row.code);
    return reason && reason->name == code;
}

Output::Style styleOf(const DecisionRow& row) {
    const std::string word = verdictWord(row);
    if (word == "avoidable") return Output::Style::Amber;
    if (word == "in place") return Output::Style::Green;
    if (word == "not attempted" || word == "no-op left") return Output::Style::Dim;
    return Output::Style::Plain;
}

}  // namespace

const NodeFacts::Stage& NodeFacts::at(int stage) {
    const auto [it, fresh] = stages_.try_emplace(stage);
    if (fresh) {
        it->second.snapshot = staged_.recording->snapshot(staged_.lane.id, stage);
        if (it->second.snapshot)
            for (const NodeRowPtr& node : it->second.snapshot->nodes) it->second.byUid.emplace(node->uid, node.get());
    }
    return it->second;
}

const NodeRow* NodeFacts::find(int stage, Uid uid) {
    const Stage& known = at(stage);
    const auto found = known.byUid.find(uid);
    return found == known.byUid.end() ? nullptr : found->second;
}

Json NodeFacts::json(const std::string& name, const std::optional<Uid>& uid, int stage) {
    if (name.empty()) return nullptr;
    if (names_.empty())
        for (const StageRow& row : staged_.recording->stages(staged_.lane.id)) names_[row.idx] = row.name;
    // A pass that rewrites the node speaks of it as it stood before: then its last version is that of the stage before.
    for (int at : {stage, stage - 1}) {
        if (!uid || at < 1) break;
        if (const NodeRow* node = find(at, *uid))
            return {{"name", name}, {"stage", names_[at]}, {"op", orNull(node->op.empty() ? node->kind : node->op)}};
    }
    return {{"name", name}, {"stage", names_[stage]}, {"op", nullptr}};
}

const std::vector<std::string>& verdictWords() {
    static const std::vector<std::string> words = {"in-place", "clone", "not-attempted", "needed", "avoidable", "unknown", "applied", "refused"};
    return words;
}

DecisionFilter decisionFilter(Command& c) {
    DecisionFilter filter;
    filter.verdict = withHyphens(c.args().get("--verdict"));
    if (!filter.verdict.empty() && filter.verdict != "no-op-left" &&
        std::find(verdictWords().begin(), verdictWords().end(), filter.verdict) == verdictWords().end())
        usage(fmt::format("--verdict {}: no such verdict; nearest {}", filter.verdict, nearestList(filter.verdict, verdictWords())));
    filter.code = c.args().get("--code");
    if (!filter.code.empty()) {
        std::vector<std::string> known;
        bool found = false;
        for (const Reason& reason : allReasons()) {
            known.emplace_back(reason.code);
            if (reason.name != reason.code) known.emplace_back(reason.name);
            found = found || reason.code == filter.code || reason.name == filter.code || reason.code.starts_with(filter.code + ".");
        }
        if (!found) usage(fmt::format("--code {}: no such reason; nearest {}", filter.code, nearestList(filter.code, known, 5)));
    }
    if (c.args().has("--min-bytes")) {
        const auto amount = parseAmount(c.args().get("--min-bytes"));
        if (!amount) usage(fmt::format("--min-bytes {}: a number of bytes expected, for example 4096 or 1MiB", c.args().get("--min-bytes")));
        filter.minBytes = *amount;
    }
    filter.node = c.args().get("--node");
    if (c.args().has("--pass")) filter.pass = c.args().get("--pass");
    return filter;
}

std::vector<DecisionRow> filtered(const Staged& staged, const DecisionFilter& filter) {
    std::map<std::int64_t, std::string> passes;
    std::vector<std::string> known;
    for (const StageRow& stage : staged.recording->stages(staged.lane.id)) {
        passes[stage.id] = stage.pass;
        known.push_back(stage.pass);
    }
    if (filter.pass != "all" && filter.pass != "reinplace" && std::find(known.begin(), known.end(), filter.pass) == known.end())
        usage(fmt::format("--pass {}: the lane ran no such pass; nearest {}", filter.pass, nearestList(filter.pass, known)));
    std::vector<DecisionRow> rows = staged.recording->decisions(staged.lane.id);
    std::erase_if(rows, [&](const DecisionRow& row) {
        if (filter.pass != "all" && passes[row.stageId] != filter.pass) return true;
        if (!fitsVerdict(row, filter.verdict) || !fitsCode(row, filter.code)) return true;
        if (!filter.node.empty() && row.node != filter.node && row.origin != filter.node) return true;
        return std::max(row.reportedBytes.value_or(0), row.clonedBytes.value_or(0)) < filter.minBytes;
    });
    return rows;
}

std::string subjectOf(const DecisionRow& row, NodeFacts& facts) {
    const bool wraps = row.op.find("auto_functionalized") != std::string::npos;
    if (!wraps || !row.uid) return shortOperator(row.op);
    for (int stage : {row.stage, row.stage - 1}) {
        const NodeRow* node = facts.find(stage, *row.uid);
        if (!node || node->args.empty()) continue;
        std::string first = node->args.substr(0, node->args.find(','));
        if (first.starts_with("(")) first.erase(0, 1);
        if (first.find('.') != std::string::npos && first.find(' ') == std::string::npos) return shortOperator(first);
    }
    return shortOperator(row.op);
}

Json decisionJson(const DecisionRow& row, NodeFacts& facts) {
    Json out = {{"id", std::to_string(row.id)},
                {"lane", row.lane},
                {"stage", row.stageName},
                {"node", facts.json(row.node, row.uid, row.stage)},
                {"origin", facts.json(row.origin, row.originUid, 1)},
                {"op", row.op},
                {"argument", row.argument},
                {"verdict", row.verdict},
                {"need", row.need},
                {"code", row.code},
                {"reason", reasonName(row.code)},
                {"blocker", facts.json(row.blocker, row.blockerUid, row.stage)},
                {"bytes", row.reportedBytes.value_or(0)},
                {"counted", row.counted},
                {"cloned_bytes", orNull(row.clonedBytes)},
                {"needed_bytes", orNull(row.neededBytes)},
                {"bytes_expr", orNull(row.bytesExpr)},
                {"avoided_by", orNull(row.avoidedBy)},
                {"rule", orNull(row.rule)},
                {"sentence", row.sentence},
                {"advice", orNull(row.advice)}};
    return out;
}

Table decisionTable(const Staged& staged, const std::vector<DecisionRow>& rows) {
    NodeFacts facts(staged);
    Table table;
    table.columns = {{"verdict", "verdict"},
                     {"node", "node", false, 32},
                     {"op", "op", false, 36},
                     {"argument", "argument", false, 20},
                     {"code", "code"},
                     {"reason", "reason"},
                     {"blocker", "blocker", false, 28},
                     {"bytes", "reported", true},
                     {"cloned_bytes", "cloned", true, 28},
                     {"stage", "stage"}};
    for (const char* key : {"origin", "need", "counted", "needed_bytes", "avoided_by", "sentence"}) table.columns.push_back({key, ""});
    table.empty = "no decisions";
    for (const DecisionRow& row : rows) {
        const bool copies = row.verdict == "clone";
        Row out;
        out.json = decisionJson(row, facts);
        out.cells = {verdictWord(row),
                     row.node,
                     subjectOf(row, facts),
                     row.argument,
                     row.code,
                     reasonName(row.code),
                     row.blocker.empty() ? "-" : row.blocker,
                     row.counted ? bytesText(row.reportedBytes, row.bytesExpr.empty() ? "?" : row.bytesExpr) : "-",
                     copies ? bytesText(row.clonedBytes, row.bytesExpr.empty() ? "?" : row.bytesExpr) : "-",
                     row.stageName};
        out.style = styleOf(row);
        table.rows.push_back(std::move(out));
    }
    return table;
}

std::optional<std::int64_t> parseAmount(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    std::string unit(end, text.data() + text.size());
    unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    static const std::map<std::string, int> powers = {{"", 0}, {"B", 0}, {"K", 1}, {"KiB", 1}, {"M", 2}, {"MiB", 2}, {"G", 3}, {"GiB", 3}};
    const auto power = powers.find(unit);
    if (power == powers.end()) return std::nullopt;
    const double bytes = value * std::pow(1024.0, power->second);
    if (!(bytes < 9.2e18)) return std::nullopt;
    return static_cast<std::int64_t>(std::llround(bytes));
}

}  // namespace aliascope::cli
