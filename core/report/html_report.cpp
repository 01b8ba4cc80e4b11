#include "core/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/exec/op_bodies.h"
#include "core/recording/decision_words.h"
#include "core/recording/stage_memory.h"
#include "core/report/markup.h"
#include "core/report/why_section.h"
#include "core/support/amount_text.h"
#include "core/support/line_diff.h"
#include "core/text/print.h"

namespace aliascope::report {
using words::bytesText;
using words::grouped;

namespace {

constexpr std::string_view pageSheet =
    "body{background:var(--canvas);color:var(--ink);font:14px/1.45 system-ui,sans-serif;margin:0 auto;padding:16px;max-width:1200px}\n"
    "h1{font-size:20px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px;border-bottom:1px solid var(--line)}\n"
    "nav a{margin-right:12px}a{color:var(--selection)}code,pre,.mono{font:12px ui-monospace,monospace}\n"
    "pre{background:var(--panel);border:1px solid var(--line);padding:8px;overflow-x:auto}\n"
    "table{border-collapse:collapse;background:var(--panel);font-size:13px}caption{text-align:left;color:var(--secondary);padding:4px 0}\n"
    "th,td{border:1px solid var(--line);padding:3px "
    "8px;text-align:left;vertical-align:top}th{white-space:nowrap}td.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "tr.quiet td{color:var(--secondary)}tr.finding td:first-child{font-weight:bold;box-shadow:inset 4px 0 0 var(--avoidable)}tr.failed "
    "td:first-child{box-shadow:inset 4px 0 0 var(--wrong)}\n"
    "details{border:1px solid var(--line);background:var(--panel);margin:6px 0;padding:4px 10px}summary{cursor:pointer}\n"
    "details.finding{border-left:4px solid var(--avoidable)}dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:8px "
    "0}dt{color:var(--secondary)}dd{margin:0}\n"
    "figure{margin:8px 0;overflow:auto;max-height:640px;border:1px solid var(--line)}li.failed b{color:var(--wrong)}.scroll{overflow-x:auto}\n"
    "pre .add{background:var(--added-fill)}pre .del{background:var(--removed-fill)}\n"
    "@media print{details{break-inside:avoid}figure{max-height:none}}\n";

/// Sorts a table by the column that is clicked, and keeps rows that hold what is typed. The page says all without it.
constexpr std::string_view script =
    "document.querySelectorAll('table').forEach(function(t){var "
    "b=t.tBodies[0];t.querySelectorAll('th').forEach(function(h,i){h.style.cursor='pointer';h.onclick=function(){"
    "var "
    "d=h.getAttribute('aria-sort')!='ascending';t.querySelectorAll('th').forEach(function(x){x.removeAttribute('aria-sort')});h.setAttribute('aria-"
    "sort',d?'ascending':'descending');"
    "Array.from(b.rows).sort(function(p,q){var x=p.cells[i].dataset.k||p.cells[i].textContent,y=q.cells[i].dataset.k||q.cells[i].textContent,n=x-y;"
    "return (isNaN(n)?x.localeCompare(y):n)*(d?1:-1)}).forEach(function(r){b.appendChild(r)})}})});"
    "var f=document.getElementById('filter');f.hidden=false;f.oninput=function(){var w=f.value.toLowerCase();document.querySelectorAll('tbody "
    "tr,details.why').forEach(function(r){"
    "r.style.display=r.textContent.toLowerCase().includes(w)?'':'none'})};"
    "function o(){var "
    "e=document.getElementById(location.hash.slice(1));if(e&&e.tagName=='DETAILS')e.open=true}window.addEventListener('hashchange',o);o();";

class Report {
public:
    Report(const Recording& recording, const GraphRow& graph, const LaneRow& lane, const OpRegistry& ops, const ReportOptions& options)
        : recording_(recording),
          graph_(graph),
          lane_(lane),
          ops_(ops),
          options_(options),
          stages_(recording.stages(lane.id)),
          decisions_(recording.decisions(lane.id)) {
        for (const StageRow& stage : stages_) passes_[stage.id] = stage.pass;
        std::erase_if(decisions_, [&](const DecisionRow& row) { return passes_[row.stageId] != "reinplace"; });
        // Findings come first, the most expensive ones at the top.
        std::stable_sort(decisions_.begin(), decisions_.end(), [](const DecisionRow& a, const DecisionRow& b) { return rankOf(a) < rankOf(b); });
    }

