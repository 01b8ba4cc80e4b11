// libFuzzer target: pattern files, parsed and put into a set with its discrimination net.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ir/op_registry.h"
#include "core/patterns/language.h"
#include "core/patterns/pattern_set.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = patterns::parsePatterns({reinterpret_cast<const char*>(data), size}, "fuzz.patterns");
    if (!file) return 0;
    patterns::PatternSet set(OpRegistry::builtin());
    static_cast<void>(set.add(*file));
    return 0;
}
