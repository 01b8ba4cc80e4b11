#pragma once
// One invocation of a verb: its arguments, its output, its warnings, its exit code.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "core/ir/op_registry.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"

namespace aliascope::cli {

/// Exit codes of ui.md 6.
enum ExitCode : int {
    ExitOk = 0,
    ExitNotFound = 1,
    ExitUsage = 2,
    ExitInput = 3,
    ExitPass = 4,
    ExitExecution = 5,
    ExitDevice = 6,
    ExitSession = 7,
    ExitTimeout = 8,
    ExitOutput = 9,
    ExitInterrupted = 130
};

/// Ends the command with a message on stderr. Thrown inside app/cli only.
struct Failure {
    int exit = ExitUsage;
    std::string text;
};
/// The exit code that fits the code of a diagnostic.
int exitCodeOf(const Diagnostic& d);
[[noreturn]] void endWith(const Diagnostic& d);
[[noreturn]] void usage(std::string text);

class Command {
public:
    Command(Arguments arguments, CancelToken cancel);

    const Arguments& args() const { return arguments_; }
    Output& out() { return *output_; }
    Format format() const { return format_; }
    bool json() const { return format_ == Format::Json; }
    const CancelToken& cancel() const { return cancel_; }

    /// Without --ops, .ops files are sought beside this file instead of the first argument.
    void seekOpsBeside(std::string file) { opsBeside_ = std::move(file); }
    /// Built-in operators and those of --ops. Bad lines become warnings; an unreadable file ends the command.
    const OpRegistry& ops();

    /// Into the envelope's warnings, and to stderr: errors always, warnings not with -q, notes only with -v.
    void warn(Diagnostic d);
    void warn(const std::vector<Diagnostic>& list);
    /// What is good to know (which graph was taken); stderr, not with -q.
    void note(std::string_view text) const;
    /// The error is shown, the command goes on and ends with this exit code.
    void error(const Diagnostic& d, int exit);
    void setExit(int exit) {
        if (exit_ == ExitOk) exit_ = exit;
    }
    int exit() const { return exit_; }
    /// What set the exit code turned out to be no failure.
    void resetExit() { exit_ = ExitOk; }

    /// What the envelope's `input` says: path, graph, session, lane, stage.
    Json input = Json::object();

    /// Answer of a tabular verb: the envelope with `result[key]`, or the table in the chosen form.
    void answer(const Table& table, const char* key);
    void answerJson(Json result);

    /// Writes the output; the exit code of the process.
    int finish();

private:
    Arguments arguments_;
    CancelToken cancel_;
    std::unique_ptr<Output> output_;
    Format format_ = Format::Table;
    bool quiet_ = false;
    int exit_ = ExitOk;
    std::unique_ptr<OpRegistry> ownOps_;  ///< null = the built-in ones
    bool opsChosen_ = false;
    std::optional<std::string> opsBeside_;
    Json warnings_ = Json::array();
};

/// Runs the verb of `command`. Throws Failure.
void dispatch(Command& command);
/// Everything: parse, run, exit code. `cancel` is set by the signal handler.
int runCommandLine(const std::vector<std::string>& words, const CancelToken& cancel);

Json diagnosticJson(const Diagnostic& d);

// The verbs, one function each.
void runList(Command& c);
void runShow(Command& c);
void runOpt(Command& c);
void runRun(Command& c);
void runStages(Command& c);
void runDiff(Command& c);
void runExec(Command& c);
void runNumerics(Command& c);
void runBisect(Command& c);
void runDecisions(Command& c);
void runWhy(Command& c);
void runHistory(Command& c);
void runAliases(Command& c);
void runMemory(Command& c);
void runChunk(Command& c);
void runQuery(Command& c);
void runPasses(Command& c);
void runOps(Command& c);
void runSamples(Command& c);
void runReduce(Command& c);
void runSelftest(Command& c);
void runVersion(Command& c);
void runCheck(Command& c);
void runCompare(Command& c);
void runReport(Command& c);
void runExport(Command& c);
void runExplain(Command& c);
void runOpen(Command& c);
void runDevices(Command& c);
void runDoctor(Command& c);
void runCompletion(Command& c);
void runImport(Command& c);

}  // namespace aliascope::cli
