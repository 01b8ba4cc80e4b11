#pragma once
// Messages to people. A Diagnostic carries the code of reason-codes.md and its parameters; the sentence is made when it is shown, so that
// one table (resources/reasons.tsv) is the only place where words live.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/name.h"

namespace aliascope {

enum class Severity : std::uint8_t { Error, Warning, Info };
/// user: the reader of the message can act on it. internal: a fault of ours, to be reported; the session stays open.
enum class Audience : std::uint8_t { User, Internal };

/// Named parameters of a sentence, in the order in which they were given.
using Params = std::vector<std::pair<std::string, std::string>>;

struct Diagnostic {
    Severity severity = Severity::Error;
    Audience audience = Audience::User;
    std::string code;          ///< `R014`, `NO_SCHEMA`, `V001`, …
    Params params;             ///< values for the {names} of the code's sentence
    std::string file;          ///< shown path; empty when there is none
    std::uint32_t line = 0;    ///< from 1; 0 = no place
    std::uint32_t column = 0;  ///< from 1, counts characters
    std::string excerpt;       ///< source line cut to 120 columns and a caret line below it
    Name node;                 ///< the node it speaks of, if any
    std::string note;          ///< free text appended to the sentence (what to do); may be empty

    Diagnostic& with(std::string key, std::string value) {
        params.emplace_back(std::move(key), std::move(value));
        return *this;
    }
    /// The sentence of `code` with the parameters filled in.
    std::string sentence() const;
    /// `file:line:col: severity CODE: sentence`, then the excerpt.
    std::string format() const;
};

/// An error of a user: exit-code class and message.
Diagnostic userError(std::string code, Params params = {});
Diagnostic warning(std::string code, Params params = {});
Diagnostic info(std::string code, Params params = {});
Diagnostic internalError(std::string code, Params params = {});

std::string_view toString(Severity s);
std::string_view toString(Audience a);

}  // namespace aliascope
