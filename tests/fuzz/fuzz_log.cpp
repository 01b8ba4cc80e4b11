// libFuzzer target: TORCH_LOGS streams. The first byte chooses the prefix that every line gets, so that most inputs are logs; with the last choice
// the lines bring prefixes of their own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text/document.h"
#include "core/text/log_prefix.h"

using namespace aliascope;

namespace {

constexpr std::array<std::string_view, 6> kPrefixes = {"[rank1]:V0107 10:00:00.000001 71 torch/x.py:5] [3/1_2] [__aot_graphs] ",
                                                       "[2024-01-02 03:04:05,678] [0/0] torch._dynamo.output_graph: [DEBUG] ",
                                                       "2024-01-07T10:00:00.123Z pod-1 V0107 10:00:00.000001 71 a/x.py:5] [0/0] [__graph_code] ",
                                                       "(Worker_TP0 pid=12) INFO 01-02 03:04:05 [backends.py:7] ",
                                                       "[0/1] [__post_grad_graphs] ",
                                                       ""};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view prefix = kPrefixes[data[0] % kPrefixes.size()];
    const std::string_view lines(reinterpret_cast<const char*>(data + 1), size - 1);
    std::string text;
    for (std::size_t at = 0; at <= lines.size();) {
        const std::size_t end = lines.find('\n', at) == lines.npos ? lines.size() : lines.find('\n', at);
        const std::string line = std::string(prefix) + std::string(lines.substr(at, end - at));
        if (logPrefix(line).size > line.size()) std::abort();
        text += line + "\n";
        at = end + 1;
    }
    const auto doc = readText(std::move(text), "fuzz", OpRegistry::builtin());
    if (!doc) return 0;
    for (const Unit& unit : doc->units)
        if (unit.spanEnd > doc->text.size() || unit.spanBegin > unit.spanEnd) std::abort();
    return 0;
}
