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

QString commandLine(const Session& session, const QString& verb, const QStringList& options) {
    QStringList words{QStringLiteral("aliascope"), verb};
    QString file = session.commandFile();
    const bool sample = file.startsWith(QLatin1String(":/samples/"));
    if (sample) file = file.mid(10);  // as `aliascope samples NAME -o FILE` writes it
    words << shellQuoted(file);
    if (session.isTemporary()) {
        for (const QString& ops : session.opsFiles())
            words << QStringLiteral("--ops") << shellQuoted(ops.startsWith(QLatin1String(":/samples/")) ? ops.mid(10) : ops);
        if (const LaneRow* lane = session.lane())
            words << QStringLiteral("--pipeline") << shellQuoted(qstr(lane->name).section(QLatin1Char('#'), 0, 0));
    }
    for (const QString& option : options) words << shellQuoted(option);
    return words.join(QLatin1Char(' '));
}

}  // namespace aliascope
