#include "core/support/amount_text.h"

#include <fmt/format.h>

#include <iterator>

namespace aliascope::words {

std::string bytesText(std::int64_t bytes) {
    static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (value /= 1024; (value >= 1024 || value <= -1024) && unit + 1 < std::size(units); ++unit) value /= 1024;
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " " + units[unit];
}

std::string bytesText(const std::optional<std::int64_t>& bytes, std::string_view absent) { return bytes ? bytesText(*bytes) : std::string(absent); }

std::string grouped(std::int64_t n) {
    std::string digits = std::to_string(n);
    for (int at = static_cast<int>(digits.size()) - 3; at > (n < 0 ? 1 : 0); at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string timeText(std::int64_t ns) {
    const double ms = static_cast<double>(ns) / 1e6;
    return ms >= 1000 ? fmt::format("{:.2f} s", ms / 1000) : fmt::format("{:.1f} ms", ms);
}

}  // namespace aliascope::words
