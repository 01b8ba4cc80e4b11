#pragma once
// Copy as command: the command line that prints what a panel shows (ui.md 0 rule 9).

#include <QString>
#include <QStringList>

#include "core/report/reproduce.h"
#include "views/session/session.h"

namespace aliascope {

/// `aliascope VERB FILE [options]`, quoted for a POSIX shell; names the pipeline, and the operators of the user, when FILE is no session.
QString commandLine(const Session& session, const QString& verb, const QStringList& options = {});
/// `aliascope compare FILE:A FILE:B`: two lanes of what is open.
QString compareCommand(const Session& session, const LaneRow& a, const LaneRow& b);
/// `aliascope stages FILE --passes TEXT`: what a pipeline that has not run yet would give.
QString passesCommand(const Session& session, const QString& passes);
/// Where the current lane came from, for the commands at the top of a report.
report::Reproduction reproductionOf(const Session& session);
/// One word as a POSIX shell reads it back.
QString shellQuoted(const QString& word);

}  // namespace aliascope
