#include "core/exec/reinplace_log.h"

#include <charconv>
#include <string_view>

namespace aliascope {
namespace {

constexpr std::int64_t maxRange = 100'000;

class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    /// Goes behind the next `word`; false when there is none.
    bool after(std::string_view word) {
        const std::size_t at = rest_.find(word);
        if (at == std::string_view::npos) return false;
        rest_.remove_prefix(at + word.size());
        return true;
    }

    std::string until(char end) {
        const std::size_t at = std::min(rest_.find(end), rest_.size());
        std::string out(rest_.substr(0, at));
        rest_.remove_prefix(at);
        return out;
    }

    std::optional<std::int64_t> number() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" :"), rest_.size()));
        std::int64_t n = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
        if (error != std::errc()) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return n;
    }

    /// `['a', 'b']`, `[0, 1]` or `range(0, 2)`.
    std::optional<std::vector<std::string>> list() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
        if (rest_.starts_with("range(")) return range();
        if (!rest_.starts_with("[")) return std::nullopt;
        const std::size_t end = rest_.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        std::string_view inside = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        std::vector<std::string> out;
        while (!inside.empty()) {
            const std::size_t comma = std::min(inside.find(','), inside.size());
            std::string_view word = inside.substr(0, comma);
            inside.remove_prefix(std::min(comma + 1, inside.size()));
            const std::size_t first = word.find_first_not_of(" '\""), last = word.find_last_not_of(" '\"");
            if (first != std::string_view::npos) out.emplace_back(word.substr(first, last - first + 1));
        }
        return out;
    }

private:
    std::optional<std::vector<std::string>> range() {
        rest_.remove_prefix(6);
        const auto from = number();
        if (!from || !after(",")) return std::nullopt;
        const auto to = number();
        if (!to || !after(")") || *from < 0 || *to - *from > maxRange) return std::nullopt;
        std::vector<std::string> out;
        for (std::int64_t i = *from; i < *to; ++i) out.push_back(std::to_string(i));
        return out;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<LogLine> parseLogLine(const std::string& text) {
    Scanner scan(text);
    LogLine line;
    if (!scan.after("For node ")) return std::nullopt;
    line.node = scan.until(',');
    if (!scan.after("attempted to reinplace")) return std::nullopt;
    auto tried = scan.list();
    if (!tried || !scan.after("unable to reinplace")) return std::nullopt;
    auto cloned = scan.list();
    if (!cloned || !scan.after(";")) return std::nullopt;
    auto missed = scan.list();
    if (!missed) return std::nullopt;
    line.tried = std::move(*tried);
    line.cloned = std::move(*cloned);
    line.missed = std::move(*missed);
    if (scan.after(" is :")) line.bytes = scan.number();
    return line;
}

}  // namespace aliascope
