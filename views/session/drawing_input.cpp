#include "views/session/drawing_input.h"

#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/session/drawing_filter.h"

namespace aliascope {
namespace {

constexpr std::size_t kUngrouped = 120;  // up to here everything fits a few screens
constexpr std::size_t kBand = 64;
constexpr std::size_t kLargestGroup = 400;
constexpr std::size_t kLongestPeriod = 48;
constexpr std::uint32_t kSplitGroup = 24;  // smaller modules are one group however deep they go
constexpr int kModuleLevels = 8;

/// Nodes begin..end (indices into the snapshot) that belong together.
struct Segment {
    std::uint32_t begin = 0, end = 0;
    std::string title;
};

std::string baseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string numbered(std::string text, const char* between, std::size_t number) { return text.append(between).append(std::to_string(number)); }

std::string place(const NodeRow& node) { return node.line > 0 ? numbered(baseName(node.file), ":", std::size_t(node.line)) : std::string(); }

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

/// Makes the groups of what is drawn: a tree of segments of the drawn calls in program order.
class Grouping {
public:
    Grouping(const StageView& view, const DrawingOptions& options, DrawingInput& out) : view_(view), options_(options), layout_(out.layout) {
        const auto& nodes = view.snapshot->nodes;
        for (std::uint32_t i = 0; i < layout_.nodes.size(); ++i) {
            const std::uint32_t node = out.nodeOf[i];
            const bool call = view.family[node] != Family::Input && view.family[node] != Family::Output;
            if (!call || !nodes[node]->body.empty()) continue;
            calls_.push_back(nodes[node]);
            drawn_.push_back(i);
        }
    }

    void make() {
        if (calls_.size() <= kUngrouped) return;
        // Stretches that know their module and such that do not (the backward of a joint graph) follow the chain each for itself.
        const auto count = std::uint32_t(calls_.size());
        for (std::uint32_t begin = 0; begin < count;) {
            const bool known = knowsModule(begin, count);
            std::uint32_t end = begin + 1;
            while (end < count && knowsModule(end, count) == known) ++end;
            if (known)
                groupModules(begin, end, 0, -1);
            else
                addSegments(segmentsBySource(begin, end), -1);
            begin = end;
        }
    }

private:
    /// A few nodes without a module between such that have one belong to them.
    bool knowsModule(std::uint32_t at, std::uint32_t count) const {
        constexpr std::uint32_t kGap = 8;
        const std::uint32_t first = at > kGap ? at - kGap : 0, last = std::min(count, at + kGap + 1);
        for (std::uint32_t i = first; i < last; ++i)
            if (!calls_[i]->module.empty()) return true;
        return false;
    }

    /// Runs of one module path, cut to `depth` + 1 names; nodes without one stay in the run that they stand in.
    std::vector<Segment> moduleRuns(std::uint32_t begin, std::uint32_t end, int depth) const {
        std::string last;
        for (std::uint32_t i = begin; i < end && last.empty(); ++i) last = modulePath(calls_[i]->module, depth);
        return runs(calls_, begin, end, [&](const NodeRow& node) {
            if (!node.module.empty()) last = modulePath(node.module, depth);
            return last;
        });
    }
    static std::string modulePath(const std::string& module, int depth) {
        std::size_t at = 0;
        for (int level = 0; level <= depth; ++level) {
            at = module.find('.', at);
            if (at == std::string::npos) return module;
            ++at;
        }
        return module.substr(0, at - 1);
    }

    /// Levels that all nodes share give no group of their own.
    void groupModules(std::uint32_t begin, std::uint32_t end, int depth, std::int32_t parent) {
        std::vector<Segment> parts = moduleRuns(begin, end, depth);
        while (parts.size() == 1 && depth + 1 < kModuleLevels) parts = moduleRuns(begin, end, ++depth);
        if (parts.size() == 1 && parent >= 0) {
            if (end - begin > kLargestGroup) addSegments(bands(parts), parent);
            return;
        }
        for (const Segment& part : parts) {
            const std::uint32_t size = part.end - part.begin;
            if (size < 2) continue;
            const std::int32_t group = addGroup(part, parent);
            if (size <= kSplitGroup) continue;
            if (depth + 1 < kModuleLevels)
                groupModules(part.begin, part.end, depth + 1, group);
            else if (size > kLargestGroup)
                addSegments(bands({part}), group);
        }
    }

    std::vector<Segment> segmentsBySource(std::uint32_t begin, std::uint32_t end) const {
        // A node that a pass made has no place of its own: it stays in the run that it stands in.
        std::string last;
        const auto bySource = runs(calls_, begin, end, [&](const NodeRow& n) {
            if (n.line > 0) last = place(n);
            return last;
        });
        return bands(repeatedBlocks(bySource));
    }

