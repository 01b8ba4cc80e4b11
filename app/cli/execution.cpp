#include "app/cli/execution.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "app/cli/decision_view.h"
#include "app/cli/number_option.h"
#include "core/exec/compare_pairs.h"
#include "core/exec/written_values.h"

namespace aliascope::cli {
namespace {

exec::Sanitize sanitizeMode(Command& c) {
    const std::string text = c.args().get("--sanitize");
    if (text.empty() || text == "off") return exec::Sanitize::Off;
    if (text == "reads") return exec::Sanitize::Reads;
    if (text == "full") return exec::Sanitize::Full;
    usage(fmt::format("--sanitize {}: off, reads or full expected", text));
}

/// Names between commas, `%` left out.
std::vector<std::string> nodeList(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::string name = text.substr(at, end - at);
        if (name.starts_with("%")) name.erase(0, 1);
        if (!name.empty()) out.push_back(std::move(name));
        at = end + 1;
    }
    return out;
}

/// `all`, `outputs`, or nodes.
void readDigests(Command& c, StageRunOptions& options) {
    const std::string text = c.args().get("--digests");
    if (text.empty() || text == "all") return;
    options.digests = text == "outputs" ? exec::DigestMode::Outputs : exec::DigestMode::Nodes;
    if (options.digests == exec::DigestMode::Nodes) options.digestNodes = nodeList(text);
}

/// `A=B` or `A=B[OFFSET]`.
exec::InputAlias aliasOf(const std::string& text) {
    const auto wrong = [&] { usage(fmt::format("--alias {}: A=B or A=B[OFFSET] expected, OFFSET in elements of A", text)); };
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) wrong();
    exec::InputAlias alias;
    std::string base = text.substr(equals + 1);
    if (const auto open = base.find('['); open != std::string::npos) {
        const char *first = base.data() + open + 1, *last = base.data() + base.size() - 1;
        const auto [end, error] = std::from_chars(first, last, alias.offset);
        if (!base.ends_with(']') || error != std::errc() || end != last || alias.offset < 0) wrong();
        base.resize(open);
    }
    if (base.empty()) wrong();
    alias.name = Name(text.substr(0, equals));
    alias.base = Name(base);
    return alias;
}

/// `NAME=VALUE` or `NAME=FILE`.
exec::InputBinding bindingOf(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        usage(fmt::format("--bind {}: NAME=NUMBER or NAME=FILE expected", text));
    exec::InputBinding binding;
    binding.name = Name(text.substr(0, equals));
    const std::string value = text.substr(equals + 1);
    if (const auto number = numberIn<std::int64_t>(value))
        binding.number = *number;
    else
        binding.file = value;
    return binding;
}

bool onOff(Command& c, const char* option) {
    const std::string text = c.args().get(option);
    if (text.empty() || text == "off") return false;
    if (text == "on") return true;
    usage(fmt::format("{} {}: on or off expected", option, text));
}

Reference referenceOf(Command& c) {
    const std::string text = c.args().get("--reference");
    if (text.empty() || text == "native") return Reference::Native;
    if (text == "f64") return Reference::F64;
    usage(fmt::format("--reference {}: native or f64 expected", text));
}

/// `RTOL` or `RTOL,ATOL`.
void readTolerance(Command& c, StageRunOptions& options) {
    options.rtol = numberOption<double>(c, "--rtol", "a number from 0");
    options.atol = numberOption<double>(c, "--atol", "a number from 0");
    if (!c.args().has("--tolerance")) return;
    if (options.rtol || options.atol) usage("--tolerance and --rtol or --atol exclude each other");
    const std::string text = c.args().get("--tolerance");
    double values[2] = {0, 0};
    const char *at = text.data(), *end = at + text.size();
    for (int i = 0; i < 2; ++i) {
        const auto [stop, error] = std::from_chars(at, end, values[i]);
        if (error != std::errc() || !std::isfinite(values[i]) || values[i] < 0 || (stop != end && (i == 1 || *stop != ',')))
            usage(fmt::format("--tolerance {}: RTOL or RTOL,ATOL expected", text));
        if (stop == end) break;
        at = stop + 1;
    }
    options.rtol = values[0];
    options.atol = values[1];
}

const Node* nodeOf(const ExecutedStage& stage, const memory::Site& site) {
    const auto bodies = site.body == 0 ? std::vector<const Graph*>{stage.graph.get()} : exec::bodiesOf(*stage.graph);
    if (site.body >= bodies.size() || !bodies[site.body]->contains(site.node)) return nullptr;
    return &(*bodies[site.body])[site.node];
}

