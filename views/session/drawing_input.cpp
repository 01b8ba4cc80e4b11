#include "views/session/drawing_input.h"

#include <algorithm>

#include "views/canvas/metrics.h"

namespace aliascope {
namespace {

constexpr std::size_t kUngrouped = 120;  // up to here everything fits a few screens
constexpr std::size_t kBand = 64;
constexpr std::size_t kLargestGroup = 400;
constexpr std::size_t kLongestPeriod = 48;

/// Nodes begin..end (indices into the snapshot) that belong together.
struct Segment {
    std::uint32_t begin = 0, end = 0;
    std::string title;
};

std::string baseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string numbered(std::string text, const char* between, std::size_t number) { return text.append(between).append(std::to_string(number)); }

std::string place(const NodeRow& node) { return node.line > 0 ? numbered(baseName(node.file), ":", std::size_t(node.line)) : std::string(); }

/// `a.b.c.d` -> `a.b.c`: deeper levels would give groups of two nodes.
std::string modulePrefix(const std::string& module) {
    constexpr int kLevels = 3;
    std::size_t at = 0;
    for (int level = 0; level < kLevels; ++level) {
        at = module.find('.', at);
        if (at == std::string::npos) return module;
        ++at;
    }
    return module.substr(0, at - 1);
}

template <class Key>
std::vector<Segment> runs(const std::vector<NodeRowPtr>& nodes, std::uint32_t begin, std::uint32_t end, Key key) {
    std::vector<Segment> out;
    for (std::uint32_t i = begin; i < end; ++i) {
        std::string now = key(*nodes[i]);
        if (out.empty() || out.back().title != now) out.push_back({i, i, std::move(now)});
        out.back().end = i + 1;
    }
    return out;
}

/// Joins runs to the blocks that repeat: the shortest period whose repetition covers the most runs from `at` on.
struct Repetition {
    std::size_t period = 0, length = 0;  // in runs
};

Repetition repetitionAt(const std::vector<Segment>& run, std::size_t at) {
    Repetition best;
    for (std::size_t period = 1; period <= kLongestPeriod && at + 2 * period <= run.size(); ++period) {
        std::size_t same = 0;
        while (at + same + period < run.size() && run[at + same].title == run[at + same + period].title) ++same;
        const std::size_t whole = (same / period + 1) * period;
        if (same >= period && whole > best.length) best = {period, whole};
    }
    return best;
}

std::vector<Segment> repeatedBlocks(const std::vector<Segment>& run) {
    std::vector<Segment> out;
    std::size_t loose = 0;
    auto flush = [&](std::size_t end) {
        if (loose < end) out.push_back({run[loose].begin, run[end - 1].end, run[loose].title});
    };
    for (std::size_t at = 0; at < run.size();) {
        const Repetition found = repetitionAt(run, at);
        if (found.period < 2) {
            ++at;
            continue;
        }
        flush(at);
        for (std::size_t block = 0; block * found.period < found.length; ++block) {
            const Segment& first = run[at + block * found.period];
            out.push_back({first.begin, run[at + (block + 1) * found.period - 1].end,
                           numbered(numbered(first.title, ", repeat ", block + 1), " of ", found.length / found.period)});
        }
        at += found.length;
        loose = at;
    }
    flush(run.size());
    return out;
}

std::vector<Segment> bands(const std::vector<Segment>& segments) {
    std::vector<Segment> out;
    for (const Segment& s : segments) {
        if (s.end - s.begin <= kLargestGroup) {
            out.push_back(s);
            continue;
        }
        std::size_t number = 1;
        for (std::uint32_t at = s.begin; at < s.end; at += kBand, ++number)
            out.push_back({at, std::min<std::uint32_t>(at + kBand, s.end), numbered(s.title.empty() ? "nodes" : s.title, " band ", number)});
    }
    return out;
}

/// The stretch of calls of the main graph: inputs stand before it, the output after it.
std::pair<std::uint32_t, std::uint32_t> callsOfMainGraph(const StageView& view) {
    const auto& nodes = view.snapshot->nodes;
    std::uint32_t begin = 0, end = 0;
    while (end < nodes.size() && nodes[end]->body.empty()) ++end;
    while (begin < end && view.family[begin] == Family::Input) ++begin;
    if (end > begin && view.family[end - 1] == Family::Output) --end;
    return {begin, end};
}

std::vector<Segment> segmentsOf(const StageView& view) {
    const auto& nodes = view.snapshot->nodes;
    const auto [begin, end] = callsOfMainGraph(view);
    if (end - begin <= kUngrouped) return {};
    const auto withModule = std::count_if(nodes.begin() + begin, nodes.begin() + end, [](const NodeRowPtr& n) { return !n->module.empty(); });
    if (std::size_t(withModule) * 2 > end - begin) return bands(runs(nodes, begin, end, [](const NodeRow& n) { return modulePrefix(n.module); }));
    // A node that a pass made has no place of its own: it stays in the run that it stands in.
    std::string last;
    const auto run = runs(nodes, begin, end, [&](const NodeRow& n) {
        if (n.line > 0) last = place(n);
        return last;
    });
    return bands(repeatedBlocks(run));
}

void addGroups(const StageView& view, const DrawingOptions& options, LayoutInput& input) {
    std::unordered_map<std::string, int> seen;
    for (const Segment& s : segmentsOf(view)) {
        if (s.end - s.begin < 2) continue;
        std::string title = s.title.empty() ? "nodes" : s.title;
        if (const int nth = seen[title]++; nth > 0) title.append(" (").append(std::to_string(nth + 1)).append(")");
        const auto group = std::int32_t(input.groups.size());
        const bool collapsed = options.groupsCollapsed != options.toggled.contains(title);
        input.groups.push_back({std::move(title), -1, collapsed});
        for (std::uint32_t i = s.begin; i < s.end; ++i)
            if (input.nodes[i].shelf == LayoutNode::Shelf::None) input.nodes[i].group = group;
    }
    // Bodies of higher-order operators: one group each.
    const auto& nodes = view.snapshot->nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i]->body.empty()) continue;
        if (input.groups.empty() || input.groups.back().title != nodes[i]->body)
            input.groups.push_back({nodes[i]->body, -1, options.groupsCollapsed != options.toggled.contains(nodes[i]->body)});
        input.nodes[i].group = std::int32_t(input.groups.size() - 1);
    }
}

}  // namespace

LayoutInput makeDrawingInput(const StageView& view, const DrawingOptions& options) {
    LayoutInput input;
    input.foldViews = options.foldViews;
    const auto& nodes = view.snapshot->nodes;
    input.nodes.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        LayoutNode& node = input.nodes[i];
        node.uid = nodes[i]->uid;
        node.width = card::width;
        node.height = card::height;
        node.viewLike = view.family[i] == Family::View;
        if (!nodes[i]->body.empty()) continue;
        if (view.family[i] == Family::Input) node.shelf = LayoutNode::Shelf::Input;
        if (view.family[i] == Family::Output) node.shelf = LayoutNode::Shelf::Output;
    }
    input.edges.reserve(view.snapshot->edges.size());
    std::pair<Uid, Uid> last{kNoUid, kNoUid};
    for (const EdgeRow& edge : view.snapshot->edges) {
        if (std::pair(edge.from, edge.to) == last) continue;
        last = {edge.from, edge.to};
        const auto from = view.indexOf(edge.from), to = view.indexOf(edge.to);
        if (from && to) input.edges.push_back({*from, *to});
    }
    addGroups(view, options, input);
    return input;
}

}  // namespace aliascope
