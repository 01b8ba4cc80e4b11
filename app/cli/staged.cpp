// Stages to look at: lanes of sessions, and temporary sessions of plain files.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/cli/source.h"
#include "core/recording/recorder.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t maxPipelineFile = 1 << 20;

std::string readPipelineFile(const std::string& path) {
    std::string text;
    if (path == "-") {
        char buffer[4096];
        while (text.size() < maxPipelineFile) {
            const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
            if (n <= 0) break;
            text.append(buffer, static_cast<std::size_t>(n));
        }
        return text;
    }
    std::ifstream in(path, std::ios::binary);
    text.resize(maxPipelineFile);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/// One line on the terminal, from 300 ms on; gone at the end.
class ProgressLine {
public:
    ~ProgressLine() {
        if (shown_) fmt::print(stderr, "\r\x1b[K");
    }
    void show(double fraction, std::string_view what) {
        if (std::chrono::steady_clock::now() - start_ < std::chrono::milliseconds(300)) return;
        fmt::print(stderr, "\r\x1b[K{:3.0f} %  {}", fraction * 100, what);
        std::fflush(stderr);
        shown_ = true;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    bool shown_ = false;
};

std::string stageList(const std::vector<StageRow>& stages) {
    std::string out;
    for (const StageRow& stage : stages) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", stage.idx, stage.name);
    return out;
}

std::string graphList(const std::vector<GraphRow>& graphs) {
    std::string out;
    for (const GraphRow& graph : graphs) out += fmt::format("{}{} ({}, {} nodes)", out.empty() ? "" : ", ", graph.id, graph.name, graph.nodes);
    return out;
}

std::string laneList(const std::vector<LaneRow>& lanes) {
    std::string out;
    for (const LaneRow& lane : lanes) out += (out.empty() ? "" : ", ") + lane.name;
    return out;
}

GraphRow pickGraphRow(Command& c, const Recording& recording, const std::vector<LaneRow>& lanes) {
    const auto graphs = recording.graphs();
    const std::string selector = c.args().get("--graph");
    if (graphs.empty()) throw Failure{ExitNotFound, recording.path() + " has no graph"};
    if (selector.empty()) {
        for (const GraphRow& graph : graphs)
            if (!lanes.empty() && graph.id == lanes.back().graph) return graph;
        return graphs.front();
    }
    std::vector<GraphRow> found;
    for (const GraphRow& graph : graphs)
        if (std::to_string(graph.id) == selector || graph.name == selector) found.push_back(graph);
    if (found.empty())
        for (const GraphRow& graph : graphs)
            if (graph.name.starts_with(selector)) found.push_back(graph);
    if (found.empty()) throw Failure{ExitNotFound, fmt::format("no graph {} in {}; it has {}", selector, recording.path(), graphList(graphs))};
    if (found.size() > 1) throw Failure{ExitUsage, fmt::format("--graph {} fits several graphs: {}", selector, graphList(found))};
    return found.front();
}

std::shared_ptr<Recording> openRecording(const std::string& path) {
    auto recording = Recording::open(path);
    if (!recording) endWith(recording.error());
    if (const auto fault = (*recording)->fault()) endWith(*fault);
    return *recording;
}

void describe(Command& c, const Staged& staged, const std::string& file) {
    c.input["path"] = file;
    c.input["session"] = staged.ran ? Json(nullptr) : Json(staged.recording->path());
    c.input["graph"] = {{"id", std::to_string(staged.graph.id)}, {"name", staged.graph.name}};
    c.input["lane"] = staged.lane.name;
    c.input["pipeline"] = staged.lane.pipeline;
}

/// Runs `pipeline` on `graph` and records it as a lane. Messages become warnings, a failure sets the exit code.
void record(Command& c, Recorder& recorder, std::int64_t graphId, Graph& graph, const Pipeline& pipeline) {
    auto observer = recorder.beginLane(graphId, pipeline.name.empty() ? "passes" : pipeline.name, c.ops());
    if (!observer) endWith(observer.error());
    RunOptions options = runOptions(c, pipeline);
    options.judgeNeeds = true;
    const RunResult result = runPipeline(graph, pipeline, c.ops(), {*observer}, options);
    for (const Diagnostic& d : result.diagnostics)
        if (!result.error || d.code != result.error->code) c.warn(d);
    if (result.error) c.error(*result.error, result.error->code == "S003" ? ExitOutput : ExitPass);
}

std::unique_ptr<Recorder> createRecorder(const std::string& path) {
    auto recorder = Recorder::create(path);
    if (!recorder) {
        const int exit = exitCodeOf(recorder.error());
        throw Failure{exit == ExitInput ? ExitOutput : exit, recorder.error().format()};
    }
    return std::move(*recorder);
}

void closeRecorder(Command& c, Recorder& recorder) {
    if (auto closed = recorder.close(); !closed) c.error(closed.error(), ExitOutput);
}

/// The graph row of `session` that holds this very unit already: a second run of a file then adds a lane, not a copy of the graph.
std::optional<std::int64_t> knownGraph(const std::string& session, const Document& document, const Unit& unit) {
    std::error_code ignored;
    if (!fs::is_regular_file(session, ignored) || !isSessionFile(session)) return std::nullopt;
    const auto recording = openRecording(session);
    for (const GraphRow& graph : recording->graphs())
        if (graph.unit == unit.id && recording->sourceText(graph.id) == document.text) return graph.id;
    return std::nullopt;
}

/// Reads the file, runs the pipeline, records both at `session`.
Staged runFile(Command& c, const std::string& file, Staged staged, const std::string& session) {
    const Pipeline pipeline = chosenPipeline(c, "best");
    Document document = readDocument(c, file);
    const GraphEntry picked = pickGraph(c, document);
    if (!picked.path.empty()) usage(fmt::format("--graph {}: a pipeline runs on a whole graph; take {}", picked.id, document.units[picked.unit].id));
    warnOf(c, document.units[picked.unit]);
    auto graphId = knownGraph(session, document, document.units[picked.unit]);
    auto recorder = createRecorder(session);
    if (!graphId) {
        auto ids = recorder->addDocument(document);
        if (!ids) endWith(ids.error());
        graphId = ids->at(picked.unit);
    }
    record(c, *recorder, *graphId, document.units[picked.unit].graph, pipeline);
    closeRecorder(c, *recorder);
    staged.recording = openRecording(session);
    staged.lane = staged.recording->lanes().back();
    for (const GraphRow& graph : staged.recording->graphs())
        if (graph.id == staged.lane.graph) staged.graph = graph;
    staged.missing = pipeline.missing;
    staged.ran = true;
    return staged;
}

/// Runs the pipeline on a graph of a session (as opened) and records it as one more lane at `session`.
Staged runSession(Command& c, const std::string& file, Staged staged, const std::string& session) {
    const Pipeline pipeline = chosenPipeline(c, "best");
    if (session != file) {
        std::error_code error;
        fs::copy_file(file, session, error);
        if (error) throw Failure{ExitOutput, fmt::format("cannot copy {} to {}: {}", file, session, error.message())};
    }
    std::int64_t graphId = 0;
    Graph graph;
    {
        const auto recording = openRecording(session);
        const auto lanes = recording->lanes();
        staged.graph = pickGraphRow(c, *recording, lanes);
        graphId = staged.graph.id;
        const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& l) { return l.graph == graphId; });
        if (lane == lanes.end()) throw Failure{ExitNotFound, fmt::format("graph {} of {} has no recorded stage", staged.graph.name, file)};
        auto rebuilt = recording->graph(lane->id, 1, c.ops());
        if (!rebuilt) endWith(rebuilt.error());
        graph = std::move(*rebuilt);
    }
    auto recorder = createRecorder(session);
    record(c, *recorder, graphId, graph, pipeline);
    closeRecorder(c, *recorder);
    staged.recording = openRecording(session);
    staged.lane = staged.recording->lanes().back();
    staged.missing = pipeline.missing;
    staged.ran = true;
    return staged;
}

}  // namespace

