#pragma once
// Running stages from the command line: options, the runs themselves, how they are told. Shared by `exec`, `run --exec`, `numerics` and `bisect`.

#include <memory>
#include <string>
#include <vector>

#include "app/cli/source.h"
#include "core/recording/stage_execution.h"

namespace aliascope::cli {

/// --device, --inputs, --seed, --repeat, --digests, --sanitize, --rtol, --atol, --tolerance, --timeout, --max-flops, --stand-in, …; mistakes end
/// the command with exit 2.
StageRunOptions stageRunOptions(Command& c);

/// Chooses inputs and device; errors end the command with exit 5 (6: the device is not there; 3: the file of inputs cannot be read).
std::unique_ptr<StageRuns> prepareRuns(Command& c, const Staged& staged, StageRunOptions options);

using Execution = StageExecution;

/// Runs the stages (indices, rising) and compares each with the first. What fails is shown; the exit code becomes 5, 8 or 130, and 1 where a stage
/// differs.
Execution executeStages(Command& c, StageRuns& runs, const std::vector<int>& stages, Recorder* recorder = nullptr);

/// The same, with runs and comparisons recorded in the session at `path`, by its recorder if `staged` has that open. What cannot be written is shown
/// (exit 9).
Execution executeAndRecord(Command& c, Staged& staged, StageRuns& runs, const std::vector<int>& stages, const std::string& path);
/// Ends reading and writing of the session, which is one file afterwards; what cannot be written is shown (exit 9). The runs end too: they read it.
void closeSession(Command& c, Staged& staged, std::unique_ptr<StageRuns>& runs);

/// Stages that --stage names: `all`, or one.
std::vector<int> chosenStages(Command& c, const Staged& staged, const StageRuns& runs);

/// A number that is not finite is the string `inf`, `-inf` or `nan`.
Json numberJson(double n);
/// {"name", "stage", "op"} of a node of a stage; null when it is not there.
Json nodeJson(const ExecutedStage& stage, const memory::Site& site);
/// What a row speaks of: `cos`, `x of mylib::two after (two)`, `returned value 0`, `x_1 after the run`.
std::string valueLabel(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::ComparedValue& row);
Json comparedJson(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::ComparedValue& row);
/// `[3, 0]`
std::string positionText(const exec::Shape& at);
/// `1.5e-07`, `3`, `inf`
std::string numberText(double n);
/// `first differs at x of mylib::two after (two): max abs 3 at [3, 0], 1.5 became 4.5`; empty when nothing differs.
std::string firstDifference(const OpRegistry& ops, const ExecutedStage& earlier, const ExecutedStage& later, const exec::Comparison& comparison);

}  // namespace aliascope::cli
