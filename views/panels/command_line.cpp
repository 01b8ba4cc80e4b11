#include "views/panels/command_line.h"

#include "core/support/shell_word.h"
#include "views/models/format.h"

namespace aliascope {

QString shellQuoted(const QString& word) { return qstr(words::shellWord(word.toStdString())); }

namespace {

/// A bundled file by the name that it is written out with.
QString shownFile(const QString& file) { return file.startsWith(QLatin1String(":/samples/")) ? file.mid(10) : file; }

/// FILE of a command line; of a sample as `aliascope samples NAME -o FILE` writes it.
QString fileWord(const Session& session) { return shownFile(session.commandFile()); }

QStringList operatorWords(const Session& session) {
    QStringList words;
    for (const QString& ops : session.opsFiles()) words << QStringLiteral("--ops") << shellQuoted(shownFile(ops));
    return words;
}

/// Of a session the lane by its own name; of a file the pipeline that made it.
QString laneWord(const Session& session, const LaneRow& lane) {
    return session.isTemporary() ? qstr(lane.name).section(QLatin1Char('#'), 0, 0) : qstr(lane.name);
}

}  // namespace

report::Reproduction reproductionOf(const Session& session) {
    report::Reproduction from;
    from.source = shownFile(session.sourcePath()).toStdString();
    if (!session.isTemporary()) {
        from.source.clear();
        const LaneRow* lane = session.lane();
        for (const GraphRow& graph : session.data().graphs)
            if (lane && graph.id == lane->graph) from.source = graph.sourcePath;
        from.session = session.sessionPath().toStdString();
    }
    for (const QString& ops : session.opsFiles()) from.opsFiles.push_back(shownFile(ops).toStdString());
    return from;
}

QString commandLine(const Session& session, const QString& verb, const QStringList& options) {
    QStringList words{QStringLiteral("aliascope"), verb, shellQuoted(fileWord(session))};
    if (session.isTemporary()) words << operatorWords(session);
    if (const LaneRow* lane = session.lane()) words << QStringLiteral("--pipeline") << shellQuoted(laneWord(session, *lane));
    for (const QString& option : options) words << shellQuoted(option);
    return words.join(QLatin1Char(' '));
}

QString compareCommand(const Session& session, const LaneRow& a, const LaneRow& b) {
    QStringList words{QStringLiteral("aliascope"), QStringLiteral("compare")};
    for (const LaneRow* lane : {&a, &b}) words << shellQuoted(fileWord(session) + QLatin1Char(':') + laneWord(session, *lane));
    if (session.isTemporary()) words << operatorWords(session);
    return words.join(QLatin1Char(' '));
}

QString passesCommand(const Session& session, const QString& passes) {
    QStringList words{QStringLiteral("aliascope"), QStringLiteral("stages"), shellQuoted(fileWord(session))};
    words << operatorWords(session) << QStringLiteral("--passes") << shellQuoted(passes);
    return words.join(QLatin1Char(' '));
}

}  // namespace aliascope
