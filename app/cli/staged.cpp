// Stages to look at: lanes of sessions, and temporary sessions of plain files.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>

#include "app/cli/limits.h"
#include "app/cli/progress_line.h"
#include "app/cli/source.h"
#include "core/patterns/language.h"
#include "core/recording/foreign_lanes.h"
#include "core/recording/program_graphs.h"
#include "core/recording/recorder.h"
#include "core/recording/session_copy.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t maxOptionFile = 1 << 20;

/// The text of a small file that an option names, `-` = standard input; errors end the command with exit 3. `what` it holds, for messages.
std::string readOptionFile(std::string_view option, const std::string& path, std::string_view what) {
    const auto refuse = [&](std::string_view why) { throw Failure{ExitInput, fmt::format("{} {}: {}", option, path, why)}; };
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) refuse(fmt::format("this is a folder; a file with {} is expected", what));
    const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string text(maxOptionFile + 1, '\0');
    std::size_t size = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && size < text.size()) {
        n = ::read(fd, text.data() + size, text.size() - size);
        if (n > 0) size += static_cast<std::size_t>(n);
    }
    const int error = n < 0 ? errno : 0;
    if (fd > STDIN_FILENO) ::close(fd);
    if (error != 0) refuse(std::strerror(error));
    if (size > maxOptionFile) refuse(fmt::format("it is larger than 1 MiB; a file with {} is expected", what));
    text.resize(size);
    return text;
}

/// What is given for a pipeline is meant as a path: it exists, or nobody would name a pipeline so.
bool isPipelineFile(const std::string& name) {
    std::error_code ignored;
    return name == "-" || fs::exists(name, ignored) || (name.find('/') != std::string::npos && name.find_first_of("{,") == std::string::npos);
}

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

bool isForeign(const LaneRow& lane) { return lane.kind == "foreign"; }
/// A lane of `import` that holds a graph as it was read, and nothing else.
bool isOnlyRead(const LaneRow& lane) { return lane.name.starts_with("imported"); }

/// The graph of the last lane of that name, or of the last lane. In a session that was only imported the first lane of several stages counts: the
/// forward.
std::int64_t graphOfLane(const std::vector<LaneRow>& lanes, const std::string& name) {
    for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane)
        if (!name.empty() && lane->name == name) return lane->graph;
    if (lanes.empty()) return 0;
    const auto foreign = std::find_if(lanes.begin(), lanes.end(), isForeign);
    const bool imported = std::all_of(lanes.begin(), lanes.end(), [](const LaneRow& lane) { return isForeign(lane) || isOnlyRead(lane); });
    return imported && foreign != lanes.end() ? foreign->graph : lanes.back().graph;
}

/// Of the lanes of one graph, at least one, the one that is shown when none is named: the last, but stages rather than the graph as it was read.
const LaneRow& defaultLane(const std::vector<LaneRow>& lanes) {
    const auto foreign = isOnlyRead(lanes.back()) ? std::find_if(lanes.begin(), lanes.end(), isForeign) : lanes.end();
    return foreign == lanes.end() ? lanes.back() : *foreign;
}