    Result<std::string> page() {
        says(0.0, "findings");
        std::string body = header() + findings() + stageTable();
        says(0.05, "Why cards");
        auto why = whyCards();
        if (!why) return fail(why.error());
        says(0.6, "storages and memory");
        body += *why + storages() + memory() + numerics();
        says(0.75, "differences");
        auto diffs = stageDiffs();
        if (!diffs) return fail(diffs.error());
        body += *diffs + notes();
        if (options_.cancel.cancelled()) return fail(userError("CANCELLED"));
        const std::string title = escaped(graph_.name.empty() ? std::string("graph") : graph_.name) + " / " + escaped(lane_.name);
        return fmt::format(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
            "content=\"width=device-width\"><title>Aliascope: {}</title>\n<style>\n{}{}{}</style></head>\n"
            "<body>\n{}<script>{}</script>\n</body></html>\n",
            title, colourSheet(), pictureSheet(), pageSheet, body, script);
    }

private:
    void says(double fraction, std::string_view what) const {
        if (options_.progress) options_.progress(fraction, what);
    }
    static std::tuple<int, std::int64_t> rankOf(const DecisionRow& row) {
        const int order = isFinding(row) ? 0 : row.verdict == "clone" ? 1 : row.verdict == "in-place" ? 2 : 3;
        return {order, -row.clonedBytes.value_or(row.reportedBytes.value_or(0))};
    }
    static std::string plural(std::int64_t n, std::string_view one, std::string_view many) {
        return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
    }
    const StageRow* last() const { return stages_.empty() ? nullptr : &stages_.back(); }

    std::string summary() const {
        if (!last()) return "No stage is recorded.";
        const auto found = std::count_if(decisions_.begin(), decisions_.end(), isFinding);
        const auto inPlace = std::count_if(decisions_.begin(), decisions_.end(), [](const DecisionRow& row) { return row.verdict == "in-place"; });
        std::string out = fmt::format("Pipeline {}: {}, {} cloned; {} copied back", lane_.name, plural(last()->clones, "clone", "clones"),
                                      last()->clones ? bytesText(last()->clonedBytes, "unknown bytes") : "0 B",
                                      last()->copiesBack ? bytesText(last()->copiedBackBytes, "unknown bytes") : "0 B");
        if (last()->selfCopies) out += fmt::format(" ({} left)", plural(last()->selfCopies, "self-copy", "self-copies"));
        out += fmt::format("; {} written in place; {}.", plural(inPlace, "argument", "arguments"),
                           found ? plural(found, "finding", "findings") : "no findings");
        if (lane_.state != "complete")
            out += fmt::format(" The lane is {} after stage {} {}: figures are of a program that is not finished.", lane_.state, last()->idx,
                               last()->name);
        return out;
    }

    std::string header() const {
        std::string commands = options_.reproduce;
        if (commands.empty())
            commands = fmt::format("aliascope run {} --passes '{}'", graph_.sourcePath.empty() ? "FILE" : graph_.sourcePath, lane_.pipeline);
        std::string out = fmt::format("<header><h1>{} / {}</h1>\n<p id=\"summary\">{}</p>\n",
                                      escaped(graph_.name.empty() ? std::string("graph") : graph_.name), escaped(lane_.name), escaped(summary()));
        out +=
            "<nav><a href=\"#findings\">findings</a><a href=\"#stages\">stages</a><a href=\"#why\">why</a><a href=\"#storages\">storages</a><a "
            "href=\"#memory\">memory</a>"
            "<a href=\"#numerics\">numerics</a><a href=\"#diffs\">differences</a><a href=\"#notes\">notes</a> <input id=\"filter\" type=\"search\" "
            "aria-label=\"filter rows\" placeholder=\"filter\" hidden></nav>\n";
        out += fmt::format(
            "<dl><dt>file</dt><dd>{}{}</dd><dt>graph</dt><dd>{}, {} "
            "nodes</dd><dt>pipeline</dt><dd><code>{}</code></dd><dt>state</dt><dd>{}</dd><dt>made by</dt><dd>aliascope {}</dd></dl>\n",
            escaped(graph_.sourcePath.empty() ? std::string("-") : graph_.sourcePath),
            graph_.container.empty() ? "" : " (" + escaped(graph_.container) + ")", escaped(graph_.phase), grouped(graph_.nodes),
            escaped(lane_.pipeline), escaped(lane_.state), ALIASCOPE_VERSION);
        return out + "<p>To get this again:</p><pre>" + escaped(commands) + "</pre></header>\n";
    }

