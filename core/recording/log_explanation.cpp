#include "core/recording/log_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace aliascope {
namespace {

bool isIndex(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out.empty() ? "nothing" : out;
}

std::string withThousands(std::int64_t n) {
    std::string digits = std::to_string(n);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

/// Parameters of the wrapped operator that are cut from base `index`, from a wrapper's `_NAME_base_index=N` keywords.
std::vector<std::string> parametersOf(const std::string& index, const std::string& args) {
    static constexpr std::string_view suffix = "_base_index";
    std::vector<std::string> out;
    for (std::size_t at = 0; (at = args.find(suffix, at)) != std::string::npos; at += suffix.size()) {
        const std::size_t start = args.find_last_of(" ,({", at) + 1;
        const std::size_t value = args.find_first_not_of(" =:'\"", at + suffix.size());
        if (value == std::string::npos || at < start + 1) continue;
        const std::size_t end = std::min(args.find_first_not_of("0123456789", value), args.size());
        std::string name = args.substr(start, at - start);
        name.erase(0, name.find_first_not_of("_'\""));
        if (args.substr(value, end - value) == index) out.push_back(name);
    }
    return out;
}

/// `torch.ops.mylib.cache.default` and `mylib::cache` are both `mylib.cache`; `hop::auto_functionalized` loses its namespace too.
std::string plainOp(std::string text) {
    if (text.starts_with("torch.ops.")) text.erase(0, 10);
    if (const auto colons = text.find("::"); colons != std::string::npos) text.replace(colons, 2, ".");
    for (std::string_view space : {"hop.", "higher_order."})
        if (text.starts_with(space)) text.erase(0, space.size());
    if (text.ends_with(".default")) text.erase(text.size() - 8);
    return text;
}

/// A wrapper and what was decided about its arguments.
struct WrittenCall {
    std::string name, args;
    std::set<std::string> names;  ///< by which a line may mean it
    std::set<std::string> tried, cloned, missed;
    std::int64_t bytes = 0;
    std::vector<const DecisionRow*> rows;
};

bool decides(const DecisionRow& row) { return row.uid && (row.verdict == "clone" || row.verdict == "in-place") && row.rule.starts_with("reinplace"); }

std::vector<WrittenCall> callsOf(const Recording& recording, std::int64_t lane, const std::vector<DecisionRow>& rows) {
    std::map<Uid, WrittenCall> byUid;
    std::vector<Uid> order;
    std::set<int> stages;
    for (const DecisionRow& row : rows) {
        if (!decides(row)) continue;
        auto [at, fresh] = byUid.try_emplace(*row.uid);
        if (fresh) order.push_back(*row.uid);
        WrittenCall& call = at->second;
        call.name = row.node;
        call.names.insert({row.node, row.origin, plainOp(row.op)});
        call.tried.insert(row.argument);
        if (row.verdict == "clone") call.cloned.insert(row.argument);
        if (row.verdict == "clone" && row.counted) {
            call.missed.insert(row.argument);
            call.bytes += row.reportedBytes.value_or(0);
        }
        call.rows.push_back(&row);
        stages.insert({row.stage, row.stage - 1});
    }
    for (const int stage : stages) {
        const auto snapshot = stage > 0 ? recording.snapshot(lane, stage) : nullptr;
        if (!snapshot) continue;
        for (const NodeRowPtr& node : snapshot->nodes) {
            const auto at = byUid.find(node->uid);
            if (at == byUid.end()) continue;
            WrittenCall& call = at->second;
            if (call.args.empty()) call.args = node->args;
            std::string first = node->args.substr(0, node->args.find_first_of(",)"));
            first.erase(0, std::min(first.find_first_not_of("( "), first.size()));
            if (first.find('.') != std::string::npos && first.find(' ') == std::string::npos) call.names.insert(plainOp(first));
        }
    }
    std::vector<WrittenCall> out;
    for (const Uid uid : order) out.push_back(std::move(byUid[uid]));
    return out;
}

bool agreesWith(const WrittenCall& call, const LogLine& line) {
    const auto same = [](const std::vector<std::string>& words, const std::set<std::string>& known) {
        return std::set<std::string>(words.begin(), words.end()) == known;
    };
    return same(line.tried, call.tried) && same(line.cloned, call.cloned) && same(line.missed, call.missed) &&
           line.bytes.value_or(call.bytes) == call.bytes;
}

std::string sentenceOf(const LogExplanation& said, std::size_t recorded) {
    std::string out;
    if (said.cloned.empty())
        out = "All is well: everything that was attempted is written in place.";
    else if (said.missed.empty())
        out = fmt::format("{} cloned, but PyTorch counts nothing of it as missed.", joined(said.cloned));
    else
        out = fmt::format("{} cloned; counted as missed: {}{}.", joined(said.cloned), joined(said.missed),
                          said.bytes ? fmt::format(", {} B (numel x item size of the missed values)", withThousands(*said.bytes)) : "");
    if (said.calls.empty()) return out + (recorded > 0 ? " No call of this lane is meant by that name." : " This lane recorded no such decision.");
    out += fmt::format(
        " {} {}.", said.agrees ? "It fits" : "It names, with other verdicts than this lane recorded,",
        said.calls.size() == 1 ? "%" + said.calls.front() : fmt::format("{} calls: %{}", said.calls.size(), fmt::join(said.calls, ", %")));
    return out;
}

}  // namespace

LogExplanation explainLogLine(const Recording& recording, std::int64_t lane, const LogLine& line) {
    const std::vector<DecisionRow> rows = recording.decisions(lane);
    const std::vector<WrittenCall> calls = callsOf(recording, lane, rows);
    const std::string wanted = plainOp(line.node);
    std::vector<const WrittenCall*> meant, fitting;
    for (const WrittenCall& call : calls)
        if (call.names.contains(line.node) || call.names.contains(wanted)) meant.push_back(&call);
    // A Triton kernel goes by its own name, which no node has: then what was tried and kept tells.
    for (const WrittenCall& call : calls)
        if (agreesWith(call, line) && (meant.empty() || std::find(meant.begin(), meant.end(), &call) != meant.end())) fitting.push_back(&call);

    LogExplanation out;
    out.agrees = !fitting.empty();
    const auto& chosen = out.agrees ? fitting : meant;
    for (const WrittenCall* call : chosen) {
        out.calls.push_back(call->name);
        for (const bool cloned : {true, false})
            for (const DecisionRow* row : call->rows)
                if ((row->verdict == "clone") == cloned) out.decisions.push_back(row->id);
    }
    const std::string args = chosen.empty() ? std::string() : chosen.front()->args;
    const auto named = [&](const std::vector<std::string>& list) {
        std::vector<std::string> names;
        for (const std::string& entry : list) {
            const auto parameters = isIndex(entry) ? parametersOf(entry, args) : std::vector<std::string>();
            names.push_back(!isIndex(entry) ? entry : parameters.empty() ? "base " + entry : fmt::format("base {} ({})", entry, joined(parameters)));
        }
        return names;
    };
    out.attempted = named(line.tried);
    out.cloned = named(line.cloned);
    out.missed = named(line.missed);
    out.bytes = line.bytes;
    out.sentence = sentenceOf(out, calls.size());
    return out;
}

}  // namespace aliascope