/// The graph that --graph names, else that of the lane of that name.
GraphRow pickGraphRow(Command& c, const Recording& recording, const std::vector<LaneRow>& lanes, const std::string& lane) {
    const auto graphs = recording.graphs();
    const std::string selector = c.args().get("--graph");
    if (graphs.empty()) throw Failure{ExitNotFound, recording.path() + " has no graph: its writer ended before one was in it"};
    if (selector.empty()) {
        const std::int64_t wanted = graphOfLane(lanes, lane);
        for (const GraphRow& graph : graphs)
            if (graph.id == wanted) return graph;
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
    c.input["state"] = staged.lane.state;
    if (const std::string why = incompleteness(staged); !why.empty() && !staged.ran) c.note(why);
}

/// Runs `pipeline` by `run` and records it as a lane. Messages become warnings; gives the error that ended the run.
std::optional<Diagnostic> record(Command& c, Recorder& recorder, std::int64_t graphId, const Pipeline& pipeline,
                                 const std::function<RunResult(PassObserver*, const RunOptions&)>& run) {
    auto observer = recorder.beginLane(graphId, pipeline.name.empty() ? "passes" : pipeline.name, c.ops());
    if (!observer) endWith(observer.error());
    RunOptions options = runOptions(c, pipeline);
    // Decisions are not what a run of the stages is asked for.
    const std::string_view verb = c.args().verb->name;
    options.judgeNeeds = verb != "exec" && verb != "numerics" && verb != "bisect";
    const RunResult result = run(*observer, options);
    for (const Diagnostic& d : result.diagnostics)
        if (!result.error || d.code != result.error->code) c.warn(d);
    return result.error;
}

std::optional<Diagnostic> record(Command& c, Recorder& recorder, std::int64_t graphId, Graph& graph, const Pipeline& pipeline) {
    return record(c, recorder, graphId, pipeline,
                  [&](PassObserver* observer, const RunOptions& options) { return runPipeline(graph, pipeline, c.ops(), {observer}, options); });
}

/// Shows the error of a run and sets the exit code; ends the command when not even the first stage could be recorded.
void report(Command& c, const Staged& staged, const std::optional<Diagnostic>& error) {
    if (!error) return;
    const int exit = error->code == "S003" ? ExitOutput : ExitPass;
    if (staged.recording->stages(staged.lane.id).empty()) throw Failure{exit, error->format()};
    c.error(*error, exit);
}

/// The lane that this run wrote: another writer may have added one behind it.
void takeLane(Staged& staged, std::int64_t lane) {
    for (const LaneRow& row : staged.recording->lanes())
        if (row.id == lane || lane == 0) staged.lane = row;
}

std::unique_ptr<Recorder> createRecorder(Command& c, const std::string& path) {
    auto recorder = Recorder::create(path, chosenLimits(c).recording);
    if (!recorder) {
        const int exit = exitCodeOf(recorder.error());
        throw Failure{exit == ExitInput ? ExitOutput : exit, recorder.error().format()};
    }
    return std::move(*recorder);
}

/// Closes the recorder, or leaves it to `staged`, which is then the lane that it wrote to `session`; what stopped it is said.
void finishRun(Command& c, std::unique_ptr<Recorder> recorder, Writing writing, const Pipeline& pipeline, const std::optional<Diagnostic>& error,
               Staged& staged) {
    const std::int64_t lane = recorder->lane();
    const std::string session = recorder->path();
    if (writing == Writing::GoesOn)
        staged.recorder = std::move(recorder);
    else if (auto closed = recorder->close(); !closed)
        c.error(closed.error(), ExitOutput);
    staged.recording = openRecording(session);
    staged.missing = pipeline.missing;
    staged.ran = true;
    takeLane(staged, lane);
    report(c, staged, error);
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

/// Files with bindings among those that --bind names: what is no NAME=VALUE.
std::vector<StatedBinding> statedBindings(Command& c) {
    std::vector<StatedBinding> out;
    for (const std::string& path : c.args().all("--bind")) {
        if (path.find('=') != std::string::npos) continue;
        auto read = parseBindings(readOptionFile("--bind", path, "lines like g1.primals_1 = g0.out[0]"));
        if (!read) {
            read.error().file = path;
            throw Failure{ExitInput, read.error().format()};
        }
        for (StatedBinding& binding : *read) binding.file = path;
        out.insert(out.end(), read->begin(), read->end());
    }
    return out;
}

/// What of a program stands open although it belongs to no forward: results of other code between graph breaks, or what --bind should state.
void noteOpenInputs(Command& c, const Program& program) {
    for (std::size_t k = 1; k < program.graphs().size(); ++k) {
        const auto open = program.openInputs(k);
        if (program.forwardOf(k) || open.empty()) continue;
        constexpr std::size_t shown = 6;
        std::string names;
        for (std::size_t i = 0; i < open.size() && i < shown; ++i) names += (i ? ", " : "") + program.graphs()[k][open[i]].name.str();
        c.note(fmt::format(
            "inputs of g{} that nothing is bound to get values of their own: {}{}; lines like g{}.{} = g0.out[0] in --bind FILE bind them", k, names,
            open.size() > shown ? fmt::format(" and {} more", open.size() - shown) : "", k, program.graphs()[k][open[0]].name.str()));
    }
}

/// Reads the file, runs the pipeline on every graph of the program that --program names, records the program at `session`.
Staged runProgramFile(Command& c, const std::string& file, const Pipeline& pipeline, Staged staged, const std::string& session, bool keep,
                      Writing writing) {
    if (c.args().has("--graph")) usage("--program and --graph exclude each other");
    Document document = readDocument(c, file);
    auto units = programGraphs(document, c.args().get("--program"));
    if (!units) endWith(units.error());
    const auto stated = statedBindings(c);
    auto program = programOf(document, *units, stated);
    if (!program) endWith(program.error());
    for (const std::size_t i : *units) warnOf(c, document.units[i]);
    noteOpenInputs(c, *program);
    Unit linked = programUnit(document, *units, *program);
    std::optional<std::int64_t> graphId;
    if (stated.empty()) graphId = knownGraph(session, document, linked);
    if (!keep) {
        std::vector<Unit> parts;
        for (std::size_t& i : *units) {
            parts.push_back(std::move(document.units[i]));
            i = parts.size() - 1;
        }
        document.units = std::move(parts);
    }
    document.units.push_back(std::move(linked));
    auto recorder = createRecorder(c, session);
    if (!graphId) {
        auto ids = recorder->addDocument(document);
        if (!ids) endWith(ids.error());
        graphId = ids->back();
        std::vector<LinkRow> links;
        for (const Binding& b : program->bindings())
            links.push_back({ids->at(units->at(b.from)), b.node.value, ids->at(units->at(b.graph)), b.input.value, b.stated ? "bound" : "saved"});
        if (auto added = recorder->addLinks(links); !added) c.error(added.error(), ExitOutput);
    }
    const auto error = record(c, *recorder, *graphId, pipeline, [&](PassObserver* observer, const RunOptions& options) {
        return runProgram(*program, pipeline, c.ops(), {observer}, options);
    });
    finishRun(c, std::move(recorder), writing, pipeline, error, staged);
    for (const GraphRow& graph : staged.recording->graphs())
        if (graph.id == staged.lane.graph) staged.graph = graph;
    return staged;
}

/// Reads the file, runs the pipeline, records both at `session`; of the graphs of the file all if they are to be kept, else only the one in question.
Staged runFile(Command& c, const std::string& file, const Pipeline& pipeline, Staged staged, const std::string& session, bool keep,
               Writing writing = Writing::Ends) {
    if (c.args().has("--program")) return runProgramFile(c, file, pipeline, std::move(staged), session, keep, writing);
    Document document = readDocument(c, file, keep ? Wanted::All : Wanted::Picked);
    GraphEntry picked = pickGraph(c, document);
    if (!picked.path.empty()) usage(fmt::format("--graph {}: a pipeline runs on a whole graph; take {}", picked.id, document.units[picked.unit].id));
    if (!keep) {
        std::vector<Unit> only;
        only.push_back(std::move(document.units[picked.unit]));
        document.units = std::move(only);
        picked.unit = 0;
    }
    warnOf(c, document.units[picked.unit]);
    auto graphId = knownGraph(session, document, document.units[picked.unit]);
    auto recorder = createRecorder(c, session);
    if (!graphId) {
        auto ids = recorder->addDocument(document);
        if (!ids) endWith(ids.error());
        graphId = ids->at(picked.unit);
        if (keep)
            if (auto foreign = recordForeignLanes(*recorder, document, {picked.unit}, *ids, c.ops(), c.cancel()); !foreign) c.warn(foreign.error());
    }
    const auto error = record(c, *recorder, *graphId, document.units[picked.unit].graph, pipeline);
    finishRun(c, std::move(recorder), writing, pipeline, error, staged);
    for (const GraphRow& graph : staged.recording->graphs())
        if (graph.id == staged.lane.graph) staged.graph = graph;
    return staged;
}

/// Runs the pipeline on a graph of a session (as opened) and records it as one more lane at `session`.
Staged runSession(Command& c, const std::string& file, const Pipeline& pipeline, Staged staged, const std::string& session,
                  Writing writing = Writing::Ends) {
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
        staged.graph = pickGraphRow(c, *recording, lanes, "");
        graphId = staged.graph.id;
        const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& l) { return l.graph == graphId && l.kind == "recorded"; });
        if (lane == lanes.end()) throw Failure{ExitNotFound, fmt::format("graph {} of {} has no recorded stage", staged.graph.name, file)};
        auto rebuilt = recording->graph(lane->id, 1, c.ops());
        if (!rebuilt) endWith(rebuilt.error());
        graph = std::move(*rebuilt);
    }
    auto recorder = createRecorder(c, session);
    const auto error = record(c, *recorder, graphId, graph, pipeline);
    finishRun(c, std::move(recorder), writing, pipeline, error, staged);
    return staged;
}