    void addSegments(const std::vector<Segment>& segments, std::int32_t parent) {
        for (const Segment& segment : segments)
            if (segment.end - segment.begin >= 2) addGroup(segment, parent);
    }

    std::int32_t addGroup(const Segment& segment, std::int32_t parent) {
        std::string title = segment.title.empty() ? "nodes" : segment.title;
        if (const int nth = seen_[title]++; nth > 0) title.append(" (").append(std::to_string(nth + 1)).append(")");
        const auto group = std::int32_t(layout_.groups.size());
        const bool collapsed = options_.groupsCollapsed != options_.toggled.contains(title);
        layout_.groups.push_back({std::move(title), parent, collapsed});
        for (std::uint32_t i = segment.begin; i < segment.end; ++i) layout_.nodes[drawn_[i]].group = group;
        return group;
    }

    const StageView& view_;
    const DrawingOptions& options_;
    LayoutInput& layout_;
    std::vector<NodeRowPtr> calls_;     // drawn calls of the main graph
    std::vector<std::uint32_t> drawn_;  // their indices into the layout
    std::unordered_map<std::string, int> seen_;
};

/// Bodies of higher-order operators: one group each.
void groupBodies(const StageView& view, const DrawingOptions& options, DrawingInput& out) {
    LayoutInput& input = out.layout;
    for (std::uint32_t i = 0; i < input.nodes.size(); ++i) {
        const std::string& body = view.snapshot->nodes[out.nodeOf[i]]->body;
        if (body.empty()) continue;
        if (input.groups.empty() || input.groups.back().title != body)
            input.groups.push_back({body, -1, options.groupsCollapsed != options.toggled.contains(body)});
        input.nodes[i].group = std::int32_t(input.groups.size() - 1);
    }
}

/// Results of calls that give several: what `getitem` takes from whom.
std::int32_t producerOf(const StageView& view, std::uint32_t node) {
    const NodeRow& row = *view.snapshot->nodes[node];
    if (row.target != "operator.getitem" && row.op.find("getitem") == std::string::npos) return -1;
    if (view.inputStart[node] == view.inputStart[node + 1]) return -1;
    const auto from = view.indexOf(view.snapshot->edges[view.inputEdges[view.inputStart[node]]].from);
    if (!from || *from >= node || view.family[*from] == Family::Input) return -1;
    return std::int32_t(*from);
}

LayoutNode layoutNode(const StageView& view, std::uint32_t node) {
    LayoutNode out;
    out.uid = view.snapshot->nodes[node]->uid;
    out.width = card::width;
    out.height = card::height;
    out.viewLike = view.family[node] == Family::View;
    if (!view.snapshot->nodes[node]->body.empty()) return out;
    if (view.family[node] == Family::Input) out.shelf = LayoutNode::Shelf::Input;
    if (view.family[node] == Family::Output) out.shelf = LayoutNode::Shelf::Output;
    return out;
}

}  // namespace

DrawingInput makeDrawingInput(const StageView& view, const DrawingOptions& options) {
    DrawingInput out;
    out.layout.foldViews = options.foldViews;
    const auto count = std::uint32_t(view.snapshot->nodes.size());
    const std::vector<char> drawn = nodesDrawn(view, options.filter);
    out.drawnBy.assign(count, -1);
    out.hidden.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
        out.hidden[i] = !drawn[i];
        if (!drawn[i]) continue;
        const std::int32_t producer = options.filter.foldResults ? producerOf(view, i) : -1;
        if (producer >= 0 && out.drawnBy[std::size_t(producer)] >= 0) {
            out.drawnBy[i] = out.drawnBy[std::size_t(producer)];
            continue;
        }
        out.drawnBy[i] = std::int32_t(out.nodeOf.size());
        out.nodeOf.push_back(i);
        out.layout.nodes.push_back(layoutNode(view, i));
    }
    out.layout.edges.reserve(view.snapshot->edges.size());
    std::pair<std::int32_t, std::int32_t> last{-1, -1};
    for (const EdgeRow& edge : view.snapshot->edges) {
        const auto from = view.indexOf(edge.from), to = view.indexOf(edge.to);
        if (!from || !to) continue;
        const std::pair between(out.drawnBy[*from], out.drawnBy[*to]);
        if (between == last || between.first < 0 || between.second < 0 || between.first == between.second) continue;
        last = between;
        out.layout.edges.push_back({std::uint32_t(between.first), std::uint32_t(between.second)});
    }
    if (!view.indexOf(options.filter.centre)) {
        Grouping(view, options, out).make();
        groupBodies(view, options, out);
    }
    return out;
}

}  // namespace aliascope
