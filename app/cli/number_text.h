#pragma once
// Numbers as options state them.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace aliascope::cli {

/// The number that `text` is as a whole; nothing when it is none, or out of the range of `Number`.
template <class Number>
std::optional<Number> numberIn(std::string_view text) {
    Number n{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return n;
}

}  // namespace aliascope::cli
