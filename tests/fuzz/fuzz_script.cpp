// libFuzzer target: files whose head says what follows. The first byte chooses between the print of an ExportedProgram with its signature, a repro
// script with its loader, and Inductor's output code.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

constexpr std::array<std::string_view, 3> kHeads = {
    "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        def forward(self, x: \"f32[2, 3]\", b_y: \"f32[3]\"):\n            add: "
    "\"f32[2, 3]\" = torch.ops.aten.add.Tensor(x, b_y)\n            return (add, x)\n\nGraph signature: ",
    "s0 = 4\nclass Repro(torch.nn.Module):\n    def forward(self, x, y):\n        add = torch.ops.aten.add.Tensor(x, y)\n        return (add,)\n\n"
    "def load_args(reader):\n    buf0 = reader.storage(None, 96, device=device(type='cuda', index=0))\n",
    "# AOT ID: ['0_forward']\n# Graph fragment:\n"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string head(kHeads[data[0] % kHeads.size()]);
    const auto doc = readText(head + std::string(reinterpret_cast<const char*>(data + 1), size - 1), "fuzz", OpRegistry::builtin());
    if (!doc) return 0;
    for (const Unit& unit : doc->units) {
        if (unit.spanEnd > doc->text.size() || unit.spanBegin > unit.spanEnd) std::abort();
        if (printReadable(unit.graph).empty()) std::abort();
    }
    return 0;
}
