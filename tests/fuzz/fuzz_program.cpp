// libFuzzer target: JSON, and programs of torch.export in it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/text/document_parts.h"
#include "core/text/json_reader.h"
#include "core/text/print.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const JsonDocument json(text, 0, text.size());
    for (JsonValue v = json.root().first(); v; v = v.next())
        if (v.end() < v.begin() || v.end() > text.size()) std::abort();
    const ReadOptions options;
    Document doc = readProgramText(text, "fuzz", {OpRegistry::builtin(), options});
    finishDocument(doc, {OpRegistry::builtin(), options});
    for (const Unit& unit : doc.units)
        if (printReadable(unit.graph).empty()) std::abort();
    return 0;
}
