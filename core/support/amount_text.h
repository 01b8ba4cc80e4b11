#pragma once
// Amounts as people read them. In a namespace of its own: views have functions of these names that give what Qt shows.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aliascope::words {

/// `96 B`, `16 KiB`, `1.69 MiB`.
std::string bytesText(std::int64_t bytes);
/// Nothing = `-` (or `?` for something that exists but is not known).
std::string bytesText(const std::optional<std::int64_t>& bytes, std::string_view absent = "-");
/// `1,048,576`.
std::string grouped(std::int64_t n);
/// `0.4 ms`, `1.25 s`.
std::string timeText(std::int64_t ns);

}  // namespace aliascope::words
