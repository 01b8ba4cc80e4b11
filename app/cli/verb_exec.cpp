// `exec`: runs stages, compares every one with the first, records both.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/execution_report.h"
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

void saveOutputs(Command& c, StageRuns& runs, const Execution& execution, const std::vector<std::string>& keep) {
    const std::string path = c.args().get("--save-outputs");
    if (path.empty()) return;
    if (!execution.last) return c.note("--save-outputs: no stage ran to its end, nothing is saved");
    auto tensors = runs.savedOutputs(execution.last->stage.idx);
    if (!tensors) endWith(tensors.error());
    for (const std::string& node : keep)
        if (std::none_of(tensors->begin(), tensors->end(), [&](const exec::TensorBytes& t) { return t.name == "value/" + node; }))
            c.note(fmt::format("--keep {}: stage {} has no tensor of that name", node, execution.last->stage.name));
    if (auto written = exec::writeTensorFile(path, *tensors); !written) throw Failure{ExitOutput, written.error().format()};
    if (!c.json()) c.note(fmt::format("{} tensors of stage {} written to {}", tensors->size(), execution.last->stage.name, path));
}

}  // namespace

void runExec(Command& c) {
    StageRunOptions options = stageRunOptions(c);
    const std::vector<std::string> keep = options.keepNodes;
    if (!keep.empty() && !c.args().has("--save-outputs")) usage("--keep needs --save-outputs, which is where the values go");
    const Place place = placeOf(c);
    const bool recorded = !place.session.empty();
    Staged staged =
        openStaged(c, place.file, place.session == place.file ? std::string() : place.session, recorded ? Writing::GoesOn : Writing::Ends);
    auto runs = prepareRuns(c, staged, std::move(options));
    const std::vector<int> stages = chosenStages(c, staged, *runs);
    const Execution execution = recorded ? executeAndRecord(c, staged, *runs, stages, place.session) : executeStages(c, *runs, stages);
    saveOutputs(c, *runs, execution, keep);
    const std::string selector = c.args().get("--stage");
    const Json result = c.json() ? executionJson(c, *runs, execution, !selector.empty() && selector != "all", true) : Json();
    const Table table = c.json() ? Table() : executionTable(c, execution);
    closeSession(c, staged, runs);
    if (c.json()) return c.answerJson(result);
    writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