    std::string findings() const {
        HtmlTable table({"verdict", "node", "operator", "argument", "reason", "blocker", "reported", "cloned", "stage"});
        for (const DecisionRow& row : decisions_) {
            const std::string reason = reasonName(row.code);
            const bool card = hasCard(row);
            Cell verdict = text(verdictWord(row));
            if (card) verdict.markup = fmt::format("<a href=\"#why-{}\">{}</a>", row.id, verdict.markup);
            const std::string unknown = row.bytesExpr.empty() ? "?" : row.bytesExpr;
            table.row({verdict, text("%" + row.node), text(shortOperator(row.op)), text(row.argument),
                       text(row.code + (reason == row.code ? "" : " " + reason)), text(row.blocker.empty() ? "-" : "%" + row.blocker),
                       amount(row.counted ? bytesText(row.reportedBytes, unknown) : "-", row.counted ? row.reportedBytes.value_or(0) : 0),
                       amount(row.verdict == "clone" ? bytesText(row.clonedBytes, unknown) : "-", row.clonedBytes.value_or(0)), text(row.stageName)},
                      isFinding(row)                   ? "finding"
                      : row.verdict == "not-attempted" ? "quiet"
                                                       : "");
        }
        return "<h2 id=\"findings\">Findings</h2>\n" +
               (table.empty() ? std::string("<p>Nothing was to be written in place.</p>\n")
                              : "<div class=\"scroll\">" + table.markup("what was or was not written in place") + "</div>\n");
    }

    std::string stageTable() const {
        HtmlTable table({"#", "stage", "nodes", "+", "-", "~", "clones", "cloned", "copied back", "rewrites", "state"});
        for (const StageRow& stage : stages_) {
            const std::string name = stage.options.empty() ? stage.name : stage.name + "{" + stage.options + "}";
            Cell shown = text(name);
            if (stage.changed && stage.idx > 1) shown.markup = fmt::format("<a href=\"#diff-{}\">{}</a>", stage.idx, shown.markup);
            table.row(
                {number(stage.idx), shown, number(stage.nodes), number(stage.added), number(stage.removed), number(stage.modified),
                 number(stage.clones), amount(stage.clones ? bytesText(stage.clonedBytes, "?") : "-", stage.clonedBytes.value_or(0)),
                 amount(stage.copiesBack ? bytesText(stage.copiedBackBytes, "?") : "-", stage.copiedBackBytes.value_or(0)), number(stage.rewrites),
                 text(stage.state == "ok" ? (stage.idx == 1 || stage.changed ? "" : "no change") : stage.state + ": " + stage.message)},
                stage.state == "failed"           ? "failed"
                : stage.changed || stage.idx == 1 ? ""
                                                  : "quiet");
        }
        return "<h2 id=\"stages\">Stages</h2>\n<div class=\"scroll\">" + table.markup("the graph after each pass") + "</div>\n";
    }

    bool hasCard(const DecisionRow& row) const {
        const auto at = static_cast<std::size_t>(&row - decisions_.data());
        return at < options_.cards && row.verdict != "not-attempted";
    }

    Result<std::string> whyCards() const {
        std::vector<DecisionRow> shown;
        for (const DecisionRow& row : decisions_)
            if (hasCard(row)) shown.push_back(row);
        auto cards = whySection(recording_, lane_, ops_, shown, options_);
        if (!cards) return cards;
        std::string out = "<h2 id=\"why\">Why</h2>\n" + (shown.empty() ? std::string("<p>No decision needs a card.</p>\n") : *cards);
        if (decisions_.size() > options_.cards)
            out += fmt::format("<p>Cards of the first {} decisions; the table has all {}.</p>\n", grouped(static_cast<std::int64_t>(options_.cards)),
                               grouped(static_cast<std::int64_t>(decisions_.size())));
        return out;
    }

