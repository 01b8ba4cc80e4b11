// libFuzzer target: any bytes are read, and what was read is printed and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto doc = readText(std::string(reinterpret_cast<const char*>(data), size), "fuzz", OpRegistry::builtin());
    if (!doc) return 0;
    for (const Unit& unit : doc->units) {
        const std::string text = printGraphText(unit.graph), python = printReadable(unit.graph);
        if (text.empty() || python.empty()) std::abort();
        static_cast<void>(readText(python, "again", OpRegistry::builtin()));
    }
    return 0;
}
