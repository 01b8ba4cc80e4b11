// libFuzzer target: tables, with the header in front so that most inputs get as far as rows.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string head =
        "opcode         name  target           args       kwargs\n"
        "-------------  ----  ---------------  ---------  ------\n";
    const auto doc = readText(head + std::string(reinterpret_cast<const char*>(data), size), "fuzz", OpRegistry::builtin());
    if (!doc) return 0;
    for (const Unit& unit : doc->units)
        if (printGraphText(unit.graph).empty()) std::abort();
    return 0;
}
