#include "app/cli/standard_input.h"

#include <cstdio>

#include "app/cli/command.h"

namespace aliascope::cli {

std::string standardInput() {
    constexpr std::size_t most = 16 << 20;
    std::string text;
    char block[65536];
    for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, stdin)) > 0 && text.size() <= most;) text.append(block, n);
    if (std::ferror(stdin)) throw Failure{ExitInput, "standard input cannot be read"};
    if (text.size() > most) throw Failure{ExitInput, "standard input is larger than 16 MiB"};
    return text;
}

}  // namespace aliascope::cli