/// Gives the file to every pass that takes patterns.
void usePatterns(Pipeline& pipeline, const std::string& file) {
    if (const auto read = patterns::readPatternFile(file); !read) throw Failure{ExitInput, read.error().format()};
    bool taken = false;
    for (PipelineStep& step : pipeline.steps)
        for (const PassOption& option : step.pass->options())
            if (option.key == "patterns") {
                step.options.set("patterns", file);
                taken = true;
            }
    if (!taken) usage("--patterns: the pipeline has no pass that takes patterns; fuse-attention does");
    pipeline.name.clear();  // it is no longer the named one
}

/// With --redact-paths: what is shown, and kept, is a copy of the session at `path` without the folders of this machine.
void redactAsAsked(Command& c, Staged& staged, const std::string& path) {
    if (!c.args().has("--redact-paths")) return;
    CopyOptions options;
    options.redactPaths = true;
    if (auto copied = copySession(staged.recording->path(), path, options); !copied) endWith(copied.error());
    const std::int64_t graph = staged.graph.id, lane = staged.lane.id;
    staged.recording = openRecording(path);
    for (const GraphRow& row : staged.recording->graphs())
        if (row.id == graph) staged.graph = row;
    takeLane(staged, lane);
}

}  // namespace

Pipeline chosenPipeline(Command& c, const std::string& fallback) {
    const bool named = c.args().has("--pipeline");
    if (c.args().has("--passes") && named) usage("--pipeline and --passes exclude each other");
    const std::string text = c.args().has("--passes") ? c.args().get("--passes") : named ? c.args().get("--pipeline") : fallback;
    if (text.empty()) return {};
    if (named && text == "-" && c.args().at(0) == "-") usage("standard input cannot be both the graph and the pipeline");
    auto pipeline = parsePipeline(text);
    if (!pipeline && named && isPipelineFile(text)) {
        pipeline = parsePipeline(readOptionFile("--pipeline", text, "a pipeline text"));
        if (!pipeline) pipeline.error().file = text == "-" ? "standard input" : text;
    }
    if (!pipeline) endWith(pipeline.error());
    if (c.args().has("--patterns")) usePatterns(*pipeline, c.args().get("--patterns"));
    return std::move(*pipeline);
}

