#pragma once
// Every command of the window: words, keys, menu, and the verb that does the same on the command line. Menus, shortcuts, the keyboard sheet and
// the tests are fed from this one table (ui.md 3.2, 7.3).

#include <QString>
#include <vector>

namespace aliascope {

struct Command {
    const char* id;    ///< `go.nextChanged`; also the objectName of its action
    const char* menu;  ///< `File`, `Edit`, `View`, `Go`, `Pipeline`, `Run`, `Help`; a leading `|` puts a line above the entry
    const char* text;
    const char* keys;  ///< portable text, several separated by blanks; empty = none
    bool needsGraph;   ///< greyed while nothing is open
    const char* verb;  ///< twin of the command line; empty = none
};

const std::vector<Command>& commandTable();
/// The keyboard sheet, one line per command that has keys, by menu.
QString keyboardSheet();

}  // namespace aliascope