Pipeline chosenPipeline(Command& c, const std::string& fallback) {
    const std::string passes = c.args().get("--passes");
    std::string name = c.args().get("--pipeline");
    if (c.args().has("--passes") && c.args().has("--pipeline")) usage("--pipeline and --passes exclude each other");
    std::string text = c.args().has("--passes") ? passes : name;
    if (text.empty() && !c.args().has("--passes")) text = fallback;
    if (c.args().has("--pipeline")) {
        std::error_code ignored;
        if (name == "-" && c.args().at(0) == "-") usage("standard input cannot be both the graph and the pipeline");
        if (name == "-" || (name.find_first_of("{,") == std::string::npos && fs::is_regular_file(name, ignored))) text = readPipelineFile(name);
    }
    if (text.empty() && !c.args().has("--passes")) return {};
    auto pipeline = parsePipeline(text);
    if (!pipeline) endWith(pipeline.error());
    return std::move(*pipeline);
}

RunOptions runOptions(Command& c, const Pipeline& pipeline) {
    std::vector<std::string> names;
    for (const PipelineStep& step : pipeline.steps) names.emplace_back(step.pass->name());
    auto check = [&](const char* option, const std::string& name) {
        if (std::find(names.begin(), names.end(), name.substr(0, name.find('#'))) == names.end())
            usage(fmt::format("{} {}: the pipeline runs no such pass; nearest {}", option, name, nearestList(name, names)));
    };
    RunOptions options;
    options.cancel = c.cancel();
    options.until = c.args().get("--until");
    options.skip = c.args().all("--skip");
    if (!options.until.empty()) check("--until", options.until);
    for (const std::string& pass : options.skip) check("--skip", pass);
    if (colorTerminal(stderr) && !c.args().has("--quiet"))
        options.progress = [line = std::make_shared<ProgressLine>()](double fraction, std::string_view what) { line->show(fraction, what); };
    return options;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name) {
    if (path_.empty()) {
        std::error_code error;
        const fs::path base = fs::temp_directory_path(error);
        if (error) throw Failure{ExitOutput, fmt::format("no folder for temporary files: {}", error.message())};
        std::string pattern = (base / "aliascope-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw Failure{ExitOutput, fmt::format("cannot make a temporary folder in {}", base.string())};
        path_ = pattern;
    }
    return path_ + "/" + name;
}

Staged openSession(Command& c, const std::string& file) {
    Staged staged;
    staged.recording = openRecording(file);
    auto lanes = staged.recording->lanes();
    staged.graph = pickGraphRow(c, *staged.recording, lanes);
    std::erase_if(lanes, [&](const LaneRow& lane) { return lane.graph != staged.graph.id; });
    if (lanes.empty()) throw Failure{ExitNotFound, fmt::format("graph {} of {} has no recorded stage", staged.graph.name, file)};
    const std::string wanted = c.args().get("--pipeline");
    const auto lane =
        wanted.empty() ? std::prev(lanes.end()) : std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& l) { return l.name == wanted; });
    if (lane == lanes.end()) throw Failure{ExitNotFound, fmt::format("no lane {} in {}; it has {}", wanted, file, laneList(lanes))};
    staged.lane = *lane;
    if (lanes.size() > 1 && wanted.empty())
        c.note(fmt::format("{} lanes; taking {}. --pipeline picks another: {}", lanes.size(), staged.lane.name, laneList(lanes)));
    describe(c, staged, file);
    return staged;
}

