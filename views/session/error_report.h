#pragma once
// An error as the banner shows it: what happened, where, what to do (ui.md 3.4).

#include <QString>

#include "core/support/diagnostic.h"

namespace aliascope {

struct ErrorReport {
    bool internal = false;  ///< red: a fault of the program; amber: something about the input
    QString what;           ///< one sentence
    QString where;          ///< file, line and column, or the stage; may be empty
    QString todo;           ///< what helps; may be empty
    QString excerpt;        ///< source line and caret, fixed font; may be empty
    QString code;           ///< of reason-codes.md; may be empty
    int exitCode = 3;       ///< class of the command line (ui.md 6), for unattended use
};

/// `exitCode` is that of the command line: 3 unreadable, 4 pass or verifier, 7 session, 9 cannot write.
ErrorReport reportOf(const Diagnostic& diagnostic);

}  // namespace aliascope
