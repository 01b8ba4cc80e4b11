// libFuzzer target: TORCH_TRACE records.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/text/document_parts.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ReadOptions options;
    auto doc = readTrace(std::string(reinterpret_cast<const char*>(data), size), "fuzz", {OpRegistry::builtin(), options});
    if (!doc) return 0;
    finishDocument(*doc, {OpRegistry::builtin(), options});
    for (const Unit& unit : doc->units)
        if (unit.spanEnd > doc->text.size() || unit.spanBegin > unit.spanEnd) std::abort();
    return 0;
}
