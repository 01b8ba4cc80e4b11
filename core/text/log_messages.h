#pragma once
// Log text (formats.md 8.3): messages of several processes between each other, and what they tell beside graphs.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.h"

namespace aliascope {

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

/// Gives each unit that was read from the log the compilation of its message; the AOT id and the phase come from its title. Messages about
/// re-inplacing and graph breaks become notes of the next unit of their compilation, listed sizes become types of the nodes that have none.
/// `text` is that of the log, which the units were read from.
void groupLogUnits(const LogText& log, std::string_view text, std::vector<Unit>& units);

}  // namespace aliascope
