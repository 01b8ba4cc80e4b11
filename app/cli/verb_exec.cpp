// `exec`: runs stages, compares every one with the first, records both.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/execution.h"
#include "core/exec/tensor_files.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

/// The session to be written: -o, else FILE when it is one; empty = nothing is kept.
struct Place {
    std::string file, session;
};

/// With -o a session is copied there first: what the caller has stays as it is.
Place placeOf(Command& c) {
    Place place{c.args().at(0), c.args().get("--output")};
    const bool session = place.file != "-" && isSessionFile(place.file);
    if (!session) return place;
    if (place.session.empty() || place.session == place.file) {
        place.session = place.file;
        return place;
    }
    std::error_code error;
    fs::copy_file(place.file, place.session, error);
    if (error) throw Failure{ExitOutput, fmt::format("cannot copy {} to {}: {}", place.file, place.session, error.message())};
    place.file = place.session;
    return place;
}

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
    return {{"stage", stage.stage.name},          {"idx", stage.stage.idx},
            {"peak_exact", stage.memory.peakExact}, {"peak_charged", stage.memory.peakCharged},
            {"events", stage.memory.events.size()}, {"conditional", stage.memory.conditional}};
}

Json inputJson(const exec::InputValue& v) {
    Json out = {{"name", v.name.str()}, {"kind", v.constant ? "constant" : v.integer ? "size" : "tensor"}, {"role", v.role}, {"reason", v.reason}};
    if (v.integer) out["value"] = *v.integer;
    else out["type"] = v.type.str(true, false);
    if (v.index >= 0) out["index"] = v.index;
    return out;
}

Json comparisonJson(const OpRegistry& ops, const ExecutedStage& first, const ExecutedStage& later, const exec::Comparison& comparison) {
    Json rows = Json::array();
    std::map<std::string, std::int64_t> counts;
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
        const exec::ComparedValue& row = comparison.rows[i];
        ++counts[std::string(exec::toString(row.verdict))];
        if (!exec::agrees(row.verdict) && (row.a || row.b) && row.verdict == exec::Verdict::Differs) rows.push_back(comparedJson(ops, first, later, row));
    }
    Json counted = Json::object();
    for (const exec::Verdict v : {exec::Verdict::Same, exec::Verdict::ValueSame, exec::Verdict::Close, exec::Verdict::Differs, exec::Verdict::NotComparable})
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

Table stageTable(Command& c, const Execution& execution) {
    Table table;
    table.columns = {{"idx", "#", true}, {"stage", "stage", false, 40}, {"time", "time", true}, {"peak", "peak", true}, {"verdict", "against stage 1"}, {"first", "begins at", false, 120}};
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
            if (found->comparison.verdict == exec::Verdict::Differs) row.style = Output::Style::Red;
            else if (stage->sameAs != stage->stage.idx) row.style = Output::Style::Dim;
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

void saveOutputs(Command& c, StageRuns& runs, const Execution& execution) {
    const std::string path = c.args().get("--save-outputs");
    if (path.empty()) return;
    if (!execution.last) return c.note("--save-outputs: no stage ran to its end, nothing is saved");
    auto tensors = runs.savedOutputs(execution.last->stage.idx);
    if (!tensors) endWith(tensors.error());
    if (auto written = exec::writeTensorFile(path, *tensors); !written) throw Failure{ExitOutput, written.error().format()};
    if (!c.json()) c.note(fmt::format("{} tensors of stage {} written to {}", tensors->size(), execution.last->stage.name, path));
}

}  // namespace

void runExec(Command& c) {
    StageRunOptions options = stageRunOptions(c);
    const Place place = placeOf(c);
    const Staged staged = openStaged(c, place.file, place.session == place.file ? std::string() : place.session);
    const auto runs = prepareRuns(c, staged, std::move(options));
    const Execution execution = executeStages(c, *runs, chosenStages(c, staged, *runs));
    if (!place.session.empty()) recordExecution(c, *runs, execution, place.session);
    saveOutputs(c, *runs, execution);
    const Table stages = stageTable(c, execution);
    if (!c.json()) {
        writeTable(c.out(), stages, c.format());
        return;
    }
    Json digests = Json::array(), written = Json::array(), memory = Json::array(), comparisons = Json::array(), inputs = Json::array();
    const std::string selector = c.args().get("--stage");
    const bool one = !selector.empty() && selector != "all";
    for (const ExecutedStage* stage : execution.stages) {
        if (one && stage != execution.stages.back()) continue;
        if (stage->sameAs == stage->stage.idx || one) addDigests(*stage, digests, written);
        memory.push_back(memoryJson(*stage));
    }
    for (const StageComparison& later : execution.comparisons)
        for (const ExecutedStage* stage : execution.stages)
            if (stage->stage.idx == later.stage) comparisons.push_back(comparisonJson(c.ops(), *execution.stages.front(), *stage, later.comparison));
    for (const exec::InputValue& v : runs->inputs().values()) inputs.push_back(inputJson(v));
    c.answerJson({{"stages", stages.json()},
                  {"digests", std::move(digests)},
                  {"written", std::move(written)},
                  {"memory", std::move(memory)},
                  {"comparisons", std::move(comparisons)},
                  {"inputs", std::move(inputs)}});
}

}  // namespace aliascope::cli
