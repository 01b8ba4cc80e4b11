#include "views/session/run_job.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>
#include <algorithm>
#include <map>

#include "core/recording/stage_execution.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

StageRunOptions optionsOf(const RunRequest& request, const JobContext& job) {
    StageRunOptions options;
    options.device = request.device.toStdString();
    options.inputs = request.inputs.toStdString();
    options.seed = request.seed;
    options.castInputs = request.castInputs;
    options.repeat = std::max(1, request.repeat);
    options.timeoutSeconds = request.limitSeconds;
    options.digests = request.numerics ? exec::DigestMode::All : exec::DigestMode::None;
    options.recordMemory = request.memory;
    options.recordTimes = request.time;
    if (request.doubles) options.reference = Reference::F64;
    options.rtol = request.rtol;
    options.atol = request.atol;
    options.run.cancel = job.cancelToken();
    options.run.standIn = request.standIn;
    if (request.findStaleReads) options.run.sanitize = exec::Sanitize::Reads;
    return options;
}

std::vector<int> stagesOf(const RunRequest& request, const std::vector<StageRow>& recorded) {
    std::vector<int> out;
    for (const StageRow& row : recorded)
        if (request.stages.empty() || std::find(request.stages.begin(), request.stages.end(), row.idx) != request.stages.end())
            out.push_back(row.idx);
    // What is compared is compared with the first stage.
    if (request.numerics && !out.empty() && out.front() != recorded.front().idx) out.insert(out.begin(), recorded.front().idx);
    return out;
}

Status record(Recorder& recorder, StageRuns& runs, StageExecution& execution) {
    if (auto written = recordExecution(recorder, runs, execution); !written) return written;
    return recorder.close();
}

struct Message {
    QString code, text, severity;
    Uid node = kNoUid;
};

/// Messages by run. They are stored with their parameters; the sentence is made from the table of reasons.
std::map<std::int64_t, std::vector<Message>> messagesOf(const Recording& recording, std::int64_t lane) {
    std::map<std::int64_t, std::vector<Message>> out;
    const auto rows = recording.query(
        "SELECT d.run, d.code, d.params, d.severity, d.uid FROM diagnostic d JOIN run r ON r.id = d.run JOIN stage s ON s.id = r.stage WHERE s.lane "
        "= " +
        std::to_string(lane) + " ORDER BY d.id");
    if (!rows) return out;
    for (const auto& row : rows->rows) {
        Diagnostic d;
        d.code = row[1].value_or(std::string());
        const QJsonObject params = QJsonDocument::fromJson(QByteArray::fromStdString(row[2].value_or(std::string()))).object();
        for (auto it = params.begin(); it != params.end(); ++it) {
            const std::string value = it.value().toVariant().toString().toStdString();
            if (it.key() == QLatin1String("note")) d.note = value;
            d.params.emplace_back(it.key().toStdString(), value);
        }
        Message m;
        m.code = qstr(d.code);
        m.text = qstr(d.sentence());
        if (!d.note.empty() && !m.text.contains(qstr(d.note))) m.text += (m.text.isEmpty() ? QString() : QStringLiteral(". ")) + qstr(d.note);
        m.severity = qstr(row[3].value_or(std::string()));
        if (row[4]) m.node = Uid(qstr(*row[4]).toLongLong());
        out[qstr(row[0].value_or(std::string())).toLongLong()].push_back(std::move(m));
    }
    return out;
}

}  // namespace

RunReport runStages(const std::shared_ptr<Recording>& recording, std::int64_t lane, const std::shared_ptr<const OpRegistry>& ops,
                    const RunRequest& request, const JobContext& job) {
    RunReport report;
    job.progress(-1, "choosing inputs");
    StageRunOptions options = optionsOf(request, job);
    double done = 0, all = 1;
    std::string stageName;
    options.run.progress = [&](double fraction, std::string_view text) {
        job.progress((done + std::clamp(fraction, 0.0, 1.0)) / all, stageName.empty() ? std::string(text) : stageName + ": " + std::string(text));
    };
    auto runs = StageRuns::create(recording, lane, *ops, std::move(options));
    if (!runs) {
        report.error = reportOf(runs.error());
        return report;
    }
    const std::vector<int> stages = stagesOf(request, (*runs)->stages());
    if (stages.empty()) {
        report.error = ErrorReport();
        report.error->what = QObject::tr("There is no such stage to run.");
        return report;
    }
    auto recorder = Recorder::create(recording->path());
    if (!recorder) {
        report.error = reportOf(recorder.error());
        return report;
    }
    all = double(stages.size());
    stageName = (*runs)->stages().front().name;
    auto execution = executeStages(
        **runs, stages, request.numerics,
        [&](const ExecutedStage& stage) {
            ++done;
            stageName = stage.stage.name;
        },
        recorder->get());
    report.cancelled = job.cancelled();
    if (!execution) {
        report.error = reportOf(execution.error());
        return report;
    }
    report.failed = execution->failed;
    for (const ExecutedStage* stage : execution->stages) report.stages += stage->complete ? 1 : 0;
    for (const StageComparison& later : execution->comparisons) {
        ++report.compared;
        report.differing += later.comparison.verdict == exec::Verdict::Differs ? 1 : 0;
    }
    job.progress(1, "recording");
    if (auto recorded = record(**recorder, **runs, *execution); !recorded) {
        report.error = reportOf(recorded.error());
        return report;
    }
    report.recorded = true;
    return report;
}

std::vector<RunHistoryRow> runHistory(const Recording& recording, std::int64_t lane) {
    std::map<std::int64_t, QString> verdicts;
    for (const ComparisonRow& comparison : recording.comparisons(lane)) verdicts[comparison.runB] = qstr(comparison.verdict);
    const auto messages = messagesOf(recording, lane);
    std::vector<RunRow> runs = recording.runs(lane);
    std::sort(runs.begin(), runs.end(), [](const RunRow& a, const RunRow& b) { return a.id > b.id; });
    std::vector<RunHistoryRow> out;
    for (RunRow& run : runs) {
        if (run.kind != "measured") continue;
        RunHistoryRow row;
        row.run = run;
        if (const auto verdict = verdicts.find(run.id); verdict != verdicts.end()) row.verdict = verdict->second;
        out.push_back(row);
        const auto said = messages.find(run.id);
        if (said == messages.end()) continue;
        for (const Message& m : said->second) {
            row.code = m.code;
            row.message = m.text;
            row.severity = m.severity;
            row.node = m.node;
            out.push_back(row);
        }
    }
    return out;
}

}  // namespace aliascope
