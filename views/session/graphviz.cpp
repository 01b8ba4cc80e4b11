#include "views/session/graphviz.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStandardPaths>

#include "core/layout/graphviz_placement.h"

namespace aliascope {
namespace {

constexpr int kBetweenLooksMs = 20;
constexpr qint64 kMostAnswerBytes = 4 << 20;  ///< 200 cards take some 100 kB

/// What the child answers; `why` when it does not.
QByteArray answerOf(const QString& program, const QByteArray& question, const CancelToken& cancel, int limitMs, QString& why) {
    QElapsedTimer clock;
    clock.start();
    QProcess child;
    child.setProgram(program);
    child.setArguments({QStringLiteral("-Tplain")});
    child.setStandardErrorFile(QProcess::nullDevice());
    child.start();
    child.write(question);
    child.closeWriteChannel();
    QByteArray answer;
    bool late = false;
    while (child.state() != QProcess::NotRunning) {
        child.waitForFinished(kBetweenLooksMs);
        answer += child.readAllStandardOutput();
        late = clock.elapsed() > limitMs;
        if (cancel.cancelled() || late || answer.size() > kMostAnswerBytes) {
            child.kill();
            child.waitForFinished();
            break;
        }
    }
    if (cancel.cancelled()) return {};
    answer += child.readAllStandardOutput();
    if (late) {
        why = QObject::tr("Graphviz took too long: the built-in placement stays.");
        return {};
    }
    if (answer.size() > kMostAnswerBytes) {
        why = QObject::tr("Graphviz answered with more than %1 MiB: the built-in placement stays.").arg(kMostAnswerBytes >> 20);
        return {};
    }
    if (child.error() == QProcess::FailedToStart || child.exitStatus() != QProcess::NormalExit || child.exitCode() != 0) {
        why = QObject::tr("Graphviz failed: the built-in placement stays.");
        return {};
    }
    return answer;
}

}  // namespace

bool suitsGraphviz(const StageView& view) {
    return view.options.filter.centre != kNoUid && view.drawing && view.drawing->groups.empty() && view.drawing->cards.size() > 2 &&
           view.drawing->cards.size() <= kMostGraphvizCards;
}

GraphvizPlacement placeByGraphviz(const StageView& view, const CancelToken& cancel, int limitMs) {
    GraphvizPlacement out;
    const QString program = QStandardPaths::findExecutable(QStringLiteral("dot"));
    if (program.isEmpty()) {
        out.why = QObject::tr("Graphviz is not installed: neighbourhoods keep the built-in placement.");
        return out;
    }
    const QByteArray answer = answerOf(program, QByteArray::fromStdString(graphvizInput(*view.drawing)), cancel, limitMs, out.why);
    if (answer.isEmpty() || cancel.cancelled()) return out;
    auto placed = placedByGraphviz(*view.drawing, {answer.constData(), std::size_t(answer.size())});
    if (!placed) {
        out.why = QObject::tr("Graphviz gave no places: the built-in placement stays.");
        return out;
    }
    auto nicer = std::make_shared<StageView>(view);
    nicer->drawing = std::make_shared<const LayoutResult>(std::move(*placed));
    out.view = std::move(nicer);
    return out;
}

}  // namespace aliascope
