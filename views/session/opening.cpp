#include "views/session/opening.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "core/pipeline/pipeline.h"
#include "core/recording/foreign_lanes.h"
#include "core/text/stage_order.h"

namespace aliascope {
namespace {

ErrorReport cannotRead(const QString& path, const QString& why) {
    ErrorReport report;
    report.what = QObject::tr("The file cannot be read: %1.").arg(why);
    report.where = path;
    report.todo = QObject::tr("Check that the file exists and that you may read it.");
    return report;
}

bool isResource(const QString& path) { return path.startsWith(QLatin1String(":/")); }

std::optional<QByteArray> resourceBytes(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    return file.readAll();
}

struct Operators {
    std::shared_ptr<const OpRegistry> registry;
    std::optional<ErrorReport> error;
};

Operators loadOperators(const QStringList& files) {
    if (files.isEmpty()) return {std::shared_ptr<const OpRegistry>(&OpRegistry::builtin(), [](const OpRegistry*) {}), std::nullopt};
    auto registry = std::make_shared<OpRegistry>(OpRegistry::withBuiltin());
    for (const QString& path : files) {
        std::vector<Diagnostic> bad;
        if (isResource(path)) {
            const auto bytes = resourceBytes(path);
            if (!bytes) return {nullptr, cannotRead(path, QObject::tr("it is not part of the program"))};
            bad = registry->addText(std::string_view(bytes->constData(), std::size_t(bytes->size())), path.toStdString());
        } else {
            Result<std::vector<Diagnostic>> added = registry->addFile(path.toStdString());
            if (!added) return {nullptr, reportOf(added.error())};
            bad = std::move(*added);
        }
        for (const Diagnostic& d : bad)
            if (d.severity == Severity::Error) return {nullptr, reportOf(d)};
    }
    return {registry, std::nullopt};
}

Result<Document> readDocument(const OpenRequest& request, const OpRegistry& ops, const JobContext& job) {
    ReadOptions options;
    options.cancel = job.cancelToken();
    options.progress = job.progressFunction();
    if (request.path.isEmpty()) return readText(request.text.toStdString(), request.title.toStdString(), ops, options);
    if (!isResource(request.path)) return openFile(request.path.toStdString(), ops, options);
    const auto bytes = resourceBytes(request.path);
    return readText(bytes ? bytes->toStdString() : std::string(), QFileInfo(request.path).fileName().toStdString(), ops, options);
}

Result<Pipeline> pipelineOf(const QString& text) {
    const std::string wanted = text.isEmpty() ? std::string("best") : text.toStdString();
    Result<Pipeline> pipeline = parsePipeline(wanted);
    if (pipeline && pipeline->name.empty()) {
        for (const std::string& name : pipelineNames())
            if (name == wanted) pipeline->name = name;
    }
    return pipeline;
}

std::optional<std::int64_t> integer(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    bool ok = false;
    const qlonglong value = QString::fromStdString(*text).toLongLong(&ok);
    return ok ? std::optional<std::int64_t>(value) : std::nullopt;
}

/// A clone names the wrapper and the argument that it was made for (CLONED); the verdict about that argument is why it is there.
std::unordered_map<Uid, std::int64_t> readCopies(const Recording& recording, std::int64_t lane) {
    std::unordered_map<Uid, std::int64_t> out;
    const Result<QueryResult> rows = recording.query(
        "SELECT n.uid, w.id FROM stage s JOIN decision c ON c.stage = s.id AND c.code = 'CLONED' JOIN node n ON n.lane = s.lane AND "
        "n.name = json_extract(c.params, '$.clone') AND n.first_stage <= s.idx AND n.last_stage >= s.idx JOIN decision w ON w.uid = c.uid AND "
        "w.argument = c.argument AND w.verdict = 'clone' JOIN stage t ON t.id = w.stage AND t.lane = s.lane WHERE s.lane = " +
        std::to_string(lane));
    if (!rows) return out;
    for (const auto& row : rows->rows) {
        const auto uid = integer(row[0]), decision = integer(row[1]);
        if (uid && decision) out.emplace(Uid(*uid), *decision);
    }
    return out;
}

struct RunInput {
    Graph graph;
    std::int64_t graphId = 0;
    QString pipeline;
    std::shared_ptr<const OpRegistry> ops;
    std::int64_t shown = 0;  ///< the lane to go back to when nothing is recorded; 0 = none
};

RecordOutcome runAndOpen(RunInput input, Recorder& recorder, const JobContext& job) {
    RecordOutcome out;
    Result<Pipeline> pipeline = pipelineOf(input.pipeline);
    if (!pipeline) {
        out.error = reportOf(pipeline.error());
        return out;
    }
    const std::string lane = pipeline->name.empty() ? "pipeline" : pipeline->name;
    Result<PassObserver*> observer = recorder.beginLane(input.graphId, lane, *input.ops);
    if (!observer) {
        out.error = reportOf(observer.error());
        return out;
    }
    RunOptions options;
    options.cancel = job.cancelToken();
    options.progress = job.progressFunction();
    options.judgeNeeds = true;
    const RunResult run = runPipeline(input.graph, *pipeline, *input.ops, {*observer}, options);
    const std::int64_t recorded = recorder.lane();
    const Status closed = recorder.close();
    if (!closed) {
        out.error = reportOf(closed.error());
        return out;
    }
    std::optional<ErrorReport> failure;
    if (run.error) failure = reportOf(*run.error);
    out = openRecording(QString::fromStdString(recorder.path()), recorded != 0 ? recorded : input.shown, {});
    if (job.cancelled() && !out.data) out.error.reset();  // nothing was finished
    if (failure && !job.cancelled()) out.error = failure;
    out.cancelled = job.cancelled();
    return out;
}

}  // namespace

std::vector<std::size_t> openableUnits(const Document& document) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < document.units.size(); ++i)
        if (document.units[i].id.find('.') == std::string::npos) out.push_back(i);
    return out;
}

