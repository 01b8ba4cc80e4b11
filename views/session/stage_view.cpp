#include "views/session/stage_view.h"

#include <algorithm>

#include "views/session/drawing_input.h"

namespace aliascope {
namespace {

void indexNodes(StageView& view) {
    const auto& nodes = view.snapshot->nodes;
    view.byUid.reserve(nodes.size());
    view.byName.reserve(nodes.size());
    view.family.resize(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeRow& node = *nodes[i];
        view.byUid.emplace(node.uid, i);
        view.byName.emplace(node.name, i);  // the main graph comes first, so its name wins
        view.family[i] = familyOf(node);
        if (node.storage >= 0) view.byStorage[node.storage].push_back(i);
    }
    view.mark.assign(nodes.size(), ' ');
    for (const ChangeRow& change : *view.changes) {
        if (const auto at = view.byUid.find(change.uid); at != view.byUid.end() && change.mark != ChangeMark::Removed)
            view.mark[at->second] = char(change.mark);
    }
}

void indexEdges(StageView& view) {
    const auto& nodes = view.snapshot->nodes;
    const auto& edges = view.snapshot->edges;
    constexpr std::uint32_t missing = ~0u;
    auto at = [&](Uid uid) {
        const auto found = view.byUid.find(uid);
        return found == view.byUid.end() ? missing : found->second;
    };
    view.inputStart.assign(nodes.size() + 1, 0);
    view.outputStart.assign(nodes.size() + 1, 0);
    for (const EdgeRow& edge : edges) {
        if (const auto to = at(edge.to); to != missing) ++view.inputStart[to + 1];
        if (const auto from = at(edge.from); from != missing) ++view.outputStart[from + 1];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        view.inputStart[i + 1] += view.inputStart[i];
        view.outputStart[i + 1] += view.outputStart[i];
    }
    view.inputEdges.resize(view.inputStart.back());
    view.outputEdges.resize(view.outputStart.back());
    std::vector<std::uint32_t> nextIn(view.inputStart.begin(), view.inputStart.end() - 1),
        nextOut(view.outputStart.begin(), view.outputStart.end() - 1);
    view.users.assign(nodes.size(), 0);
    std::vector<std::uint32_t> lastUser(nodes.size(), missing);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const std::uint32_t from = at(edges[i].from), to = at(edges[i].to);
        if (to != missing) view.inputEdges[nextIn[to]++] = i;
        if (from == missing) continue;
        view.outputEdges[nextOut[from]++] = i;
        if (lastUser[from] != to) ++view.users[from];
        lastUser[from] = to;
    }
}

std::vector<std::uint32_t> slice(const std::vector<std::uint32_t>& start, const std::vector<std::uint32_t>& edges, std::uint32_t node) {
    return {edges.begin() + start[node], edges.begin() + start[node + 1]};
}

}  // namespace

std::optional<std::uint32_t> StageView::indexOf(Uid uid) const {
    const auto found = byUid.find(uid);
    if (found == byUid.end()) return std::nullopt;
    return found->second;
}

const NodeRow* StageView::node(Uid uid) const {
    const auto at = indexOf(uid);
    return at ? snapshot->nodes[*at].get() : nullptr;
}

const NodeRow* StageView::nodeNamed(const std::string& name) const {
    const auto found = byName.find(name);
    return found == byName.end() ? nullptr : snapshot->nodes[found->second].get();
}

std::vector<std::uint32_t> StageView::inputs(Uid uid) const {
    const auto at = indexOf(uid);
    return at ? slice(inputStart, inputEdges, *at) : std::vector<std::uint32_t>();
}

std::vector<std::uint32_t> StageView::outputs(Uid uid) const {
    const auto at = indexOf(uid);
    return at ? slice(outputStart, outputEdges, *at) : std::vector<std::uint32_t>();
}

const std::vector<std::uint32_t>& StageView::members(int storage) const {
    static const std::vector<std::uint32_t> none;
    const auto found = byStorage.find(storage);
    return found == byStorage.end() ? none : found->second;
}

const StorageRow* StageView::storage(int id) const {
    const auto found = std::find_if(storages->begin(), storages->end(), [&](const StorageRow& row) { return row.id == id; });
    return found == storages->end() ? nullptr : &*found;
}

StageViewPtr loadStageView(const Recording& recording, std::int64_t lane, int stage, const DrawingOptions& options, const CancelToken& cancel) {
    if (cancel.cancelled()) return nullptr;
    auto view = std::make_shared<StageView>();
    view->lane = lane;
    view->stage = stage;
    view->snapshot = recording.snapshot(lane, stage);
    if (!view->snapshot || cancel.cancelled()) return nullptr;
    view->changes = std::make_shared<const std::vector<ChangeRow>>(stage > 1 ? recording.changes(lane, stage) : std::vector<ChangeRow>());
    if (cancel.cancelled()) return nullptr;
    view->storages = std::make_shared<const std::vector<StorageRow>>(recording.storages(lane, stage));
    return finishStageView(std::move(view), options, cancel);
}

StageViewPtr finishStageView(std::shared_ptr<StageView> view, const DrawingOptions& options, const CancelToken& cancel) {
    indexNodes(*view);
    indexEdges(*view);
    return redraw(*view, options, cancel);
}

bool StageView::isHidden(Uid uid) const {
    const auto at = indexOf(uid);
    return at && *at < hidden.size() && hidden[*at];
}

std::string StageView::closedGroupOf(std::uint32_t node) const {
    const std::int32_t card = node < drawing->cardOfNode.size() ? drawing->cardOfNode[node] : -1;
    if (card < 0) return {};
    const std::int32_t group = drawing->cards[std::size_t(card)].group;
    return group < 0 ? std::string() : drawingInput->groups[std::size_t(group)].title;
}

StageViewPtr redraw(const StageView& view, const DrawingOptions& options, const CancelToken& cancel) {
    auto out = std::make_shared<StageView>(view);
    out->options = options;
    DrawingInput input = makeDrawingInput(*out, options);
    std::optional<LayoutResult> drawing = layoutGraph(input.layout, {}, cancel);
    if (!drawing) return nullptr;
    // From indices into what is drawn to indices into the stage.
    const std::size_t count = out->snapshot->nodes.size();
    out->groupOf.assign(count, ~0u);
    std::vector<std::int32_t> cardOfNode(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t drawn = input.drawnBy[i];
        if (drawn < 0) continue;
        cardOfNode[i] = drawing->cardOfNode[std::size_t(drawn)];
        if (const std::int32_t group = input.layout.nodes[std::size_t(drawn)].group; group >= 0) out->groupOf[i] = std::uint32_t(group);
    }
    for (PlacedCard& card : drawing->cards) card.node = input.nodeOf[card.node];
    drawing->cardOfNode = std::move(cardOfNode);
    out->hidden = std::move(input.hidden);
    out->hiddenCount = std::uint32_t(std::count(out->hidden.begin(), out->hidden.end(), 1));
    out->drawingInput = std::make_shared<const LayoutInput>(std::move(input.layout));
    out->drawing = std::make_shared<const LayoutResult>(std::move(*drawing));
    return out;
}

}  // namespace aliascope
