// libFuzzer target: folders of dumps. An input is files, each a byte that chooses its name, and content up to the next NUL; what was read is put into
// stages.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text/document_parts.h"
#include "core/text/member_source.h"
#include "core/text/stage_order.h"

using namespace aliascope;

namespace {

constexpr std::array<std::string_view, 20> kNames = {"model__0_forward_1.0/fx_graph_readable.py",
                                                     "model__0_forward_1.0/fx_graph_runnable.py",
                                                     "model__0_forward_1.0/fx_graph_transformed.py",
                                                     "model__0_forward_1.0/output_code.py",
                                                     "model___2.1/fx_graph_readable.py",
                                                     "model___2.1/output_code.py",
                                                     "rank_1/0_0_0/dynamo_output_graph_1.txt",
                                                     "rank_1/0_0_0/aot_forward_graph_5.txt",
                                                     "rank_1/0_0_0/before_post_grad_graph_7.txt",
                                                     "rank_1/0_0_0/fx_graph_runnable_6.txt",
                                                     "rank_1/0_0_0/inductor_output_code_abc_9.txt",
                                                     "rank_1/-_0_0_1/aot_inference_graph_2.html",
                                                     "__compiled_fn_1.Captured_Graph.0.py",
                                                     "__compiled_fn_1.Forward_graph_0.1.py",
                                                     "010_before.txt",
                                                     "020_after.graph.txt",
                                                     "020_after.readable.py",
                                                     "dedicated_log_torch_trace_rank_2_x.log",
                                                     "logs/raw.log",
                                                     "program.json"};

class Files : public MemberSource {
public:
    Files(const std::uint8_t* data, std::size_t size) {
        for (std::size_t at = 0; at < size;) {
            const std::uint8_t* end = std::find(data + at + 1, data + size, 0);
            contents_.emplace_back(reinterpret_cast<const char*>(data + at + 1), static_cast<std::size_t>(end - data) - at - 1);
            // No two files have one name: what repeats lies in a folder of its own.
            const std::size_t name = data[at] % kNames.size();
            const std::string folder = seen_[name]++ == 0 ? std::string() : std::to_string(seen_[name]) + "/";
            members_.push_back({folder + std::string(kNames[name]), contents_.back().size()});
            at = static_cast<std::size_t>(end - data) + 1;
        }
    }
    Result<std::string> read(std::size_t index) override { return contents_[index]; }

private:
    std::array<int, kNames.size()> seen_{};
    std::vector<std::string> contents_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ReadOptions options;
    const ReadContext context{OpRegistry::builtin(), options};
    Files files(data, size);
    auto doc = readFolder(files, "fuzz", context);
    if (!doc) return 0;
    finishDocument(*doc, context);
    for (const Unit& unit : doc->units)
        if (unit.spanEnd > doc->text.size() || unit.spanBegin > unit.spanEnd) std::abort();
    for (const StageChain& chain : stageChains(*doc))
        for (const std::size_t unit : chain.units)
            if (unit >= doc->units.size()) std::abort();
    std::size_t unit = doc->units.size() - 1;
    if (compilationOf(*doc, unit).units.size() <= unit) std::abort();
    return 0;
}
