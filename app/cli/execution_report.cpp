#include "app/cli/execution_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace aliascope::cli {
namespace {

Json digestJson(const ExecutedStage& stage, const exec::RunValue& v) {
    const exec::Digest& d = v.digest;
    const bool none = d.numel == 0;
    const std::string path = v.site.callPath < stage.values->callPaths.size() ? stage.values->callPaths[v.site.callPath] : std::string();
    return {{"node", nodeJson(stage, v.site)},
            {"out", v.out},
            {"call_path", path},
            {"dtype", info(d.dtype).shortName},
            {"shape", d.sizes},
            {"l2", none ? Json(nullptr) : numberJson(d.l2)},
            {"min", none ? Json(nullptr) : numberJson(d.min)},
            {"max", none ? Json(nullptr) : numberJson(d.max)},
            {"mean", none ? Json(nullptr) : numberJson(d.mean)},
            {"nan", d.nan},
            {"posinf", d.posInf},
            {"neginf", d.negInf},
            {"zero", d.zero},
            {"argmax_abs", d.argmaxAbs < 0 ? Json(nullptr) : Json(d.argmaxAbs)},
            {"hash", fmt::format("{:016x}", d.hash)},
            {"hash_v", fmt::format("{:016x}", d.hashV)}};
}

/// Values of nodes in `digests`; what calls wrote and inputs after the run in `written`.
void addDigests(const ExecutedStage& stage, Json& digests, Json& written) {
    for (const exec::RunValue& v : stage.values->rows) (v.out < 0 ? written : digests).push_back(digestJson(stage, v));
}

Json memoryJson(const ExecutedStage& stage) {
    return {{"stage", stage.stage.name},
            {"idx", stage.stage.idx},
            {"peak_exact", stage.memory.peakExact},
            {"peak_charged", stage.memory.peakCharged},
            {"events", stage.memory.events.size()},
            {"conditional", stage.memory.conditional},
            {"arena", stage.arena ? Json(stage.arena->arena) : Json(nullptr)},
            {"lower_bound", stage.arena ? Json(stage.arena->lowerBound) : Json(nullptr)},
            {"reused", stage.arena ? Json(stage.arena->reused) : Json(nullptr)}};
}

Json inputJson(const exec::InputValue& v) {
    Json out = {{"name", v.name.str()}, {"kind", v.constant ? "constant" : v.integer ? "size" : "tensor"}, {"role", v.role}, {"reason", v.reason}};
    if (v.integer)
        out["value"] = *v.integer;
    else
        out["type"] = v.type.str(true, false);
    if (v.index >= 0) out["index"] = v.index;
    return out;
}

Json comparisonJson(const OpRegistry& ops, const ExecutedStage& first, const ExecutedStage& later, const exec::Comparison& comparison) {
    Json rows = Json::array();
    std::map<std::string, std::int64_t> counts;
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
        const exec::ComparedValue& row = comparison.rows[i];
        ++counts[std::string(exec::toString(row.verdict))];
        if (!exec::agrees(row.verdict) && (row.a || row.b) && row.verdict == exec::Verdict::Differs)
            rows.push_back(comparedJson(ops, first, later, row));
    }
    Json counted = Json::object();
    for (const exec::Verdict v :
         {exec::Verdict::Same, exec::Verdict::ValueSame, exec::Verdict::Close, exec::Verdict::Differs, exec::Verdict::NotComparable})
        counted[std::string(exec::toString(v))] = counts[std::string(exec::toString(v))];
    return {{"stage", later.stage.name},
            {"idx", later.stage.idx},
            {"earlier", first.stage.name},
            {"same_graph_as", later.sameAs == later.stage.idx ? Json(nullptr) : Json(later.sameAs)},
            {"policy", comparison.policy},
            {"verdict", exec::toString(comparison.verdict)},
            {"counts", counted},
            {"first", comparison.first ? comparedJson(ops, first, later, comparison.rows[*comparison.first]) : Json(nullptr)},
            {"differing", rows}};
}

const StageComparison* comparisonOf(const Execution& execution, int stage) {
    for (const StageComparison& c : execution.comparisons)
        if (c.stage == stage) return &c;
    return nullptr;
}

std::string timeOf(const ExecutedStage& stage) {
    if (stage.sameAs != stage.stage.idx) return fmt::format("as stage {}", stage.sameAs);
    return stage.wallNs.empty() ? "-" : timeText(*std::min_element(stage.wallNs.begin(), stage.wallNs.end()));
}

}  // namespace

Table executionTable(Command& c, const Execution& execution) {
    Table table;
    table.columns = {{"idx", "#", true},     {"stage", "stage", false, 40},  {"time", "time", true},
                     {"peak", "peak", true}, {"verdict", "against stage 1"}, {"first", "begins at", false, 120}};
    for (const ExecutedStage* stage : execution.stages) {
        Row row;
        const StageComparison* found = comparisonOf(execution, stage->stage.idx);
        std::string verdict = stage == execution.stages.front() ? "-" : "";
        std::string first;
        if (!stage->complete) {
            verdict = "failed";
            first = stage->error ? stage->error->sentence() : "";
            row.style = Output::Style::Red;
        } else if (found) {
            verdict = exec::toString(found->comparison.verdict);
            first = firstDifference(c.ops(), *execution.stages.front(), *stage, found->comparison);
            if (found->comparison.verdict == exec::Verdict::Differs)
                row.style = Output::Style::Red;
            else if (stage->sameAs != stage->stage.idx)
                row.style = Output::Style::Dim;
        }
        row.cells = {std::to_string(stage->stage.idx), stage->stage.name, timeOf(*stage), bytesText(stage->memory.peakExact), verdict, first};
        row.json = {{"idx", stage->stage.idx},
                    {"stage", stage->stage.name},
                    {"same_graph_as", stage->sameAs == stage->stage.idx ? Json(nullptr) : Json(stage->sameAs)},
                    {"complete", stage->complete},
                    {"synthetic", stage->synthetic},
                    {"wall_ns", stage->wallNs},
                    {"peak", stage->memory.peakExact},
                    {"verdict", verdict},
                    {"first", orNull(first)},
                    {"error", stage->error ? diagnosticJson(*stage->error) : Json(nullptr)}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

Json executionJson(Command& c, const StageRuns& runs, const Execution& execution, bool lastOnly, bool withDigests) {
    Json digests = Json::array(), written = Json::array(), memory = Json::array(), comparisons = Json::array(), inputs = Json::array();
    for (const ExecutedStage* stage : execution.stages) {
        if (lastOnly && stage != execution.stages.back()) continue;
        if (withDigests && (lastOnly || stage->sameAs == stage->stage.idx)) addDigests(*stage, digests, written);
        memory.push_back(memoryJson(*stage));
    }
    for (const StageComparison& later : execution.comparisons)
        for (const ExecutedStage* stage : execution.stages)
            if (stage->stage.idx == later.stage) comparisons.push_back(comparisonJson(c.ops(), *execution.stages.front(), *stage, later.comparison));
    for (const exec::InputValue& v : runs.inputs().values()) inputs.push_back(inputJson(v));
    Json out = {{"stages", executionTable(c, execution).json()}};
    if (withDigests) {
        out["digests"] = std::move(digests);
        out["written"] = std::move(written);
    }
    out["memory"] = std::move(memory);
    out["comparisons"] = std::move(comparisons);
    out["inputs"] = std::move(inputs);
    return out;
}

}  // namespace aliascope::cli
