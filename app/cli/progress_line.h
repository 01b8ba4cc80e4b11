#pragma once
// Progress of a long command on a terminal.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string_view>

namespace aliascope::cli {

/// One line on the terminal, from 300 ms on; gone at the end.
class ProgressLine {
public:
    ~ProgressLine() {
        if (shown_) fmt::print(stderr, "\r\x1b[K");
    }
    void show(double fraction, std::string_view what) {
        if (std::chrono::steady_clock::now() - start_ < std::chrono::milliseconds(300)) return;
        fmt::print(stderr, "\r\x1b[K{:3.0f} %  {}", fraction * 100, what);
        std::fflush(stderr);
        shown_ = true;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    bool shown_ = false;
};

}  // namespace aliascope::cli
