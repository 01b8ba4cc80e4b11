#include "views/panels/command_line.h"

#include <QRegularExpression>

#include "views/models/format.h"

namespace aliascope {

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=+@%,-]+$"));
    if (plain.match(word).hasMatch()) return word;
    QString escaped = word;
    return QLatin1Char('\'') + escaped.replace(QLatin1Char('\''), QLatin1String("'\\''")) + QLatin1Char('\'');
}

namespace {

/// FILE of a command line; of a sample as `aliascope samples NAME -o FILE` writes it.
QString fileWord(const Session& session) {
    const QString file = session.commandFile();
    return file.startsWith(QLatin1String(":/samples/")) ? file.mid(10) : file;
}

QStringList operatorWords(const Session& session) {
    QStringList words;
    for (const QString& ops : session.opsFiles())
        words << QStringLiteral("--ops") << shellQuoted(ops.startsWith(QLatin1String(":/samples/")) ? ops.mid(10) : ops);
    return words;
}

/// Of a session the lane by its own name; of a file the pipeline that made it.
QString laneWord(const Session& session, const LaneRow& lane) {
    return session.isTemporary() ? qstr(lane.name).section(QLatin1Char('#'), 0, 0) : qstr(lane.name);
}

}  // namespace

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
