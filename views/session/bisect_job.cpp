#include "views/session/bisect_job.h"

#include <QObject>
#include <QStringList>
#include <algorithm>

#include "core/recording/stage_bisect.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

QString namesOf(const std::vector<NodeRef>& nodes) {
    QStringList out;
    for (const NodeRef& node : nodes) out << qstr(node.name.str());
    return out.isEmpty() ? QObject::tr("nothing") : out.join(QStringLiteral(", "));
}

QString sentenceOf(const Bisection& found, const QString& stageName) {
    if (!found.stage) return QObject::tr("The last stage gives what the first gives.");
    QString out = QObject::tr("Stage %1 %2 is the first that differs from the graph as opened.").arg(*found.stage).arg(stageName);
    if (!found.rewrite) return out;
    const QString which = found.number ? QObject::tr("With rewrite %1 of %2").arg(*found.number).arg(found.rewrites)
                                       : QObject::tr("The difference begins at the rewrite");
    return out + QObject::tr(" %1 (%2): %3 became %4.")
                     .arg(which, QString::fromStdString(found.rewrite->rule), namesOf(found.rewrite->before), namesOf(found.rewrite->after));
}

void keepProbes(const std::string& path, std::int64_t lane, const Bisection& found, const std::string& command) {
    auto recorder = Recorder::create(path);
    if (!recorder) return;  // read-only, or written by another program: what was found is shown all the same
    int seq = 0;
    for (const BisectProbe& p : found.probes) {
        if (!(*recorder)->addProbe(rowOf(p, seq++, command), lane)) return;
    }
    (void)(*recorder)->close();
}

}  // namespace

BisectReport bisect(const std::shared_ptr<Recording>& recording, std::int64_t lane, const std::shared_ptr<const OpRegistry>& ops, bool rewrites,
                    const JobContext& job, const std::function<void(const BisectRow&)>& probed) {
    BisectReport report;
    report.command = QStringLiteral("aliascope bisect %1%2").arg(qstr(recording->path()), rewrites ? QStringLiteral(" --rewrites") : QString());
    StageRunOptions options;
    options.run.cancel = job.cancelToken();
    job.progress(-1, "choosing inputs");
    auto runs = StageRuns::create(recording, lane, *ops, std::move(options));
    if (!runs) {
        report.error = reportOf(runs.error());
        return report;
    }
    const auto nameOf = [&](int idx) {
        for (const StageRow& s : (*runs)->stages())
            if (s.idx == idx) return qstr(s.name);
        return QString();
    };
    BisectOptions how;
    how.rewrites = rewrites;
    how.each = [&](BisectProbe& p, const ExecutedStage&, const exec::Comparison*) {
        BisectRow row;
        row.stage = p.stage;
        row.good = p.good;
        row.text = QStringLiteral("%1 %2").arg(p.stage).arg(nameOf(p.stage));
        if (p.rewrites) row.text += QObject::tr(", %1 rewrites").arg(*p.rewrites);
        row.text += QStringLiteral(": ") + qstr(p.verdict);
        if (!p.first.empty()) row.text += QObject::tr(" at %1").arg(qstr(p.first));
        report.probes.push_back(row);
        job.progress(-1, row.text.toStdString());
        if (probed) probed(row);
    };
    auto found = bisectStages(**runs, *recording, lane, *ops, how);
    report.cancelled = job.cancelled();
    if (!found) {
        if (!report.cancelled) report.error = reportOf(found.error());
        report.sentence = qstr(found.error().sentence());
        return report;
    }
    report.stage = found->stage.value_or(0);
    if (found->rewrite && !found->rewrite->after.empty()) report.node = found->rewrite->after.front().id.value;
    report.sentence = sentenceOf(*found, nameOf(report.stage));
    keepProbes(recording->path(), lane, *found, report.command.toStdString());
    return report;
}

}  // namespace aliascope
