// libFuzzer target: session files. An input is a list of changes to a session that was recorded when the target started (place, length, bytes), so
// that most inputs are databases that are wrong in a few places; an input that starts with an odd byte is the file itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/recording/recorder.h"
#include "core/recording/recording.h"
#include "core/text/document.h"
#include "tests/fuzz/temporary_file.h"

using namespace aliascope;

namespace {

constexpr const char* kGraph =
    "class program(torch.nn.Module):\n    def forward(self, x: \"f32[4, 2][2, 1]cpu\"):\n        view: \"f32[8][1]cpu\" = "
    "torch.ops.aten.view.default(x, [8])\n        add_: \"f32[8][1]cpu\" = torch.ops.aten.add_.Tensor(view, 1);  add_ = None\n        return "
    "(view,)\n";

/// The bytes of a session of one graph and one stage.
std::vector<std::uint8_t> recordedSession() {
    const fuzzing::TemporaryFile file(".recorded.aliascope");
    auto document = readText(kGraph, "fuzz", OpRegistry::builtin());
    auto recorder = Recorder::create(file.path());
    if (!document || !recorder) std::abort();
    const auto graphs = (*recorder)->addDocument(*document);
    auto observer = graphs ? (*recorder)->beginLane(graphs->at(0), "none", OpRegistry::builtin()) : Result<PassObserver*>(fail(graphs.error()));
    if (!observer) std::abort();
    static_cast<void>(runPipeline(document->units[0].graph, Pipeline(), OpRegistry::builtin(), {*observer}));
    if (!(*recorder)->close()) std::abort();
    std::ifstream in(file.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Changes are three bytes of place, one of length, and so many bytes.
void apply(std::vector<std::uint8_t>& bytes, const std::uint8_t* data, std::size_t size) {
    std::size_t at = 0;
    while (at + 4 <= size && !bytes.empty()) {
        const std::size_t place = (data[at] | data[at + 1] << 8 | data[at + 2] << 16) % bytes.size();
        const std::size_t length = std::min<std::size_t>({data[at + 3], size - at - 4, bytes.size() - place});
        std::copy_n(data + at + 4, length, bytes.begin() + static_cast<std::ptrdiff_t>(place));
        at += 4 + length;
    }
}

void readAll(const Recording& recording) {
    static_cast<void>(recording.graphs());
    static_cast<void>(recording.diagnostics());
    for (const GraphRow& graph : recording.graphs()) static_cast<void>(recording.sourceText(graph.id));
    for (const LaneRow& lane : recording.lanes()) {
        static_cast<void>(recording.decisions(lane.id));
        static_cast<void>(recording.runs(lane.id));
        for (const StageRow& stage : recording.stages(lane.id)) {
            static_cast<void>(recording.graph(lane.id, stage.idx, OpRegistry::builtin()));
            static_cast<void>(recording.changes(lane.id, stage.idx));
            static_cast<void>(recording.storages(lane.id, stage.idx));
            static_cast<void>(recording.rewrites(lane.id, stage.idx));
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::uint8_t> base = recordedSession();
    static const fuzzing::TemporaryFile file(".aliascope");
    if (size == 0) return 0;
    if (data[0] % 2 == 1) {
        file.write(data + 1, size - 1);
    } else {
        std::vector<std::uint8_t> bytes = base;
        apply(bytes, data + 1, size - 1);
        file.write(bytes.data(), bytes.size());
    }
    if (const auto recording = Recording::open(file.path())) readAll(**recording);
    return 0;
}
