// libFuzzer target: small texts that options name: bindings between graphs (`--bind FILE`), pipelines (`--pipeline FILE`), and argument lists.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"
#include "core/text/arguments.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto bindings = parseBindings(text); !bindings && bindings.error().sentence().empty()) std::abort();
    if (const auto pipeline = parsePipeline(text); !pipeline && pipeline.error().sentence().empty()) std::abort();
    static const Graph graph;
    if (const auto call = parseArguments(text, graph); !call && call.error().sentence().empty()) std::abort();
    return 0;
}
