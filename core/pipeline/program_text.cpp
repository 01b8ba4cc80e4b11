// The text of bindings: `g1.primals_1 = g0.out[0]`.

#include <charconv>

#include "core/pipeline/program.h"

namespace aliascope {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool takeNumber(std::string_view& text, std::size_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// `g3.` at the start; what follows stays in `text`.
bool takeGraph(std::string_view& text, std::size_t& graph) {
    if (!text.starts_with('g')) return false;
    text.remove_prefix(1);
    if (!takeNumber(text, graph) || !text.starts_with('.')) return false;
    text.remove_prefix(1);
    return true;
}

bool isName(std::string_view text) { return !text.empty() && text.find_first_of(" \t=[](),") == text.npos; }

std::optional<StatedBinding> bindingOf(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos) return std::nullopt;
    StatedBinding b;
    std::string_view input = trimmed(line.substr(0, equals)), source = trimmed(line.substr(equals + 1));
    if (!takeGraph(input, b.graph) || !isName(input) || !takeGraph(source, b.from)) return std::nullopt;
    b.input = Name(input);
    if (source.starts_with("out[")) {
        source.remove_prefix(4);
        std::size_t place = 0;
        if (!takeNumber(source, place) || source != "]") return std::nullopt;
        b.out = place;
        return b;
    }
    if (!isName(source)) return std::nullopt;
    b.node = Name(source);
    return b;
}

}  // namespace

Result<std::vector<StatedBinding>> parseBindings(std::string_view text) {
    std::vector<StatedBinding> out;
    std::uint32_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view whole = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
        if (line.empty()) continue;
        auto binding = bindingOf(line);
        if (!binding) {
            constexpr std::size_t shown = 80;
            Diagnostic d = userError("BIND_TEXT", {{"text", std::string(line.substr(0, shown))}});
            d.line = number;
            return fail(std::move(d));
        }
        binding->line = number;
        out.push_back(*binding);
    }
    return out;
}

}  // namespace aliascope