/// Name of the k-th written parameter of a call or wrapper; empty when it cannot be told.
std::string writtenParameter(const OpRegistry& ops, const Graph& g, const Node& n, int k) {
    if (const OpDef* op = exec::wrappedOperator(ops, n)) {
        const auto written = op->schema.writtenParams();
        // Of lists and absent optionals only the run knows which element it was.
        const bool plain = std::none_of(written.begin(), written.end(),
                                        [&](std::size_t i) { return op->schema.params[i].type.isList() || op->schema.params[i].type.isOptional(); });
        return plain && static_cast<std::size_t>(k) < written.size() ? op->schema.params[written[static_cast<std::size_t>(k)]].name.str()
                                                                     : std::string();
    }
    const auto written = writtenOperands(ops, g, n.id);
    if (static_cast<std::size_t>(k) >= written.size()) return {};
    const WrittenOperand& w = written[static_cast<std::size_t>(k)];
    return w.element < 0 ? w.param.str() : fmt::format("{}[{}]", w.param.str(), w.element);
}

std::string labelOf(const OpRegistry& ops, const ExecutedStage& stage, const memory::Site& site, int out) {
    const Node* n = nodeOf(stage, site);
    if (!n) return "?";
    if (n->kind == NodeKind::Output) return fmt::format("returned value {}", out);
    if (out >= 0) return out == 0 ? n->name.str() : fmt::format("{}[{}]", n->name.str(), out);
    if (n->kind == NodeKind::Placeholder) return n->name.str() + " after the run";
    const auto bodies = exec::bodiesOf(*stage.graph);
    const std::string parameter = site.body < bodies.size() ? writtenParameter(ops, *bodies[site.body], *n, -1 - out) : std::string();
    if (parameter.empty()) return {};
    const OpDef* wrapped = exec::wrappedOperator(ops, *n);
    return fmt::format("{} of {} after ({})", parameter, wrapped ? wrapped->canonical.str() : n->op.str(), n->name.str());
}

void showFailure(Command& c, const ExecutedStage& stage) {
    Diagnostic d = *stage.error;
    const std::string where = fmt::format("Stage {} {}.", stage.stage.idx, stage.stage.name);
    d.note = d.note.empty() ? where : d.note + " " + where;
    c.error(d, exitCodeOf(d));
}

}  // namespace

StageRunOptions stageRunOptions(Command& c) {
    StageRunOptions options;
    if (c.args().has("--device")) options.device = c.args().get("--device");
    if (c.args().has("--exec")) options.device = c.args().get("--exec");
    options.inputs = c.args().get("--inputs");
    options.seed = numberOption<std::uint64_t>(c, "--seed", "a number").value_or(0);
    options.castInputs = c.args().has("--cast");
    options.randomConstants = c.args().has("--random-constants");
    readDigests(c, options);
    for (const std::string& text : c.args().all("--alias")) options.aliases.push_back(aliasOf(text));
    for (const std::string& text : c.args().all("--bind")) {
        const bool ofProgram = c.args().has("--program") && text.find('=') == std::string::npos;
        if (!ofProgram) options.bindings.push_back(bindingOf(text));
    }
    options.keepNodes = nodeList(c.args().get("--keep"));
    options.plan = onOff(c, "--plan");
    options.reference = referenceOf(c);
    options.run.sanitize = sanitizeMode(c);
    options.run.cancel = c.cancel();
    options.run.standIn = c.args().has("--stand-in");
    options.run.maxFlops = numberOption<double>(c, "--max-flops", "a number, 0 for no limit").value_or(options.run.maxFlops);
    if (c.args().has("--max-bytes")) {
        const auto bytes = parseAmount(c.args().get("--max-bytes"));
        if (!bytes || *bytes < 1) usage(fmt::format("--max-bytes {}: a number of bytes expected", c.args().get("--max-bytes")));
        options.run.maxBytes = *bytes;
    }
    options.repeat = numberOption<int>(c, "--repeat", "a number from 1").value_or(1);
    constexpr int mostRepeats = 10'000;
    if (options.repeat < 1 || options.repeat > mostRepeats)
        usage(fmt::format("--repeat {}: a number from 1 to {} expected", options.repeat, mostRepeats));
    options.timeoutSeconds = numberOption<double>(c, "--timeout", "seconds").value_or(0);
    readTolerance(c, options);
    return options;
}

std::unique_ptr<StageRuns> prepareRuns(Command& c, const Staged& staged, StageRunOptions options) {
    c.input["device"] = options.device;
    c.input["inputs"] = options.inputs.empty() ? Json(nullptr) : Json(options.inputs);
    c.input["seed"] = options.seed;
    if (options.device == "auto") c.note("no CUDA device in this build; running on the CPU");
    auto runs = StageRuns::create(staged.recording, staged.lane.id, c.ops(), std::move(options));
    if (!runs) endWith(runs.error());
    c.warn((*runs)->warnings());
    return std::move(*runs);
}

