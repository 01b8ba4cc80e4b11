// libFuzzer target: operator files: schemas, traits, and bodies.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/exec/op_bodies.h"
#include "core/ir/op_registry.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    OpRegistry ops = OpRegistry::withBuiltin();
    static_cast<void>(ops.addText({reinterpret_cast<const char*>(data), size}, "fuzz.ops"));
    std::vector<Diagnostic> problems;
    static_cast<void>(exec::OpBodies::read(ops, &problems));
    for (const Diagnostic& d : problems)
        if (d.sentence().empty()) std::abort();
    return 0;
}
