#pragma once
// The command lines that give a lane and its report again: they stand at the top of every report.
// Thread-safety: functions without state.

#include <string>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope::report {

/// Where a lane came from, in the words of its user.
struct Reproduction {
    std::string source;  ///< file of the graph; empty or `-` = not known
    std::vector<std::string> opsFiles;
    std::string session;  ///< file of the session, of which the name is told; empty = none was kept
};

/// `aliascope run ...`, then `aliascope report ...`, one a line.
std::string reproduceCommands(const LaneRow& lane, const Reproduction& from);

}  // namespace aliascope::report
