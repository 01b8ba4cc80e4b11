#pragma once
// PyTorch's log line about one wrapper: "For node N, attempted to reinplace A. We were unable to reinplace B; C (if non-empty, …) … is : X bytes".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aliascope {

struct LogLine {
    std::string node;
    std::vector<std::string> tried, cloned, missed;  ///< argument names, or base indices (`range(0, 2)` is 0 and 1)
    std::optional<std::int64_t> bytes;
};

/// Nothing when the text has no such sentence; a log prefix before it is passed over.
std::optional<LogLine> parseLogLine(const std::string& text);

}  // namespace aliascope