RunOptions runOptions(Command& c, const Pipeline& pipeline) {
    std::vector<std::string> names;
    for (const PipelineStep& step : pipeline.steps)
        if (std::find(names.begin(), names.end(), step.pass->name()) == names.end()) names.emplace_back(step.pass->name());
    auto check = [&](const char* option, const std::string& name) {
        if (std::find(names.begin(), names.end(), name.substr(0, name.find('#'))) == names.end())
            usage(fmt::format("{} {}: the pipeline runs no such pass; {}", option, name, nearestPhrase(name, names)));
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
        if (!::mkdtemp(pattern.data()))
            throw Failure{ExitOutput, fmt::format("cannot make a temporary folder in {}: {}", base.string(), std::strerror(errno))};
        path_ = pattern;
    }
    return path_ + "/" + name;
}

Staged openSession(Command& c, const std::string& file) {
    Staged staged;
    staged.recording = openRecording(file);
    auto lanes = staged.recording->lanes();
    staged.graph = pickGraphRow(c, *staged.recording, lanes, c.args().get("--pipeline"));
    std::erase_if(lanes, [&](const LaneRow& lane) { return lane.graph != staged.graph.id; });
    if (lanes.empty()) throw Failure{ExitNotFound, fmt::format("graph {} of {} has no recorded stage", staged.graph.name, file)};
    const std::string wanted = c.args().get("--pipeline");
    if (wanted.empty()) {
        staged.lane = defaultLane(lanes);
    } else {
        const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& l) { return l.name == wanted; });
        if (lane == lanes.end()) throw Failure{ExitNotFound, fmt::format("no lane {} in {}; it has {}", wanted, file, laneList(lanes))};
        staged.lane = *lane;
    }
    if (lanes.size() > 1 && wanted.empty())
        c.note(fmt::format("{} lanes; taking {}. --pipeline picks another: {}", lanes.size(), staged.lane.name, laneList(lanes)));
    if (c.args().has("--redact-paths")) redactAsAsked(c, staged, staged.folder.file("redacted.aliascope"));
    describe(c, staged, file);
    return staged;
}

