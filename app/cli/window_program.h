#pragma once
// Where the window's program lies.

#include <string>

namespace aliascope::cli {

/// ALIASCOPE_WINDOW, else `aliascope-gui` beside this program, else in PATH; empty when there is none that can be executed.
std::string windowProgram();

}  // namespace aliascope::cli
