#include "views/session/export_job.h"

#include <QFileInfo>
#include <QObject>
#include <QSaveFile>
#include <algorithm>

#include "core/report/html_report.h"
#include "core/report/stage_picture.h"
#include "core/text/print.h"

namespace aliascope {
namespace {

Result<std::string> reportText(const Recording& recording, const ExportRequest& request, const JobContext& job) {
    const std::vector<LaneRow> lanes = recording.lanes();
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const LaneRow& row) { return row.id == request.lane; });
    if (lane == lanes.end()) return fail(userError("CANCELLED"));
    GraphRow graph;
    for (const GraphRow& row : recording.graphs())
        if (row.id == lane->graph) graph = row;
    report::ReportOptions options;
    options.reproduce = report::reproduceCommands(*lane, request.from);
    options.cancel = job.cancelToken();
    options.progress = job.progressFunction();
    return report::htmlReport(recording, graph, *lane, *request.ops, options);
}

Result<std::string> stageTextOf(const Recording& recording, const ExportRequest& request, const JobContext& job) {
    if (request.form == ExportForm::Svg || request.form == ExportForm::Dot) {
        job.progress(-1, "drawing the stage");
        report::StagePicture picture;
        picture.snapshot = recording.snapshot(request.lane, request.stage);
        if (!picture.snapshot) return fail(userError("CANCELLED"));
        if (request.stage > 1) picture.changes = recording.changes(request.lane, request.stage);
        picture.only = request.only;
        return request.form == ExportForm::Svg ? report::stageSvg(picture, true, job.cancelToken()) : report::stageDot(picture);
    }
    job.progress(-1, "printing the stage");
    const auto graph = recording.graph(request.lane, request.stage, *request.ops);
    if (!graph) return fail(graph.error());
    if (request.form == ExportForm::Graph) return printGraphTexts(*graph);
    std::string text = printReadable(*graph);
    if (!text.ends_with('\n')) text += '\n';
    return text;
}

ErrorReport cannotWrite(const QSaveFile& file) {
    ErrorReport report;
    report.what = QObject::tr("The file cannot be written: %1.").arg(file.errorString());
    report.where = file.fileName();
    report.todo = QObject::tr("Choose another folder, or free some space.");
    report.exitCode = 9;
    return report;
}

}  // namespace

ExportForm exportFormOf(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("svg")) return ExportForm::Svg;
    if (suffix == QLatin1String("dot") || suffix == QLatin1String("gv")) return ExportForm::Dot;
    if (suffix == QLatin1String("txt")) return ExportForm::Graph;
    if (suffix == QLatin1String("py")) return ExportForm::Readable;
    return ExportForm::Html;
}

ExportOutcome exportTo(const Recording& recording, const ExportRequest& request, const JobContext& job) {
    ExportOutcome out;
    const Result<std::string> text = request.form == ExportForm::Html ? reportText(recording, request, job) : stageTextOf(recording, request, job);
    out.cancelled = job.cancelled();
    if (out.cancelled) return out;
    if (!text) {
        out.error = reportOf(text.error());
        return out;
    }
    QSaveFile file(request.path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text->data(), qint64(text->size())) != qint64(text->size()) || !file.commit()) {
        out.error = cannotWrite(file);
        return out;
    }
    out.bytes = qint64(text->size());
    return out;
}

}  // namespace aliascope
