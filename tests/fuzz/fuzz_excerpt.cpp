// libFuzzer target: what is pasted from reports: runs without frame, behind marks of comments and quotes, in fences, in colours, in pages. The first
// byte chooses how the lines are dressed.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text/document.h"
#include "core/text/html_text.h"
#include "core/text/normalise.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

std::string dressed(std::string_view text, std::uint8_t dress) {
    if (dress % 8 == 6) return "<!doctype html><pre>" + std::string(text);
    if (dress % 8 == 7) return "```python\n" + std::string(text) + "\n```\n";
    constexpr std::string_view kMarks[] = {"", "# ", "> ", "> > ", "    # ", "\x1b[31m"};
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = text.find('\n', at) == text.npos ? text.size() : text.find('\n', at);
        out += std::string(kMarks[dress % 8]) + std::string(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text = dressed({reinterpret_cast<const char*>(data + 1), size - 1}, data[0]);
    // Steps of normalising end in UTF-8 that needs no further cleaning.
    if (cleanUtf8(normalise(text).text).invalidBytes != 0) std::abort();
    static_cast<void>(htmlText(text));
    const auto doc = readText(text, "fuzz", OpRegistry::builtin());
    if (!doc) return 0;
    for (const Unit& unit : doc->units)
        if (printGraphText(unit.graph).empty() || unit.spanEnd > doc->text.size()) std::abort();
    return 0;
}
