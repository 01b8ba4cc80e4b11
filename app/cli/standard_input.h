#pragma once
// Standard input and other short texts that a user hands over.

#include <string>

namespace aliascope::cli {

/// All of standard input; more than 16 MiB ends the command with exit 3.
std::string standardInput();

}  // namespace aliascope::cli