std::vector<const DecisionRow*> decisionsAbout(const LaneData& data, Uid uid) {
    std::vector<const DecisionRow*> out;
    if (uid == kNoUid || !data.decisions) return out;
    const auto copy = data.copies.find(uid);
    for (const DecisionRow& d : *data.decisions)
        if (d.uid == uid || d.originUid == uid || (copy != data.copies.end() && copy->second == d.id)) out.push_back(&d);
    const auto rank = [](const DecisionRow* d) { return d->verdict == "clone" ? 0 : d->verdict == "in-place" ? 1 : 2; };
    std::stable_sort(out.begin(), out.end(), [&](const DecisionRow* a, const DecisionRow* b) { return rank(a) < rank(b); });
    return out;
}

Uid copyOf(const LaneData& data, std::int64_t decision, const StageView& view) {
    for (const auto& [uid, id] : data.copies)
        if (id == decision && view.node(uid)) return uid;
    return kNoUid;
}

std::optional<ErrorReport> operatorsRefused(const QString& file) { return loadOperators({file}).error; }

ReadOutcome readInput(const OpenRequest& request, const JobContext& job) {
    ReadOutcome out;
    out.request = request;
    if (!request.path.isEmpty() && !isResource(request.path) && isSessionFile(request.path.toStdString())) {
        out.sessionPath = request.path;
    }
    out.cancelled = job.cancelled();
    if (out.cancelled) return out;
    job.progress(-1, "reading operators");
    Operators operators = loadOperators(request.ops);
    if (request.ops.isEmpty() && !request.path.isEmpty() && !isResource(request.path)) {
        QStringList beside;
        for (const std::string& file : opsFilesFor(request.path.toStdString())) beside << QString::fromStdString(file);
        Operators found = loadOperators(beside);
        if (!found.error) {  // nobody asked for these files: a bad one must not keep the graph from opening
            operators = std::move(found);
            out.request.ops = beside;
        }
    }
    out.ops = operators.registry;
    out.error = operators.error;
    if (out.error || !out.sessionPath.isEmpty()) return out;
    Result<Document> document = readDocument(request, *out.ops, job);
    out.cancelled = job.cancelled();
    if (out.cancelled) return out;
    if (!document) {
        out.error = reportOf(document.error());
        return out;
    }
    out.document = std::make_shared<const Document>(std::move(*document));
    return out;
}

