#include "app/cli/node_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/support/nearest.h"

namespace aliascope::cli {

std::vector<NamedNode> nodesNamed(const Staged& staged, std::string name, int stage) {
    if (name.starts_with("%")) name.erase(0, 1);
    std::vector<NamedNode> out;
    for (const StageRow& row : staged.recording->stages(staged.lane.id)) {
        if (stage != 0 && row.idx != stage) continue;
        if (row.idx > 1 && !row.changed && stage == 0) continue;
        const auto snapshot = staged.recording->snapshot(staged.lane.id, row.idx);
        if (!snapshot) continue;
        for (const NodeRowPtr& node : snapshot->nodes)
            if (node->name == name && std::none_of(out.begin(), out.end(), [&](const NamedNode& n) { return n.uid == node->uid; }))
                out.push_back({node->uid, row.idx, node});
    }
    return out;
}

NamedNode requireNode(Command& c, const Staged& staged, const std::string& name, int stage) {
    const auto found = nodesNamed(staged, name, stage);
    if (found.empty()) {
        std::set<std::string> names;
        for (const StageRow& row : staged.recording->stages(staged.lane.id))
            if (const auto snapshot = row.idx == 1 || row.changed ? staged.recording->snapshot(staged.lane.id, row.idx) : nullptr)
                for (const NodeRowPtr& node : snapshot->nodes) names.insert(node->name);
        const auto near = nearestNames(name, {names.begin(), names.end()});
        std::string hint;
        for (const std::string& n : near) hint += (hint.empty() ? "; nearest " : ", ") + n;
        throw Failure{ExitNotFound, fmt::format("no node {} at any stage of {}{}", name, staged.lane.name, hint)};
    }
    for (std::size_t i = 1; i < found.size(); ++i)
        c.note(fmt::format("another node is named {} from stage {} on; --stage {} asks about that one", name, found[i].stage, found[i].stage));
    return found.front();
}

}  // namespace aliascope::cli
