#pragma once
// Log text (formats.md 8.1, 8.2): prefixes in front of every line, and messages of several processes between each other.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.h"

namespace aliascope {

/// Length of all prefixes in front of `line` (they may stack), 0 when there is none. `key` names the stream that the line belongs to: what the
/// prefix says of rank, process, compile and artifact, without the time.
std::size_t logPrefixSize(std::string_view line, std::string* key = nullptr);

/// The messages of a log one after the other, without prefixes.
struct LogText {
    struct Message {
        std::size_t begin = 0;  ///< in `text`
        UnitGroup group;        ///< rank, process, compile id and attempt, as far as the prefix tells
    };
    std::string text;
    std::vector<Message> messages;
};

/// Nothing when no prefixed line starts a graph. Lines keep their order inside a message, messages are ordered by their first line.
std::optional<LogText> logMessages(std::string_view text);

/// Gives each unit that was read from the log the compilation of its message; the AOT id and the phase come from its title (formats.md 8.3).
void groupLogUnits(const LogText& log, std::vector<Unit>& units);

}  // namespace aliascope
