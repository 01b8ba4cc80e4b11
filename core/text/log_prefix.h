#pragma once
// Prefixes of log lines (formats.md 8.1, 8.2): what loggers, launchers and collectors put in front of what was said.

#include <string>
#include <string_view>

#include "core/text/document.h"

namespace aliascope {

/// What stands in front of a line of a log.
struct LogPrefix {
    std::size_t size = 0;  ///< of all prefixes together (they may stack); 0 = there is none
    std::string stream;    ///< what they say of rank, process, compile and artifact, without the time: lines of one stream make messages
    UnitGroup group;       ///< rank, process, compile id and attempt, as far as they tell
};
LogPrefix logPrefix(std::string_view line);

}  // namespace aliascope