    std::string storages() const {
        std::string out = "<h2 id=\"storages\">Storages</h2>\n";
        if (!last()) return out;
        const auto snapshot = recording_.snapshot(lane_.id, last()->idx);
        if (!snapshot) return out;
        struct Members {
            std::int64_t count = 0;
            std::string writers;
        };
        std::map<int, Members> members;
        std::map<Uid, const NodeRow*> nodes;
        for (const NodeRowPtr& node : snapshot->nodes) {
            nodes.emplace(node->uid, node.get());
            if (node->storage >= 0) ++members[node->storage].count;
        }
        for (const EdgeRow& edge : snapshot->edges) {
            if (edge.mode != EdgeRow::Mode::Write && edge.mode != EdgeRow::Mode::ReadWrite) continue;
            const auto value = nodes.find(edge.from), writer = nodes.find(edge.to);
            if (value == nodes.end() || writer == nodes.end() || value->second->storage < 0) continue;
            std::string& list = members[value->second->storage].writers;
            if (list.size() < 200) list += (list.empty() ? "%" : ", %") + writer->second->name;
        }
        HtmlTable table({"storage", "base", "role", "bytes", "values", "written by"});
        for (const StorageRow& row : recording_.storages(lane_.id, last()->idx)) {
            const Members& m = members[row.id];
            if (m.count < 2 && m.writers.empty()) continue;
            table.row({text("S" + std::to_string(row.id)), text("%" + row.baseName), text(row.role),
                       amount(bytesText(row.bytes, row.bytesExpr.empty() ? "?" : row.bytesExpr), row.bytes.value_or(0)), number(m.count),
                       text(m.writers.empty() ? "-" : m.writers)});
        }
        return out +
               (table.empty()
                    ? "<p>No two values share memory.</p>\n"
                    : "<div class=\"scroll\">" +
                          table.markup(fmt::format("storages of stage {} that several values share or something writes", last()->name)) + "</div>\n");
    }

    std::string memory() const {
        std::string out = "<h2 id=\"memory\">Memory</h2>\n<p>Predicted, in program order; inputs and constants are not counted.</p>\n";
        exec::PredictOptions predict;
        const exec::OpBodies bodies = exec::OpBodies::read(ops_);
        predict.bodies = &bodies;
        predict.cancel = options_.cancel;
        HtmlTable table({"#", "stage", "peak", "at", "note"});
        std::shared_ptr<const StageMemory> latest;
        for (const StageRow& stage : stages_) {
            if (stage.idx > 1 && !stage.changed && stage.idx != last()->idx) continue;
            auto memory = predictStage(recording_, lane_.id, stage.idx, ops_, predict);
            if (!memory) continue;
            latest = *memory;
            const auto& log = latest->prediction().log;
            const std::string at = log.peakSeq >= 0 ? nameOf(stage.idx, latest->uidOf(log.events[static_cast<std::size_t>(log.peakSeq)].site)) : "-";
            table.row({number(stage.idx), text(stage.name), amount(bytesText(log.peakExact), log.peakExact), text(at), text(noteOf(*latest))});
        }
        out += table.markup("predicted peak of the stages that changed something");
        if (!latest) return out;
        return out + curve(*latest) + holders(*latest);
    }

    std::string nameOf(int stage, Uid uid) const {
        const auto snapshot = recording_.snapshot(lane_.id, stage);
        if (snapshot)
            for (const NodeRowPtr& node : snapshot->nodes)
                if (node->uid == uid) return "%" + node->name;
        return "-";
    }

    static std::string noteOf(const StageMemory& memory) {
        if (const auto& error = memory.prediction().error) return error->sentence();
        if (memory.prediction().log.conditional) return "sizes depend on data";
        std::string out;
        for (const auto& [symbol, value] : memory.prediction().assumed)
            out += fmt::format("{}{} = {}", out.empty() ? "assumes " : ", ", symbol.str(), value);
        return out;
    }

    std::string curve(const StageMemory& memory) const {
        constexpr float width = 900, height = 160;
        const auto buckets = memory.report().curve(0, -1, 450);
        const std::int64_t peak = memory.prediction().log.peakExact;
        if (buckets.empty() || peak <= 0) return {};
        const float events = static_cast<float>(std::max<std::int64_t>(1, buckets.back().seq + buckets.back().events));
        std::string path;
        for (const auto& bucket : buckets) {
            const float x = width * static_cast<float>(bucket.seq) / events,
                        y = height - height * static_cast<float>(static_cast<double>(bucket.maxLive) / static_cast<double>(peak));
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
        }
        path += fmt::format("H{:.0f}", width);
        const float at = width * static_cast<float>(memory.prediction().log.peakSeq) / events;
        return fmt::format(
            "<figure><svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"-10 -24 "
            "{2:.0f} {1:.0f}\"><title>live bytes of stage {3}, peak {4}</title>"
            "<text class=\"dim\" x=\"0\" y=\"-8\">live bytes of stage {3}; peak {4}</text><path class=\"peak\" d=\"M{5:.1f} 0V{6:.0f}\"/><path "
            "class=\"curve\" d=\"{7}\"/></svg></figure>\n",
            width + 20, height + 34, width + 20, escaped(last()->name), bytesText(peak), at, height, path);
    }

