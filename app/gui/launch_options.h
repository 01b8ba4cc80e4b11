#pragma once
// The command line of the window.

#include <QSize>
#include <QString>
#include <QStringList>

#include "views/panels/theme.h"
#include "views/session/opening.h"

namespace aliascope {

struct LaunchOptions {
    OpenRequest open;    ///< path empty = start page
    QString screenshot;  ///< write a picture here and leave; empty = stay
    QSize size;          ///< invalid = as left
    ThemeChoice theme = ThemeChoice::System;
    bool themeGiven = false;
    QString view;        ///< graph, text or both
    QString panel;       ///< tab to raise: node, aliases, why, history, decisions, nodes, memory, numerics, run, log
    double zoom = 0;     ///< of the graph; 0 = as it comes
    bool clean = false;  ///< neither read nor write settings
};

struct ParsedLaunch {
    LaunchOptions options;
    int exitCode = -1;  ///< >= 0: leave with this code after printing `message`
    QString message;
};

/// `arguments` without the program's name.
ParsedLaunch parseLaunch(const QStringList& arguments);
/// Value of `--scale`, needed before QApplication exists; empty = not given.
QByteArray scaleArgument(int argc, char** argv);
bool wantsScreenshot(int argc, char** argv);

}  // namespace aliascope
