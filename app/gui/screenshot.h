#pragma once
// A picture of the window without anybody in front of it.

#include <QString>

namespace aliascope {

class MainWindow;

/// Waits until nothing is left to do, writes `path` and returns the exit code of the command line (ui.md 6): 0, or that of the first error, whose
/// sentence goes to stderr.
int takeScreenshot(MainWindow& window, const QString& path, bool opensSomething);

}  // namespace aliascope