    std::string holders(const StageMemory& memory) const {
        constexpr std::size_t most = 20;
        const auto held = memory.report().peakHolders();
        if (held.empty()) return {};
        HtmlTable table({"allocated by", "role", "bytes"});
        for (std::size_t i = 0; i < std::min(held.size(), most); ++i)
            table.row({text(nameOf(last()->idx, memory.uidOf(held[i].origin))), text(memory::toString(held[i].role)),
                       amount(bytesText(held[i].exact), held[i].exact)});
        return table.markup(fmt::format("who holds the peak: the largest {} of {}", std::min(held.size(), most), held.size()));
    }

    std::string numerics() const {
        std::string out = "<h2 id=\"numerics\">Numerics</h2>\n";
        HtmlTable table({"stage", "against", "verdict", "differs from", "policy"});
        for (const ComparisonRow& row : recording_.comparisons(lane_.id))
            table.row({text(row.stageNameB), text(row.stageNameA), text(row.verdict), text(row.first.empty() ? "-" : row.first), text(row.policy)},
                      row.verdict == "differs" ? "failed" : "");
        return out + (table.empty() ? "<p>No run is recorded: aliascope run FILE --exec cpu -o SESSION compares the stages.</p>\n"
                                    : table.markup("values of each stage against an earlier one"));
    }

    Result<std::string> stageDiffs() const {
        std::string out = "<h2 id=\"diffs\">Differences</h2>\n";
        std::string before;
        for (const StageRow& stage : stages_) {
            if (stage.idx > 1 && !stage.changed) continue;
            auto graph = recording_.graph(lane_.id, stage.idx, ops_);
            if (!graph) return fail(graph.error());
            std::string now = printReadable(*graph);
            if (stage.idx > 1) out += oneDiff(stage, unifiedDiff(before, now, "before", stage.name, 2));
            before = std::move(now);
            if (options_.cancel.cancelled()) break;
        }
        return out;
    }

    std::string oneDiff(const StageRow& stage, const std::string& diff) const {
        std::string lines;
        std::size_t count = 0;
        for (std::string_view line : splitLines(diff)) {
            if (++count > options_.diffLines) continue;
            const bool head = line.starts_with("---") || line.starts_with("+++");
            const char* mark = head || line.empty() ? "" : line[0] == '+' ? "add" : line[0] == '-' ? "del" : "";
            const std::string shown = escaped(shortened(line, 400));
            lines += *mark ? fmt::format("<span class=\"{}\">{}</span>\n", mark, shown) : shown + "\n";
        }
        if (count > options_.diffLines) lines += fmt::format("… and {} more lines\n", count - options_.diffLines);
        return fmt::format("<details id=\"diff-{}\"><summary>{} {}: +{} -{} ~{} nodes</summary><pre>{}</pre></details>\n", stage.idx, stage.idx,
                           escaped(stage.name), stage.added, stage.removed, stage.modified, lines);
    }

    std::string notes() const {
        std::string out =
            "<h2 id=\"notes\">Notes</h2>\n<ul><li>Program order is not time; predicted memory is not measured memory.</li>\n"
            "<li>Reported bytes are what PyTorch counts; cloned bytes are what the clone copies: a view at an offset is cloned from the start of its "
            "storage.</li></ul>\n";
        HtmlTable table({"severity", "code", "what", "file", "line"});
        for (const DiagnosticRow& d : recording_.diagnostics())
            table.row({text(d.severity), text(d.code), text(d.sentence), text(d.file), number(d.line)});
        if (!table.empty()) out += table.markup("messages about the files that were read");
        std::string unknown;
        if (last())
            if (const auto snapshot = recording_.snapshot(lane_.id, last()->idx)) {
                std::map<std::string, int> ops;
                for (const NodeRowPtr& node : snapshot->nodes)
                    if (node->flags & FlagNoSchema) ++ops[node->op.empty() ? node->target : node->op];
                for (const auto& [op, count] : ops) unknown += fmt::format("{}{} ({})", unknown.empty() ? "" : ", ", op, count);
            }
        if (!unknown.empty()) out += "<p>Operators without a schema, taken to read and to give new memory: " + escaped(unknown) + "</p>\n";
        return out;
    }

    const Recording& recording_;
    const GraphRow& graph_;
    const LaneRow& lane_;
    const OpRegistry& ops_;
    const ReportOptions& options_;
    std::vector<StageRow> stages_;
    std::vector<DecisionRow> decisions_;
    std::map<std::int64_t, std::string> passes_;
};

}  // namespace

Result<std::string> htmlReport(const Recording& recording, const GraphRow& graph, const LaneRow& lane, const OpRegistry& ops,
                               const ReportOptions& options) {
    return Report(recording, graph, lane, ops, options).page();
}

}  // namespace aliascope::report