Staged openLane(Command& c, const std::string& file, const std::string& lane) {
    Staged staged;
    const bool session = file != "-" && isSessionFile(file);
    if (session) {
        staged.recording = openRecording(file);
        auto lanes = staged.recording->lanes();
        staged.graph = pickGraphRow(c, *staged.recording, lanes, lane);
        std::erase_if(lanes, [&](const LaneRow& row) { return row.graph != staged.graph.id; });
        if (lanes.empty()) throw Failure{ExitNotFound, fmt::format("graph {} of {} has no recorded stage", staged.graph.name, file)};
        std::vector<LaneRow> fitting;
        for (const LaneRow& row : lanes)
            if (row.name == lane) fitting.push_back(row);
        // `v1` is short for the lane `torch-v1`.
        if (fitting.empty() && !lane.empty())
            for (const LaneRow& row : lanes)
                if (row.name.ends_with("-" + lane)) fitting.push_back(row);
        if (fitting.size() > 1 && lane.find('-') == std::string::npos && fitting.front().name != lane)
            usage(fmt::format("{}:{} fits several lanes: {}", file, lane, laneList(fitting)));
        if (lane.empty()) fitting.assign(1, defaultLane(lanes));
        if (!fitting.empty()) {
            staged.lane = fitting.back();
            return staged;
        }
    }
    const std::string name = lane.empty() ? "best" : lane;
    auto pipeline = parsePipeline(name);
    if (!pipeline) pipeline = parsePipeline("torch-" + name);
    if (!pipeline && session) {
        const auto lanes = staged.recording->lanes();
        throw Failure{ExitNotFound, fmt::format("no lane {} in {}, and it is no pipeline either; lanes: {}", lane, file, laneList(lanes))};
    }
    if (!pipeline) endWith(parsePipeline(name).error());
    Staged made;
    const std::string path = made.folder.file("run.aliascope");
    return session ? runSession(c, file, *pipeline, std::move(made), path) : runFile(c, file, *pipeline, std::move(made), path, false);
}

