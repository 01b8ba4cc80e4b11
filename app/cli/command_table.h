#pragma once
// The verbs of `aliascope` as data: parsing, help and tests all read this one table.

#include <string>
#include <string_view>
#include <vector>

namespace aliascope::cli {

struct OptionSpec {
    std::string_view name;       ///< `--graph`
    std::string_view shortName;  ///< `-o`, or empty
    std::string_view value;      ///< placeholder of its value (`NAME`); empty = a flag
    std::string_view help;
    std::string_view verb = {};  ///< the only verb for which this is the meaning; empty = all others
};

struct VerbSpec {
    std::string_view name;
    std::string_view arguments;             ///< `FILE`, `S A B`; a trailing `...` takes more, brackets are optional
    std::string_view help;                  ///< one line
    std::string_view detail;                ///< further lines of its help page
    std::vector<std::string_view> options;  ///< names, in the order of the help page
    std::vector<std::string_view> examples;
    bool built = true;  ///< false: known, but not part of this build
};

const std::vector<OptionSpec>& optionTable();
const OptionSpec* findOption(std::string_view name, std::string_view verb = {});
const std::vector<VerbSpec>& verbTable();
const VerbSpec* findVerb(std::string_view name);
/// Names of the verbs that this build has.
std::vector<std::string> builtVerbs();
/// Options of a verb as they are written, `--help` last.
std::vector<std::string> optionNames(const VerbSpec& verb);

/// Least and largest number of positional arguments of a verb.
struct Arity {
    int least = 0, most = 0;
};
Arity arityOf(const VerbSpec& verb);

std::string overviewHelp();
std::string verbHelp(const VerbSpec& verb);

}  // namespace aliascope::cli