Staged openStaged(Command& c, const std::string& file, const std::string& keep) {
    Staged staged;
    const bool session = file != "-" && isSessionFile(file);
    const bool run = c.args().verb->name == "run";
    if (session && !run) {
        bool known = !c.args().has("--passes");
        if (const std::string name = c.args().get("--pipeline"); known && !name.empty()) {
            const auto lanes = openRecording(file)->lanes();
            known = std::any_of(lanes.begin(), lanes.end(), [&](const LaneRow& lane) { return lane.name == name; });
            std::error_code ignored;
            if (!known && name != "-" && !fs::is_regular_file(name, ignored) && !parsePipeline(name))
                throw Failure{ExitNotFound, fmt::format("no lane {} in {}, and it is no pipeline either; lanes: {}", name, file, laneList(lanes))};
        }
        if (known) return openSession(c, file);
    }
    const std::string path = keep.empty() ? staged.folder.file("run.aliascope") : keep;
    staged = session ? runSession(c, file, std::move(staged), path) : runFile(c, file, std::move(staged), path);
    describe(c, staged, file);
    if (!keep.empty()) c.input["session"] = keep;
    return staged;
}

StageRow pickStage(const Staged& staged, const std::string& selector) {
    if (auto stage = staged.recording->stage(staged.lane.id, selector)) return *stage;
    throw Failure{ExitNotFound, fmt::format("no stage {}, or more than one begins so; there are {}", selector,
                                            stageList(staged.recording->stages(staged.lane.id)))};
}

}  // namespace aliascope::cli