Staged openStaged(Command& c, const std::string& file, const std::string& keep, Writing writing) {
    Staged staged;
    const bool session = file != "-" && isSessionFile(file);
    const bool run = c.args().verb->name == "run";
    if (session && c.args().has("--program"))
        usage("--program: a session holds its programs as graphs of their own; --graph program picks the latest");
    if (session && !run) {
        bool known = !c.args().has("--passes");
        if (const std::string name = c.args().get("--pipeline"); known && !name.empty()) {
            const auto lanes = openRecording(file)->lanes();
            known = std::any_of(lanes.begin(), lanes.end(), [&](const LaneRow& lane) { return lane.name == name; });
            if (!known && !isPipelineFile(name) && !parsePipeline(name))
                throw Failure{ExitNotFound, fmt::format("no lane {} in {}, and it is no pipeline either; lanes: {}", name, file, laneList(lanes))};
        }
        if (known) return openSession(c, file);
    }
    if (keep == "-") usage("-o -: a session is a file; give its name");
    try {
        const std::string path = keep.empty() ? staged.folder.file("run.aliascope") : keep;
        const Pipeline pipeline = chosenPipeline(c, "best");
        // A copy without paths takes the place of the session: its writer has to be gone.
        if (c.args().has("--redact-paths")) writing = Writing::Ends;
        staged = session ? runSession(c, file, pipeline, std::move(staged), path, writing)
                         : runFile(c, file, pipeline, std::move(staged), path, !keep.empty(), writing);
        redactAsAsked(c, staged, path);
    } catch (Failure& failure) {
        if (keep.empty() && failure.exit == ExitOutput)
            failure.text += "; without -o a run is recorded in a temporary folder, for which TMPDIR names the place";
        throw;
    }
    describe(c, staged, file);
    if (!keep.empty()) c.input["session"] = keep;
    return staged;
}

Staged openImported(Command& c, const std::string& file) {
    Staged staged;
    const std::string path = staged.folder.file("read.aliascope");
    staged = runFile(c, file, Pipeline(), std::move(staged), path, false);
    redactAsAsked(c, staged, path);
    describe(c, staged, file);
    return staged;
}

StageRow pickStage(const Staged& staged, const std::string& selector) {
    if (auto stage = staged.recording->stage(staged.lane.id, selector)) return *stage;
    const auto stages = staged.recording->stages(staged.lane.id);
    if (stages.empty()) throw Failure{ExitNotFound, incompleteness(staged)};
    std::vector<StageRow> fitting;
    std::copy_if(stages.begin(), stages.end(), std::back_inserter(fitting), [&](const StageRow& stage) { return stage.name.starts_with(selector); });
    if (fitting.empty()) throw Failure{ExitNotFound, fmt::format("no stage {}; there are {}", selector, stageList(stages))};
    throw Failure{ExitUsage, fmt::format("stage {} fits several: {}", selector, stageList(fitting))};
}

std::string incompleteness(const Staged& staged) {
    const auto stages = staged.recording->stages(staged.lane.id);
    const std::string lane = "lane " + staged.lane.name;
    const std::string last = stages.empty() ? std::string() : fmt::format("stage {} {}", stages.back().idx, stages.back().name);
    if (staged.lane.state == "complete") return stages.empty() ? lane + " has no stage" : std::string();
    if (staged.lane.state == "running")
        return lane + " is being recorded by another process; " + (stages.empty() ? "no stage is whole yet" : last + " is the last whole one so far");
    if (staged.lane.state == "interrupted")
        return lane + " was interrupted " +
               (stages.empty() ? "before its first stage was whole; run the pipeline again to see stages" : "after " + last);
    return fmt::format("{} is {}{}", lane, staged.lane.state, stages.empty() ? ", without a stage" : " at " + last);
}

Graph graphOfSession(Command& c, const std::string& file) {
    const Staged staged = openSession(c, file);
    const StageRow stage = pickStage(staged, c.args().has("--stage") ? c.args().get("--stage") : "first");
    auto graph = staged.recording->graph(staged.lane.id, stage.idx, c.ops());
    if (!graph) endWith(graph.error());
    c.input["stage"] = stage.name;
    return std::move(*graph);
}

}  // namespace aliascope::cli
