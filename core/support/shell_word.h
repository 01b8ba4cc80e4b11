#pragma once
// Words of the command lines that commands, reports and the window print.

#include <string>

namespace aliascope::words {

/// One word as a POSIX shell reads it back.
inline std::string shellWord(const std::string& word) {
    static constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string out = "'";
    for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace aliascope::words
