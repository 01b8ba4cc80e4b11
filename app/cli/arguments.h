#pragma once
// The parsed command line.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_table.h"

namespace aliascope::cli {

class Arguments {
public:
    const VerbSpec* verb = nullptr;
    std::vector<std::string> positional;
    std::map<std::string, std::vector<std::string>, std::less<>> values;  ///< by option name; a flag has no values

    bool has(std::string_view option) const { return values.find(option) != values.end(); }
    /// The last value given; empty when the option is absent.
    std::string get(std::string_view option) const;
    const std::vector<std::string>& all(std::string_view option) const;
    /// Positional argument `i`, or an empty text.
    std::string at(std::size_t i) const { return i < positional.size() ? positional[i] : std::string(); }
};

/// What parsing came to: a command, a text to print (help), or a mistake (exit 2).
struct Parsed {
    enum class Kind { Command, Help, Mistake } kind = Kind::Command;
    Arguments arguments;
    std::string text;
};

Parsed parseArguments(const std::vector<std::string>& words);

}  // namespace aliascope::cli
