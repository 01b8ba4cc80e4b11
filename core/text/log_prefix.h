#pragma once
// Log text (formats.md 8.1, 8.2): prefixes in front of every line, and messages of several processes between each other.

#include <optional>
#include <string>
#include <string_view>

namespace aliascope {

/// Length of all prefixes in front of `line` (they may stack), 0 when there is none. `key` names the stream that the line belongs to: what the
/// prefix says of rank, process, compile and artifact, without the time.
std::size_t logPrefixSize(std::string_view line, std::string* key = nullptr);

/// The messages of a log one after the other, without prefixes; nothing when no prefixed line starts a graph. Lines keep their order inside a
/// message, messages are ordered by their first line.
std::optional<std::string> logMessages(std::string_view text);

}  // namespace aliascope
