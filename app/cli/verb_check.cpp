// `check`: gates for continuous integration (ui.md 6). Exit 1 when one fails.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "app/cli/gates.h"
#include "app/cli/source.h"
#include "core/recording/session_copy.h"

namespace aliascope::cli {
namespace {

struct Asked {
    std::optional<Limit> clones, cloned, copiedBack, peak;
    bool findings = false;
    bool any() const { return clones || cloned || copiedBack || peak || findings; }
    bool needsBaseline() const {
        const auto relative = [](const std::optional<Limit>& limit) { return limit && limit->relative; };
        return relative(clones) || relative(cloned) || relative(copiedBack) || relative(peak) || findings;
    }
};

std::optional<Limit> gateLimit(Command& c, const char* option, bool bytes) {
    if (!c.args().has(option)) return std::nullopt;
    const std::string text = c.args().get(option);
    const auto limit = parseLimit(text, bytes);
    if (!limit)
        usage(fmt::format("{} {}: {} expected, or how much more than --baseline has: {}", option, text, bytes ? "bytes as in 0 or 1.2GiB" : "a count",
                          bytes ? "+5%, +64KiB" : "+5%, +2"));
    return limit;
}

Asked askedOf(Command& c) {
    Asked out;
    out.clones = gateLimit(c, "--max-clones", false);
    out.cloned = gateLimit(c, "--max-cloned", true);
    out.copiedBack = gateLimit(c, "--max-copied-back", true);
    out.peak = gateLimit(c, "--max-peak", true);
    out.findings = c.args().has("--no-new-findings");
    if (!out.any() && !c.args().has("--update-baseline"))
        usage("`check` needs a gate: --max-clones, --max-cloned, --max-copied-back, --max-peak, --no-new-findings; or --update-baseline FILE");
    if (out.needsBaseline() && !c.args().has("--baseline"))
        usage(out.findings ? "--no-new-findings needs --baseline FILE" : "a limit with + needs --baseline FILE: it says how much more than there");
    return out;
}

/// `8 clones in decompose, largest clone_default_1 (425,984 B)`.
std::string clonesText(const Staged& staged, const StageRow& last) {
    std::string text = fmt::format("{} {} in {}", last.clones, last.clones == 1 ? "clone" : "clones", last.name);
    const auto snapshot = staged.recording->snapshot(staged.lane.id, last.idx);
    const NodeRow* largest = nullptr;
    for (const NodeRowPtr& node : snapshot ? snapshot->nodes : std::vector<NodeRowPtr>())
        if (node->op.starts_with("aten.clone") && (!largest || node->bytes.value_or(0) > largest->bytes.value_or(0))) largest = node.get();
    if (largest) text += fmt::format(", largest {}{}", largest->name, largest->bytes ? fmt::format(" ({} B)", grouped(*largest->bytes)) : "");
    return text;
}

/// What makes a finding the same one in another session: names of nodes differ between pipelines, what was asked of the program does not.
std::string identityOf(const DecisionRow& row) {
    return fmt::format("{} of {}: {}", row.argument, row.origin.empty() ? row.node : row.origin, row.code);
}

std::multimap<std::string, DecisionRow> findingsOf(const Staged& staged) {
    std::multimap<std::string, DecisionRow> out;
    for (const DecisionRow& row : filtered(staged, DecisionFilter{}))
        if (isFinding(row)) out.emplace(identityOf(row), row);
    return out;
}

GateResult newFindings(const Staged& staged, const Staged& baseline) {
    auto before = findingsOf(baseline);
    std::vector<std::string> fresh;
    for (const auto& [identity, row] : findingsOf(staged)) {
        const auto known = before.find(identity);
        if (known != before.end())
            before.erase(known);
        else
            fresh.push_back(identity);
    }
    GateResult out;
    out.gate = "new findings";
    out.key = "no-new-findings";
    out.limit = "0";
    out.most = 0;
    out.value = static_cast<std::int64_t>(fresh.size());
    out.ok = fresh.empty();
    for (std::size_t i = 0; i < std::min<std::size_t>(fresh.size(), 3); ++i) out.detail += (i ? "; " : "") + fresh[i];
    if (fresh.size() > 3) out.detail += fmt::format(" and {} more", fresh.size() - 3);
    return out;
}

/// A lane that ended early has the figures of a program that is not finished: it passes no gate.
std::optional<GateResult> unfinished(const Staged& staged) {
    const std::string why = incompleteness(staged);
    if (why.empty()) return std::nullopt;
    GateResult out;
    out.gate = "pipeline ran to its end";
    out.key = "complete";
    out.limit = "complete";
    out.detail = why;
    return out;
}

/// The lane of that name, else the last one: what was accepted, never something that is run now (but for a plain graph file).
Staged openBaseline(Command& c, const std::string& file, const std::string& lane) {
    if (file == "-" || !isSessionFile(file)) return openLane(c, file, lane);
    const auto recording = Recording::open(file);
    if (!recording) endWith(recording.error());
    const auto lanes = (*recording)->lanes();
    const bool known = std::any_of(lanes.begin(), lanes.end(), [&](const LaneRow& row) { return row.name == lane; });
    Staged out = openLane(c, file, known ? lane : std::string());
    if (!known) c.note(fmt::format("{} has no lane {}; its lane {} is the baseline", file, lane, out.lane.name));
    return out;
}

std::vector<GateResult> judged(Command& c, const Asked& asked, const Staged& staged) {
    std::optional<Staged> baseline;
    const bool peak = asked.peak.has_value();
    LaneFigures was;
    if (c.args().has("--baseline")) {
        baseline = openBaseline(c, c.args().get("--baseline"), staged.lane.name);
        was = figuresOf(c, *baseline, peak && asked.peak->relative, pickStage(*baseline, "last"));
    }
    const LaneFigures is = figuresOf(c, staged, peak, pickStage(staged, "last"));
    std::vector<GateResult> out;
    if (auto early = unfinished(staged)) out.push_back(std::move(*early));
    const std::string clones = is.clones.value_or(0) > 0 ? clonesText(staged, is.last) : std::string();
    const auto add = [&](GateResult gate, const std::string& detail) {
        if (!gate.ok && gate.value && gate.detail.empty()) gate.detail = detail;
        out.push_back(std::move(gate));
    };
    if (asked.clones) add(judge("clones", "max-clones", false, *asked.clones, is.clones, was.clones), clones);
    if (asked.cloned) add(judge("cloned bytes", "max-cloned", true, *asked.cloned, is.cloned, was.cloned), clones);
    if (asked.copiedBack)
        add(judge("copied back bytes", "max-copied-back", true, *asked.copiedBack, is.copiedBack, was.copiedBack),
            fmt::format("{} {} into inputs in {}", is.last.copiesBack, is.last.copiesBack == 1 ? "copy" : "copies", is.last.name));
    if (peak) {
        GateResult gate = judge("predicted peak", "max-peak", true, *asked.peak, is.peak, was.peak);
        if (!is.peakNote.empty())
            gate.detail = is.peakNote;
        else if (!gate.ok && gate.detail.empty())
            gate.detail = "in " + is.last.name;
        out.push_back(std::move(gate));
    }
    if (asked.findings) out.push_back(newFindings(staged, *baseline));
    return out;
}

}  // namespace

void runCheck(Command& c) {
    const Asked asked = askedOf(c);
    const Staged staged = openStaged(c, c.args().at(0));
    const std::vector<GateResult> gates = asked.any() ? judged(c, asked, staged) : std::vector<GateResult>();
    const auto failed = std::count_if(gates.begin(), gates.end(), [](const GateResult& gate) { return !gate.ok; });
    const std::string baseline = c.args().get("--update-baseline");
    const bool update = !baseline.empty() && failed == 0;
    if (update) {
        if (auto copied = copySession(staged.recording->path(), baseline); !copied) endWith(copied.error());
        c.note(fmt::format("baseline {} is now as {}", baseline,
                           staged.graph.name.empty() ? c.args().at(0) : staged.graph.name + ", lane " + staged.lane.name));
    } else if (!baseline.empty()) {
        c.note(fmt::format("baseline {} is left as it was: a gate failed", baseline));
    }
    if (failed > 0) c.setExit(ExitNotFound);
    const Table table = gateTable(gates);
    if (c.json())
        return c.answerJson(
            {{"gates", table.json()}, {"failed", failed}, {"ok", failed == 0}, {"baseline_written", update ? Json(baseline) : Json(nullptr)}});
    if (c.format() == Format::Junit)
        return c.out().write(junitText(gates, fmt::format("aliascope check: {}, {}", staged.graph.name, staged.lane.name)));
    if (!gates.empty()) writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