std::vector<int> chosenStages(Command& c, const Staged& staged, const StageRuns& runs) {
    std::vector<int> out;
    const std::string selector = c.args().get("--stage");
    if (selector.empty() || selector == "all") {
        for (const StageRow& stage : runs.stages()) out.push_back(stage.idx);
        return out;
    }
    out.push_back(pickStage(staged, selector).idx);
    if (out.front() != runs.stages().front().idx) out.insert(out.begin(), runs.stages().front().idx);
    return out;
}

Execution executeStages(Command& c, StageRuns& runs, const std::vector<int>& stages, Recorder* recorder) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t told = runs.warnings().size();
    auto executed = aliascope::executeStages(
        runs, stages, true,
        [&](const ExecutedStage& stage) {
            if (stage.sameAs == stage.stage.idx)
                for (Diagnostic d : stage.warnings) {
                    d.note += fmt::format("{}Stage {} {}.", d.note.empty() ? "" : " ", stage.stage.idx, stage.stage.name);
                    c.warn(d);
                }
            if (!stage.complete) showFailure(c, stage);
        },
        recorder);
    if (!executed) endWith(executed.error());
    for (std::size_t i = told; i < runs.warnings().size(); ++i) c.warn(runs.warnings()[i]);
    for (const StageComparison& later : executed->comparisons)
        if (later.comparison.verdict == exec::Verdict::Differs) c.setExit(ExitNotFound);
    if (!c.json() && c.args().has("--verbose"))
        c.note(fmt::format("{} stages in {}", executed->stages.size(),
                           timeText(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count())));
    return std::move(*executed);
}

Execution executeAndRecord(Command& c, Staged& staged, StageRuns& runs, const std::vector<int>& stages, const std::string& path) {
    if (!staged.recorder) {
        auto recorder = Recorder::create(path);
        if (!recorder) {
            c.error(recorder.error(), ExitOutput);
            return executeStages(c, runs, stages);
        }
        staged.recorder = std::move(*recorder);
    }
    Execution execution = executeStages(c, runs, stages, staged.recorder.get());
    if (auto recorded = recordExecution(*staged.recorder, runs, execution); !recorded) c.error(recorded.error(), ExitOutput);
    return execution;
}

void closeSession(Command& c, Staged& staged, std::unique_ptr<StageRuns>& runs) {
    runs.reset();
    staged.recording.reset();
    if (!staged.recorder) return;
    if (auto closed = staged.recorder->close(); !closed) c.error(closed.error(), ExitOutput);
    staged.recorder.reset();
}

Json numberJson(double n) {
    if (std::isnan(n)) return "nan";
    if (std::isinf(n)) return n > 0 ? "inf" : "-inf";
    return n;
}

Json nodeJson(const ExecutedStage& stage, const memory::Site& site) {
    const Node* n = nodeOf(stage, site);
    if (!n) return nullptr;
    return {{"name", n->name.str()}, {"stage", stage.stage.name}, {"op", n->op.empty() ? std::string(toString(n->kind)) : n->op.str()}};
}

std::string valueLabel(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::ComparedValue& row) {
    std::string label = row.b ? labelOf(ops, later, *row.b, row.outB) : std::string();
    if (label.empty() && row.a) label = labelOf(ops, earlier, *row.a, row.outA);
    return label.empty() ? fmt::format("written value {}", -1 - row.outB) : label;
}

Json comparedJson(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::ComparedValue& row) {
    Json out = {{"label", valueLabel(ops, earlier, later, row)},
                {"node", row.b ? nodeJson(later, *row.b) : Json(nullptr)},
                {"earlier", row.a ? nodeJson(earlier, *row.a) : Json(nullptr)},
                {"out", row.outB},
                {"verdict", exec::toString(row.verdict)},
                {"inherited", row.inherited}};
    if (!row.why.empty()) out["why"] = row.why;
    if (row.measured) {
        out["max_abs"] = numberJson(row.maxAbs);
        out["max_rel"] = numberJson(row.maxRel);
        out["ulp"] = numberJson(row.ulp);
        if (row.errorA && row.errorB) {
            out["error_a"] = numberJson(*row.errorA);
            out["error_b"] = numberJson(*row.errorB);
        }
        out["at"] = row.at;
        out["a"] = row.valueA;
        out["b"] = row.valueB;
    }
    return out;
}

std::string positionText(const exec::Shape& at) { return fmt::format("[{}]", fmt::join(at, ", ")); }

std::string numberText(double n) {
    if (!std::isfinite(n)) return numberJson(n).get<std::string>();
    return fmt::format("{:.3g}", n);
}

std::string firstDifference(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::Comparison& comparison) {
    if (!comparison.first) return {};
    const exec::ComparedValue& row = comparison.rows[*comparison.first];
    const std::string where = valueLabel(ops, earlier, later, row);
    if (!row.measured || row.index < 0) return where;
    return fmt::format("{}: max abs {} at {}, {} became {}", where, numberText(row.maxAbs), positionText(row.at), row.valueA, row.valueB);
}

}  // namespace aliascope::cli
