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

Result<std::shared_ptr<const StageMemory>> predictStage(const Recording& recording, std::int64_t lane, int stage, const OpRegistry& ops,
                                                        const exec::PredictOptions& options) {
    auto graph = recording.graph(lane, stage, ops);
    if (!graph) return fail(graph.error());
    std::map<std::string, std::uint32_t> bodies;  // by path, as the executor numbers them
    if (const auto snapshot = recording.snapshot(lane, stage))
        for (const NodeRowPtr& node : snapshot->nodes) bodies.emplace(node->body, static_cast<std::uint32_t>(node->uid >> 32));
    std::vector<std::uint32_t> numbers;
    for (const auto& [path, number] : bodies) numbers.push_back(number);
    if (options.bodies) return std::make_shared<const StageMemory>(exec::predict(*graph, ops, options), std::move(numbers));
    const exec::OpBodies ownBodies = exec::OpBodies::read(ops);
    exec::PredictOptions withBodies = options;
    withBodies.bodies = &ownBodies;
    return std::make_shared<const StageMemory>(exec::predict(*graph, ops, withBodies), std::move(numbers));
}

}  // namespace aliascope
