#include "app/cli/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "app/cli/decision_view.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

struct Bound {
    const char* name;
    std::int64_t most;
    std::function<void(Limits&, std::int64_t)> set;
};

/// Nesting costs stack where values are read and printed, so its bound can be moved only so far.
const std::vector<Bound>& bounds() {
    constexpr std::int64_t bytes = std::int64_t(1) << 40, count = std::numeric_limits<std::int32_t>::max(), nesting = 1000;
    static const std::vector<Bound> table = {
        {"file", bytes, [](Limits& l, std::int64_t n) { l.reading.fileBytes = static_cast<std::uint64_t>(n); }},
        {"record", bytes, [](Limits& l, std::int64_t n) { l.reading.recordBytes = static_cast<std::uint64_t>(n); }},
        {"archive", bytes, [](Limits& l, std::int64_t n) { l.reading.archiveBytes = static_cast<std::uint64_t>(n); }},
        {"entries", count, [](Limits& l, std::int64_t n) { l.reading.archiveEntries = static_cast<std::uint32_t>(n); }},
        {"ratio", count, [](Limits& l, std::int64_t n) { l.reading.packingRatio = static_cast<std::uint32_t>(n); }},
        {"json", count, [](Limits& l, std::int64_t n) { l.reading.jsonDepth = static_cast<std::uint32_t>(n); }},
        {"graph", bytes, [](Limits& l, std::int64_t n) { l.reading.graphBytes = static_cast<std::uint64_t>(n); }},
        {"line", bytes, [](Limits& l, std::int64_t n) { l.reading.lineBytes = static_cast<std::uint64_t>(n); }},
        {"string", bytes, [](Limits& l, std::int64_t n) { l.reading.stringBytes = static_cast<std::uint64_t>(n); }},
        {"nodes", count, [](Limits& l, std::int64_t n) { l.reading.nodesPerGraph = static_cast<std::uint32_t>(n); }},
        {"values", nesting, [](Limits& l, std::int64_t n) { l.reading.valueDepth = static_cast<std::uint32_t>(n); }},
        {"classes", nesting, [](Limits& l, std::int64_t n) { l.reading.classDepth = static_cast<std::uint32_t>(n); }},
        {"subgraphs", count, [](Limits& l, std::int64_t n) { l.reading.subGraphs = static_cast<std::uint32_t>(n); }},
        {"messages", count, [](Limits& l, std::int64_t n) { l.reading.diagnosticsPerUnit = static_cast<std::uint32_t>(n); }},
        {"graphs", count, [](Limits& l, std::int64_t n) { l.recording.graphs = n; }},
        {"lanes", count, [](Limits& l, std::int64_t n) { l.recording.lanes = n; }},
        {"decisions", count, [](Limits& l, std::int64_t n) { l.recording.decisions = n; }},
    };
    return table;
}

void setLimit(Limits& limits, const std::string& item) {
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    std::vector<std::string> names;
    for (const Bound& bound : bounds()) names.emplace_back(bound.name);
    for (const Bound& bound : bounds()) {
        if (name != bound.name) continue;
        const auto n = equals == std::string::npos ? std::nullopt : parseAmount(item.substr(equals + 1));
        if (!n || *n < 1 || *n > bound.most) usage(fmt::format("--limits {}: {}=N expected, N from 1 to {}", item, name, bound.most));
        return bound.set(limits, *n);
    }
    usage(fmt::format("--limits {}: no such limit; nearest {}", item, nearestList(name, names)));
}

}  // namespace

Limits chosenLimits(Command& c) {
    Limits limits;
    for (const std::string& list : c.args().all("--limits"))
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t end = std::min(list.find(',', at), list.size());
            setLimit(limits, list.substr(at, end - at));
            at = end + 1;
        }
    return limits;
}

}  // namespace aliascope::cli
