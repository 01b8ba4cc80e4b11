#include "core/report/markup.h"

#include <fmt/format.h>

#include "core/support/amount_text.h"

namespace aliascope::report {
using words::grouped;

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at `at`; 0 when there is none that is well formed.
std::size_t characterAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (size == 0 || at + size > text.size()) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    if ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F) || (first == 0xF0 && byte(at + 1) < 0x90) ||
        (first == 0xF4 && byte(at + 1) > 0x8F))
        return 0;
    return size;
}

struct Colour {
    const char *name, *light, *dark;
};
// ui.md 4.3
constexpr Colour colours[] = {{"canvas", "#F6F7F8", "#16181C"},       {"panel", "#FFFFFF", "#1F2328"},        {"line", "#D0D7DE", "#3A4049"},
                              {"ink", "#1B1F24", "#E6E8EB"},          {"secondary", "#57606A", "#A0A8B2"},    {"edge", "#6B7480", "#6E7681"},
                              {"selection", "#0B57D0", "#8AB4F8"},    {"added", "#0B7BEA", "#3B9BFF"},        {"added-fill", "#E3F0FD", "#10294A"},
                              {"removed", "#D9480F", "#F08A56"},      {"removed-fill", "#FDEBE3", "#43220F"}, {"changed", "#5B1A86", "#DCC6F0"},
                              {"changed-fill", "#F1E7F8", "#33264A"}, {"in-place", "#12867F", "#2FE0CF"},     {"needed", "#37465E", "#7189AD"},
                              {"avoidable", "#A87A00", "#FFD978"},    {"wrong", "#9B0F2E", "#E5536B"},        {"slot0", "#1F83E0", "#3F80FF"},
                              {"slot1", "#8A3300", "#E09A6A"},        {"slot2", "#1E7464", "#5CEBCB"},        {"slot3", "#4A1038", "#E0287F"},
                              {"slot4", "#8F8400", "#F5E642"},        {"slot5", "#6A48BE", "#C3BEFF"}};

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = characterAt(text, at);
        if (size != 1) {
            out += size == 0 ? replacement : text.substr(at, size);
            at += size == 0 ? 1 : size;
            continue;
        }
        const char c = text[at++];
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            case '\n':
            case '\t':
                out += c;
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
                    out += replacement;
                else
                    out += c;
        }
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t most) {
    std::size_t at = 0, characters = 0, lastFit = 0;
    while (at < text.size()) {
        if (++characters > most) return std::string(text.substr(0, lastFit)) + "…";
        if (characters < most) lastFit = at + std::max<std::size_t>(characterAt(text, at), 1);
        at += std::max<std::size_t>(characterAt(text, at), 1);
    }
    return std::string(text);
}

std::string colourSheet() {
    std::string light, dark;
    for (const Colour& colour : colours) {
        light += fmt::format("--{}:{};", colour.name, colour.light);
        dark += fmt::format("--{}:{};", colour.name, colour.dark);
    }
    return fmt::format(":root{{color-scheme:light dark;{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n", light, dark);
}

std::string pictureSheet() {
    return ".picture{background:var(--canvas)}\n.sheet{fill:var(--canvas)}\n.picture text{font:11px "
           "ui-monospace,monospace;fill:var(--ink)}\ntext.dim{fill:var(--secondary)}\ntext.name{font-weight:bold}\n"
           ".card rect{fill:var(--panel);stroke:var(--line)}\n.card.added rect{fill:var(--added-fill);stroke:var(--added)}\n"
           ".card.changed rect{fill:var(--changed-fill);stroke:var(--changed);stroke-dasharray:3 2}\n"
           ".card.removed rect{fill:var(--removed-fill);stroke:var(--removed)}\n.card.chosen rect{stroke:var(--selection);stroke-width:3}\n"
           ".card.blocker rect{stroke:var(--avoidable);stroke-width:3;stroke-dasharray:none}\n"
           ".slot.s0{stroke:var(--slot0)}\n.slot.s1{stroke:var(--slot1)}\n.slot.s2{stroke:var(--slot2)}\n.slot.s3{stroke:var(--slot3)}\n.slot.s4{"
           "stroke:var(--slot4)}\n.slot.s5{stroke:var(--slot5)}\n"
           ".group rect{fill:none;stroke:var(--line);stroke-dasharray:6 "
           "3}\n.edge{fill:none;stroke:var(--edge)}\n.edge.write{stroke:var(--wrong);stroke-dasharray:5 3}\n"
           ".stub{fill:none;stroke:var(--edge);stroke-dasharray:2 2}\n"
           ".bar{fill:var(--panel);stroke:var(--line)}\n.bytes{fill:var(--slot0)}\n.bytes.partly{fill-opacity:.45}\n.bytes.other{fill:var(--slot1)}\n"
           ".bytes.copied{fill:var(--avoidable)}\n.curve{fill:none;stroke:var(--slot0);stroke-width:1.5}\n.peak{stroke:var(--wrong);stroke-dasharray:"
           "3 2}\n";
}

std::string standaloneSheet() {
    const auto resolved = [](const char* Colour::*theme) {
        std::string out = pictureSheet();
        for (const Colour& colour : colours) {
            const std::string variable = fmt::format("var(--{})", colour.name);
            for (std::size_t at = 0; (at = out.find(variable, at)) != std::string::npos;) out.replace(at, variable.size(), colour.*theme);
        }
        return out;
    };
    return resolved(&Colour::light) + "@media (prefers-color-scheme:dark){\n" + resolved(&Colour::dark) + "}\n";
}

void HtmlTable::row(std::vector<Cell> cells, std::string_view rowClass) {
    rows_ += rowClass.empty() ? std::string("<tr>") : fmt::format("<tr class=\"{}\">", rowClass);
    for (const Cell& cell : cells)
        rows_ += fmt::format("<td{}{}>{}</td>", cell.right ? " class=\"n\"" : "",
                             cell.sortKey.empty() ? "" : fmt::format(" data-k=\"{}\"", cell.sortKey), cell.markup);
    rows_ += "</tr>\n";
}

std::string HtmlTable::markup(std::string_view caption) const {
    std::string out = fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(caption));
    for (const std::string& title : titles_) out += fmt::format("<th scope=\"col\">{}</th>", escaped(title));
    return out + "</tr></thead>\n<tbody>\n" + rows_ + "</tbody></table>\n";
}

Cell text(std::string_view plain) { return {escaped(plain), {}, false}; }
Cell number(std::int64_t n) { return {grouped(n), std::to_string(n), true}; }
Cell amount(std::string_view shown, std::int64_t bytes) { return {escaped(shown), std::to_string(bytes), true}; }

}  // namespace aliascope::report