RecordOutcome recordUnit(const ReadOutcome& input, std::size_t unit, const QString& sessionPath, const JobContext& job) {
    RecordOutcome out;
    Result<std::unique_ptr<Recorder>> recorder = Recorder::create(sessionPath.toStdString());
    if (!recorder) {
        out.error = reportOf(recorder.error());
        return out;
    }
    (*recorder)->stopWhen(job.cancelToken());
    (*recorder)->makeTemporary();
    const auto stopped = [&] { return out.cancelled = job.cancelled(); };
    std::size_t place = unit;
    Document document = compilationOf(*input.document, place);
    if (stopped()) return out;
    Result<std::vector<std::int64_t>> graphs = (*recorder)->addDocument(document);
    if (stopped()) return out;
    if (!graphs) {
        out.error = reportOf(graphs.error());
        return out;
    }
    const Status foreign = recordForeignLanes(**recorder, document, {place}, *graphs, *input.ops, job.cancelToken());
    if (stopped()) return out;
    out = runAndOpen({std::move(document.units[place].graph), (*graphs)[place], input.request.pipeline, input.ops}, **recorder, job);
    if (!foreign && !out.error) out.error = reportOf(foreign.error());
    return out;
}

RecordOutcome recordLane(const LaneData& open, const QString& pipeline, const std::shared_ptr<const OpRegistry>& ops, const JobContext& job) {
    RecordOutcome out;
    std::int64_t graphId = 0;
    for (const LaneRow& row : open.lanes)
        if (row.id == open.lane) graphId = row.graph;
    Result<Graph> graph = open.recording->graph(open.lane, 1, *ops);
    if (!graph) {
        out.error = reportOf(graph.error());
        return out;
    }
    Result<std::unique_ptr<Recorder>> recorder = Recorder::create(open.recording->path());
    if (!recorder) {
        out.error = reportOf(recorder.error());
        return out;
    }
    (*recorder)->stopWhen(job.cancelToken());
    return runAndOpen({std::move(*graph), graphId, pipeline, ops, open.lane}, **recorder, job);
}

RecordOutcome openRecording(const QString& path, std::int64_t lane, const QString& stage, const CancelToken& cancel) {
    RecordOutcome out;
    Result<std::shared_ptr<Recording>> recording = Recording::open(path.toStdString());
    if (!recording) {
        out.error = reportOf(recording.error());
        return out;
    }
    out.data = readLane(*recording, lane, stage, cancel);
    if (cancel.cancelled()) {
        out.data.reset();
        out.cancelled = true;
        return out;
    }
    if (out.data->lanes.empty()) {
        ErrorReport empty;
        empty.what = QObject::tr("The session holds no stage: its recording stopped before the first one.");
        empty.where = path;
        empty.todo = QObject::tr("Open the graph file again.");
        out.error = empty;
        out.data.reset();
    }
    return out;
}

LaneData readLane(const std::shared_ptr<Recording>& recording, std::int64_t lane, const QString& stage, const CancelToken& cancel) {
    LaneData data;
    data.recording = recording;
    data.graphs = recording->graphs();
    data.lanes = recording->lanes();
    data.lane = lane;
    // A lane whose recording was killed before its first stage shows nothing.
    std::erase_if(data.lanes, [](const LaneRow& row) { return row.stages == 0; });
    if (lane == 0 && !data.lanes.empty()) data.lane = data.lanes.back().id;
    if (data.lane == 0 || cancel.cancelled()) return data;
    data.stages = recording->stages(data.lane);
    if (cancel.cancelled()) return data;
    data.decisions = std::make_shared<const std::vector<DecisionRow>>(recording->decisions(data.lane));
    if (cancel.cancelled()) return data;
    data.copies = readCopies(*recording, data.lane);
    if (cancel.cancelled()) return data;
    data.diagnostics = std::make_shared<const std::vector<DiagnosticRow>>(recording->diagnostics());
    if (!stage.isEmpty()) {
        if (const auto row = recording->stage(data.lane, stage.toStdString())) {
            data.wantedStage = row->idx;
        } else {
            data.stageError = stage;
        }
    }
    return data;
}

}  // namespace aliascope
