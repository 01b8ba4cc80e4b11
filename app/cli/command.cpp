#include "app/cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>

#include "core/recording/recording.h"
#include "core/support/nearest.h"
#include "core/support/reasons.h"

namespace aliascope::cli {
namespace {

void toStderr(std::string_view text) {
    const std::string line = escaped(text, true) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

Format chosenFormat(const Arguments& args) {
    const std::string name = args.get("--format");
    const bool gates = args.verb->name == "check";
    auto format = name.empty() ? std::optional(Format::Table) : formatFromName(name);
    if (gates && name == "junit") format = Format::Junit;
    if (!format) usage(fmt::format("--format {}: table, json, ndjson, csv{} or md expected", name, gates ? ", junit" : ""));
    if (args.has("--json") && !name.empty() && *format != Format::Json) usage(fmt::format("--json and --format {} contradict each other", name));
    return args.has("--json") ? Format::Json : *format;
}

}  // namespace

int exitCodeOf(const Diagnostic& d) {
    if (d.code.empty()) return ExitUsage;
    if (d.code == "S001" || d.code == "S002") return ExitSession;
    if (d.code == "S003" || d.code == "R005") return ExitOutput;
    if (d.code == "DEVICE_MISSING" || d.code == "LIBRARY_MISSING") return ExitDevice;
    if (d.code == "TIMEOUT") return ExitTimeout;
    if (d.code == "CANCELLED") return ExitInterrupted;
    if (const Reason* reason = findReason(d.code); reason && reason->area == "exec") return ExitExecution;
    if (d.code[0] == 'P' && d.code.size() == 4) return ExitUsage;
    if (d.code[0] == 'R' && d.code.size() == 4) return ExitInput;
    return ExitPass;
}

void endWith(const Diagnostic& d) {
    std::string text = d.format();
    if (d.code == "S002" && !d.file.empty()) text += fmt::format("\naliascope doctor {} -o COPY.aliascope writes what can be read of it", d.file);
    throw Failure{exitCodeOf(d), std::move(text)};
}
void usage(std::string text) { throw Failure{ExitUsage, std::move(text)}; }

Json diagnosticJson(const Diagnostic& d) {
    Json out = {{"severity", toString(d.severity)}, {"audience", toString(d.audience)}, {"code", d.code}, {"sentence", d.sentence()}};
    if (!d.file.empty()) out["file"] = d.file;
    if (d.line) out["line"] = d.line;
    if (d.column) out["column"] = d.column;
    if (d.node) out["node"] = d.node.str();
    if (!d.excerpt.empty()) out["excerpt"] = d.excerpt;
    return out;
}

Command::Command(Arguments arguments, CancelToken cancel) : arguments_(std::move(arguments)), cancel_(std::move(cancel)) {
    format_ = chosenFormat(arguments_);
    quiet_ = arguments_.has("--quiet");
    static constexpr std::string_view writers[] = {"run", "exec", "import", "doctor", "report", "export"};
    const bool sessionOutput = std::find(std::begin(writers), std::end(writers), arguments_.verb->name) != std::end(writers);
    output_ = std::make_unique<Output>(sessionOutput ? std::string() : arguments_.get("--output"), !arguments_.has("--no-color"));
}

const OpRegistry& Command::ops() {
    if (!opsChosen_) {
        opsChosen_ = true;
        std::vector<std::string> files = arguments_.all("--ops");
        const bool named = !files.empty();
        if (!named) files = opsFilesFor(opsBeside_.value_or(arguments_.at(0)));
        std::erase(files, "none");
        if (files.empty()) return OpRegistry::builtin();
        if (!named) note(fmt::format("operators of {}, in the folder of the graph (--ops none to leave them out)", fmt::join(files, ", ")));
        ownOps_ = std::make_unique<OpRegistry>(OpRegistry::withBuiltin());
        for (const std::string& file : files) {
            auto read = ownOps_->addFile(file);
            if (read)
                warn(*read);
            else if (named)
                throw Failure{ExitInput, read.error().format()};
            else
                warn(read.error());
        }
    }
    return ownOps_ ? *ownOps_ : OpRegistry::builtin();
}

void Command::warn(Diagnostic d) {
    warnings_.push_back(diagnosticJson(d));
    const bool shown = d.severity == Severity::Error || (d.severity == Severity::Warning ? !quiet_ : arguments_.has("--verbose"));
    if (shown) toStderr(d.format());
}

void Command::warn(const std::vector<Diagnostic>& list) {
    for (const Diagnostic& d : list) warn(d);
}

void Command::note(std::string_view text) const {
    if (!quiet_) toStderr(text);
}

void Command::error(const Diagnostic& d, int exit) {
    warnings_.push_back(diagnosticJson(d));
    toStderr(d.format());
    setExit(exit);
}

void Command::answer(const Table& table, const char* key) {
    if (json()) return answerJson(Json{{key, table.json()}});
    writeTable(out(), table, format_);
}

void Command::answerJson(Json result) {
    Json envelope = {
        {"schema", "aliascope/1"}, {"command", arguments_.verb->name}, {"input", input}, {"warnings", warnings_}, {"result", std::move(result)}};
    out().writeForeign(envelope.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

int Command::finish() {
    if (const std::string wrong = out().finish(); !wrong.empty()) {
        toStderr("aliascope: " + wrong);
        return ExitOutput;
    }
    if (!cancel_.cancelled()) return exit_;
    toStderr("aliascope: interrupted");
    return ExitInterrupted;
}

void dispatch(Command& command) {
    static const std::map<std::string_view, void (*)(Command&)> verbs = {
        {"list", runList},       {"show", runShow},         {"opt", runOpt},         {"run", runRun},         {"stages", runStages},
        {"exec", runExec},       {"numerics", runNumerics}, {"bisect", runBisect},   {"diff", runDiff},       {"decisions", runDecisions},
        {"why", runWhy},         {"history", runHistory},   {"aliases", runAliases}, {"memory", runMemory},   {"query", runQuery},
        {"passes", runPasses},   {"ops", runOps},           {"samples", runSamples}, {"version", runVersion}, {"selftest", runSelftest},
        {"chunk", runChunk},     {"check", runCheck},       {"compare", runCompare}, {"report", runReport},   {"export", runExport},
        {"explain", runExplain}, {"open", runOpen},         {"devices", runDevices}, {"doctor", runDoctor},   {"completion", runCompletion},
        {"import", runImport},   {"reduce", runReduce},
    };
    verbs.at(command.args().verb->name)(command);
}

int runCommandLine(const std::vector<std::string>& words, const CancelToken& cancel) {
    try {
        Parsed parsed = parseArguments(words);
        if (parsed.kind == Parsed::Kind::Mistake) {
            toStderr("aliascope: " + parsed.text);
            return ExitUsage;
        }
        if (parsed.kind == Parsed::Kind::Help) {
            Output out("", false);
            out.write(parsed.text);
            return out.finish().empty() ? ExitOk : ExitOutput;
        }
        Command command(std::move(parsed.arguments), cancel);
        dispatch(command);
        return command.finish();
    } catch (const Failure& failure) {
        // What an interrupted step says it lacks is no news: it was not let finish.
        toStderr("aliascope: " + (cancel.cancelled() ? std::string("interrupted") : failure.text));
        return cancel.cancelled() ? ExitInterrupted : failure.exit;
    } catch (const std::exception& e) {
        toStderr(fmt::format("aliascope: internal error: {}; please report it with the command and the file", e.what()));
        return ExitPass;
    }
}

}  // namespace aliascope::cli
