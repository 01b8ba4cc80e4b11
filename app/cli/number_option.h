#pragma once
// Options whose value is a number.

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "app/cli/command.h"
#include "app/cli/number_text.h"

namespace aliascope::cli {

/// Nothing without the option. What is no number ends the command and says that `want` is expected, as do negative and infinite fractions.
template <class T>
std::optional<T> numberOption(Command& c, const char* option, std::string_view want) {
    if (!c.args().has(option)) return std::nullopt;
    const std::string text = c.args().get(option);
    const std::optional<T> value = numberIn<T>(text);
    bool sound = value.has_value();
    if constexpr (std::is_floating_point_v<T>) sound = sound && std::isfinite(*value) && *value >= 0;
    if (!sound) usage(fmt::format("{} {}: {} expected", option, text, want));
    return value;
}

}  // namespace aliascope::cli
