#pragma once
// The sample graphs that come with the program.

#include <optional>
#include <string>

namespace aliascope::cli {

/// The first of ALIASCOPE_SAMPLES, the installed folder and the source tree of a build that holds samples.json.
std::optional<std::string> sampleFolder();

}  // namespace aliascope::cli
