#include "core/text/provenance.h"

#include <charconv>

#include "core/text/literals.h"

namespace aliascope {
namespace {

constexpr std::string_view kNoTrace = "No stacktrace found for", kFile = "File: ", kCode = ", code: ", kIn = " in ";

}  // namespace

bool isProvenance(std::string_view comment) {
    if (comment.find(kNoTrace) != comment.npos) return true;
    const std::size_t file = comment.find(kFile);
    return file != comment.npos && comment.find(kCode, file) != comment.npos;
}

Provenance parseProvenance(std::string_view comment) {
    Provenance p;
    p.raw = Name(comment);
    const std::size_t file = comment.find(kFile);
    if (file == comment.npos) return p;
    const std::string_view text = comment.substr(file + kFile.size());
    // The shortest `PATH:LINE` that is followed by ` in FN, code: ` or `, code: `: a path may hold colons and even a whole other place.
    for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
        std::uint32_t line = 0;
        const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
        if (error != std::errc()) continue;
        std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
        std::string_view function;
        if (rest.substr(0, kIn.size()) == kIn) {
            // The name ends where ", code: " begins, and holds neither blank nor colon: look no further than the first of them.
            const std::size_t stop = rest.find_first_of(" :", kIn.size());
            if (stop == rest.npos || stop < kIn.size() + 2) continue;
            function = rest.substr(kIn.size(), stop - 1 - kIn.size());
            rest = rest.substr(stop - 1);
        }
        if (rest.substr(0, kCode.size()) != kCode) continue;
        p.file = Name(text.substr(0, colon));
        p.line = line;
        p.function = Name(function);
        p.code = Name(rest.substr(kCode.size()));
        return p;
    }
    return p;
}

}  // namespace aliascope
