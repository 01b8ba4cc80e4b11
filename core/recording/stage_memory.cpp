#include "core/recording/stage_memory.h"

#include <map>

#include "core/exec/op_bodies.h"
#include "core/recording/storage_versions.h"

namespace aliascope {

Uid StageMemory::uidOf(const memory::Site& site) const {
    if (!site.node) return 0;
    return recording::makeUid(site.body < bodies_.size() ? bodies_[site.body] : site.body, site.node);
}

std::int64_t StageMemory::seqOf(Uid node) const {
    const auto& events = report_.log().events;
    std::int64_t at = -1;
    for (std::size_t i = 0; i < events.size(); ++i)
        if (uidOf(events[i].site) == node && events[i].site.node && (at < 0 || events[i].liveExact > events[static_cast<std::size_t>(at)].liveExact))
            at = static_cast<std::int64_t>(i);
    return at;
}

namespace {

/// Numbers of bodies in the recording, by body of a log: the executor counts them by path.
std::vector<std::uint32_t> bodyNumbers(const Recording& recording, std::int64_t lane, int stage) {
    std::map<std::string, std::uint32_t> bodies;
    if (const auto snapshot = recording.snapshot(lane, stage))
        for (const NodeRowPtr& node : snapshot->nodes) bodies.emplace(node->body, static_cast<std::uint32_t>(node->uid >> 32));
    std::vector<std::uint32_t> numbers;
    for (const auto& [path, number] : bodies) numbers.push_back(number);
    return numbers;
}

}  // namespace

std::shared_ptr<const StageMemory> memoryOfRun(const Recording& recording, std::int64_t lane, int stage, memory::EventLog log) {
    exec::Prediction p;
    p.log = std::move(log);
    p.log.conditional = true;
    p.complete = true;
    return std::make_shared<const StageMemory>(std::move(p), bodyNumbers(recording, lane, stage));
}

std::shared_ptr<const StageMemory> memoryOfRun(const Recording& recording, const MemoryRunRow& run) {
    exec::Prediction p;
    for (memory::Event& e : recording.memoryEvents(run.id, 0, run.events)) p.log.add(std::move(e));
    p.log.conditional = true;
    p.complete = true;
    return std::make_shared<const StageMemory>(std::move(p), std::vector<std::uint32_t>());  // bodies have the recording's numbers already
}

Result<std::shared_ptr<const StageMemory>> predictStage(const Recording& recording, std::int64_t lane, int stage, const OpRegistry& ops,
                                                        const exec::PredictOptions& options) {
    auto graph = recording.graph(lane, stage, ops);
    if (!graph) return fail(graph.error());
    std::vector<std::uint32_t> numbers = bodyNumbers(recording, lane, stage);
    if (options.bodies) return std::make_shared<const StageMemory>(exec::predict(*graph, ops, options), std::move(numbers));
    const exec::OpBodies ownBodies = exec::OpBodies::read(ops);
    exec::PredictOptions withBodies = options;
    withBodies.bodies = &ownBodies;
    return std::make_shared<const StageMemory>(exec::predict(*graph, ops, withBodies), std::move(numbers));
}

}  // namespace aliascope
