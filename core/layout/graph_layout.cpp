#include "core/layout/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace aliascope {
namespace {

constexpr std::uint32_t kNoItem = 0xffffffffu;
constexpr int kSweeps = 3;

/// A box that is placed inside a container: a card, or an open group with everything in it.
struct Item {
    std::uint32_t firstNode = 0;   ///< program order of its first node: ranks go by it
    std::int32_t group = -1;       ///< collapsed group of a card, or the open group
    bool open = false;
    std::uint32_t container = 0;   ///< 0 = top level, g + 1 = inside open group g
};

/// Where an item is: relative to its container's content until toAbsolute(). Apart from Item, because the sweeps read nothing else.
struct Box { float x = 0, y = 0, width = 0, height = 0; };

/// Lists of numbers, one per owner, in one array: the lists of a large graph are walked in order, and none of them is an allocation.
struct Lists {
    std::vector<std::uint32_t> start, values;

    std::span<const std::uint32_t> operator[](std::size_t owner) const { return {values.data() + start[owner], values.data() + start[owner + 1]}; }
    std::span<std::uint32_t> operator[](std::size_t owner) { return {values.data() + start[owner], values.data() + start[owner + 1]}; }

    /// `count` values; the i-th is value(i) in the list of owner(i). A list keeps the order of i.
    template <typename Owner, typename Number>
    static Lists of(std::size_t owners, std::size_t count, Owner&& owner, Number&& value) {
        Lists out;
        out.start.assign(owners + 1, 0);
        out.values.resize(count);
        for (std::size_t i = 0; i < count; ++i) ++out.start[owner(i) + 1];
        for (std::size_t o = 0; o < owners; ++o) out.start[o + 1] += out.start[o];
        for (std::size_t i = 0; i < count; ++i) out.values[out.start[owner(i)]++] = value(i);
        for (std::size_t o = owners; o > 0; --o) out.start[o] = out.start[o - 1];  // filling moved every start to its end
        out.start[0] = 0;
        return out;
    }
};

class Layouter {
public:
    Layouter(const LayoutInput& input, const LayoutOptions& options, const CancelToken& cancel) : in_(input), opt_(options), cancel_(cancel) {}

    std::optional<LayoutResult> run() {
        findHidingGroups();
        foldViews();
        makeItems();
        connectItems();
        for (std::size_t c = in_.groups.size() + 1; c-- > 0;) {  // inner containers first: children have larger indices than their parents
            if (cancel_.cancelled()) return std::nullopt;
            placeContainer(static_cast<std::uint32_t>(c));
        }
        toAbsolute();
        makeEdges();
        return std::move(out_);
    }

private:
    /// Outermost collapsed group around each group; -1 = visible.
    void findHidingGroups() {
        hiding_.resize(in_.groups.size(), -1);
        for (std::size_t g = 0; g < in_.groups.size(); ++g) {
            const std::int32_t parent = in_.groups[g].parent;
            const std::int32_t outer = parent >= 0 ? hiding_[parent] : -1;
            hiding_[g] = outer >= 0 ? outer : (in_.groups[g].collapsed ? static_cast<std::int32_t>(g) : -1);
        }
    }

    std::int32_t groupOf(std::uint32_t node) const { return effectiveGroup_[node]; }

    /// A folded view is drawn in the card of its first consumer, an input stands in the group of its first consumer.
    void foldViews() {
        const auto n = static_cast<std::uint32_t>(in_.nodes.size());
        std::vector<std::uint32_t> firstUser(n, kNoItem);
        for (const LayoutEdge& e : in_.edges)
            if (e.from < e.to && e.to < firstUser[e.from]) firstUser[e.from] = e.to;
        drawnAs_.resize(n);
        effectiveGroup_.resize(n);
        for (std::uint32_t i = n; i-- > 0;) {
            const LayoutNode& node = in_.nodes[i];
            const bool used = firstUser[i] != kNoItem;
            const bool fold = in_.foldViews && node.viewLike && used && in_.nodes[firstUser[i]].shelf != LayoutNode::Shelf::Output;
            drawnAs_[i] = fold ? drawnAs_[firstUser[i]] : i;
            effectiveGroup_[i] = node.shelf == LayoutNode::Shelf::Input && node.group < 0 && used ? effectiveGroup_[firstUser[i]] : node.group;
        }
    }

    void makeItems() {
        openItem_.assign(in_.groups.size(), kNoItem);
        std::vector<std::uint32_t> collapsedItem(in_.groups.size(), kNoItem);
        itemOfNode_.assign(in_.nodes.size(), kNoItem);
        items_.reserve(in_.nodes.size() + in_.groups.size());
        boxes_.reserve(items_.capacity());
        startX_.reserve(items_.capacity());
        for (std::uint32_t i = 0; i < in_.nodes.size(); ++i) {
            if (drawnAs_[i] != i) continue;
            const std::int32_t group = groupOf(i);
            const std::int32_t hidden = group >= 0 ? hiding_[group] : -1;
            if (hidden < 0) {
                const LayoutNode& node = in_.nodes[i];
                itemOfNode_[i] = addItem(i, -1, false, containerFor(group, i), node.width, node.height, node.startX);
                continue;
            }
            std::uint32_t& card = collapsedItem[hidden];
            if (card == kNoItem) {
                const LayoutGroup& g = in_.groups[hidden];
                card = addItem(i, hidden, false, containerFor(g.parent, i), g.width, g.height, in_.nodes[i].startX);
            }
            itemOfNode_[i] = card;
        }
        for (std::uint32_t i = 0; i < in_.nodes.size(); ++i)
            if (drawnAs_[i] != i) itemOfNode_[i] = itemOfNode_[drawnAs_[i]];
        // Items are made in program order, so the items of a container come in it too.
        contents_ = Lists::of(in_.groups.size() + 1, items_.size(), [&](std::size_t i) { return items_[i].container; },
                              [](std::size_t i) { return static_cast<std::uint32_t>(i); });
    }

    std::uint32_t addItem(std::uint32_t node, std::int32_t group, bool open, std::uint32_t container, float width, float height, float startX) {
        items_.push_back({node, group, open, container});
        boxes_.push_back({0, 0, width, height});
        startX_.push_back(startX);
        return static_cast<std::uint32_t>(items_.size() - 1);
    }

    /// Container number of an open group; makes the group's item, and its ancestors', on first need.
    std::uint32_t containerFor(std::int32_t group, std::uint32_t firstNode) {
        if (group < 0) return 0;
        if (openItem_[group] == kNoItem) {
            const std::uint32_t parent = containerFor(in_.groups[group].parent, firstNode);
            openItem_[group] = addItem(firstNode, group, true, parent, 0, 0, -1);
        }
        return static_cast<std::uint32_t>(group) + 1;
    }

    std::uint32_t ownerItem(std::uint32_t container) const { return container == 0 ? kNoItem : openItem_[container - 1]; }

    /// Nesting of each container; a group comes after its parent.
    std::vector<std::uint32_t> containerDepths() const {
        std::vector<std::uint32_t> depth(in_.groups.size() + 1, 0);
        for (std::size_t g = 0; g < in_.groups.size(); ++g) depth[g + 1] = depth[in_.groups[g].parent + 1] + 1;
        return depth;
    }

    /// Lifts every edge to the two boxes of the innermost container that holds both ends.
    void connectItems() {
        const std::vector<std::uint32_t> depth = containerDepths();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lifted;
        lifted.reserve(in_.edges.size());
        std::vector<std::uint32_t> latest(items_.size(), kNoItem);  // an operand that is used twice in a row counts once
        for (const LayoutEdge& e : in_.edges) {
            std::uint32_t a = itemOfNode_[e.from], b = itemOfNode_[e.to];
            if (a == kNoItem || b == kNoItem) continue;
            while (items_[a].container != items_[b].container) {
                if (depth[items_[a].container] >= depth[items_[b].container]) a = ownerItem(items_[a].container);
                else b = ownerItem(items_[b].container);
            }
            // Only edges that go forward rank: a collapsed group that is both before and after a node would make a cycle.
            if (a == b || items_[a].firstNode >= items_[b].firstNode || latest[b] == a) continue;
            latest[b] = a;
            lifted.emplace_back(a, b);
        }
        const auto from = [&](std::size_t i) { return lifted[i].first; };
        const auto to = [&](std::size_t i) { return lifted[i].second; };
        before_ = Lists::of(items_.size(), lifted.size(), to, from);
        after_ = Lists::of(items_.size(), lifted.size(), from, to);
        rank_.assign(items_.size(), 0);
    }

    void placeContainer(std::uint32_t container) {
        const std::span<const std::uint32_t> list = std::as_const(contents_)[container];
        if (list.empty()) return;
        Lists ranks = rankItems(list);
        sweep(ranks);
        const auto [width, height] = stackRanks(ranks);
        std::copy(ranks.values.begin(), ranks.values.end(), contents_[container].begin());  // from here on in the order in which they are drawn
        if (container == 0) return;
        Box& own = boxes_[openItem_[container - 1]];
        own.width = width + 2 * opt_.groupPadding;
        own.height = height + opt_.groupHeader + 2 * opt_.groupPadding;
    }

    Lists rankItems(std::span<const std::uint32_t> list) {
        std::uint32_t highest = 0;
        for (std::uint32_t id : list) {
            std::uint32_t rank = 0;
            for (std::uint32_t p : std::as_const(before_)[id]) rank = std::max(rank, rank_[p] + 1);
            rank_[id] = rank;
            highest = std::max(highest, rank);
        }
        // What has no predecessor (inputs, constants, fresh tensors) moves down to stand right above its first use.
        for (auto it = list.rbegin(); it != list.rend(); ++it) {
            const auto users = std::as_const(after_)[*it];
            if (!std::as_const(before_)[*it].empty() || users.empty()) continue;
            std::uint32_t lowest = highest;
            for (std::uint32_t u : users) lowest = std::min(lowest, rank_[u]);
            if (lowest > 0) rank_[*it] = lowest - 1;
        }
        return Lists::of(highest + 1, list.size(), [&](std::size_t i) { return rank_[list[i]]; }, [&](std::size_t i) { return list[i]; });
    }

    void sweep(Lists& ranks) {
        const std::size_t count = ranks.start.size() - 1;
        const auto start = [&](std::uint32_t id) { return startX_[id] >= 0 ? startX_[id] : std::numeric_limits<float>::max(); };
        for (std::size_t r = 0; r < count; ++r) {
            const std::span<std::uint32_t> rank = ranks[r];
            if (rank.size() > 1) std::stable_sort(rank.begin(), rank.end(), [&](std::uint32_t a, std::uint32_t b) { return start(a) < start(b); });
            float x = 0;
            for (std::uint32_t id : rank) {
                boxes_[id].x = x;
                x += boxes_[id].width + opt_.columnGap;
            }
        }
        for (int s = 0; s < kSweeps; ++s) {
            const bool down = s % 2 == 0;
            for (std::size_t i = 0; i < count; ++i) placeRank(ranks[down ? i : count - 1 - i], down);
        }
        float left = std::numeric_limits<float>::max();
        for (std::uint32_t id : ranks.values) left = std::min(left, boxes_[id].x);
        for (std::uint32_t id : ranks.values) boxes_[id].x = std::round(boxes_[id].x - left);
    }

    /// Where the neighbours on one side would have the middle of an item.
    float wishedCentre(std::uint32_t id, const Lists& neighbours) const {
        const auto side = neighbours[id];
        if (side.empty()) return boxes_[id].x + boxes_[id].width / 2;
        float sum = 0;
        for (std::uint32_t n : side) sum += boxes_[n].x + boxes_[n].width / 2;
        return sum / static_cast<float>(side.size());
    }

    /// Orders a rank by the mean centre of the neighbours on one side and puts each item as near to it as the gaps allow: isotonic regression
    /// by pooling, linear in the rank.
    void placeRank(std::span<std::uint32_t> rank, bool down) {
        const Lists& neighbours = down ? before_ : after_;
        if (rank.size() == 1) {
            boxes_[rank[0]].x = wishedCentre(rank[0], neighbours) - boxes_[rank[0]].width / 2;
            return;
        }
        wish_.clear();
        for (std::uint32_t id : rank) wish_.emplace_back(wishedCentre(id, neighbours), id);
        std::stable_sort(wish_.begin(), wish_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        pools_.clear();
        shift_.clear();
        float run = 0;
        for (std::size_t i = 0; i < wish_.size(); ++i) {
            const auto [centre, id] = wish_[i];
            rank[i] = id;
            shift_.push_back(run);
            pools_.push_back({centre - boxes_[id].width / 2 - run, 1});
            run += boxes_[id].width + opt_.columnGap;
            while (pools_.size() > 1 && pools_[pools_.size() - 2].target > pools_.back().target) {
                const Pool last = pools_.back();
                pools_.pop_back();
                Pool& p = pools_.back();
                p.target = (p.target * static_cast<float>(p.count) + last.target * static_cast<float>(last.count)) / static_cast<float>(p.count + last.count);
                p.count += last.count;
            }
        }
        std::size_t i = 0;
        for (const Pool& p : pools_)
            for (std::size_t k = 0; k < p.count; ++k, ++i) boxes_[rank[i]].x = p.target + shift_[i];
    }

    /// Stacks ranks from top to bottom; a rank wider than maxColumns wraps into a block of rows. Returns the content's size.
    std::pair<float, float> stackRanks(const Lists& ranks) {
        float y = 0, width = 0;
        for (std::size_t r = 0; r + 1 < ranks.start.size(); ++r) {
            const std::span<const std::uint32_t> rank = ranks[r];
            const bool wraps = rank.size() > opt_.maxColumns;
            for (std::size_t begin = 0; begin < rank.size(); begin += opt_.maxColumns) {
                const std::size_t end = std::min(rank.size(), begin + opt_.maxColumns);
                float height = 0, x = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    Box& box = boxes_[rank[i]];
                    if (wraps) box.x = x;
                    x = box.x + box.width + opt_.columnGap;
                    box.y = y;
                    height = std::max(height, box.height);
                    width = std::max(width, box.x + box.width);
                }
                y += height + opt_.rowGap;
            }
        }
        return {width, std::max(0.0f, y - opt_.rowGap)};
    }

    void toAbsolute() {
        // Items are made outer before inner (containerFor makes a group's item before what lies in it), so one pass suffices.
        for (std::size_t i = 0; i < items_.size(); ++i) {
            Box& box = boxes_[i];
            if (const std::uint32_t owner = ownerItem(items_[i].container); owner != kNoItem) {
                box.x += boxes_[owner].x + opt_.groupPadding;
                box.y += boxes_[owner].y + opt_.groupPadding + opt_.groupHeader;
            }
            if (items_[i].open) out_.groups.push_back({items_[i].group, box.x, box.y, box.width, box.height});
            out_.width = std::max(out_.width, box.x + box.width);
            out_.height = std::max(out_.height, box.y + box.height);
        }
        placeCards();
    }

    /// The cards by y, then x. The items of a container lie in that order already, so a graph without open groups needs no sort.
    std::vector<std::uint32_t> cardsInDrawingOrder() const {
        std::vector<std::uint32_t> cards;
        cards.reserve(items_.size());
        for (std::uint32_t id : contents_.values)
            if (!items_[id].open) cards.push_back(id);
        const auto above = [&](std::uint32_t a, std::uint32_t b) {
            const Box &first = boxes_[a], &second = boxes_[b];
            if (first.y != second.y) return first.y < second.y;
            return first.x != second.x ? first.x < second.x : a < b;
        };
        if (!std::is_sorted(cards.begin(), cards.end(), above)) std::sort(cards.begin(), cards.end(), above);
        return cards;
    }

    void placeCards() {
        std::vector<std::uint32_t> cardOfItem(items_.size(), kNoItem);
        out_.cards.reserve(items_.size());
        for (std::uint32_t i : cardsInDrawingOrder()) {
            const Box& box = boxes_[i];
            if (out_.rowY.empty() || out_.rowY.back() != box.y) {
                out_.rowY.push_back(box.y);
                out_.rowStart.push_back(static_cast<std::uint32_t>(out_.cards.size()));
            }
            cardOfItem[i] = static_cast<std::uint32_t>(out_.cards.size());
            out_.cards.push_back({items_[i].firstNode, items_[i].group, static_cast<std::uint32_t>(out_.rowY.size() - 1), box.x, box.y, box.width, box.height});
            out_.maxCardHeight = std::max(out_.maxCardHeight, box.height);
        }
        out_.rowStart.push_back(static_cast<std::uint32_t>(out_.cards.size()));
        out_.cardOfNode.resize(in_.nodes.size(), -1);
        for (std::size_t n = 0; n < in_.nodes.size(); ++n)
            if (itemOfNode_[n] != kNoItem) out_.cardOfNode[n] = static_cast<std::int32_t>(cardOfItem[itemOfNode_[n]]);
    }

    void makeEdges() {
        const auto card = [&](std::uint32_t node) { return static_cast<std::uint32_t>(out_.cardOfNode[node]); };
        const auto index = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
        const Lists entering = Lists::of(out_.cards.size(), in_.edges.size(), [&](std::size_t i) { return card(in_.edges[i].to); }, index);
        std::vector<PlacedEdge> edges;
        edges.reserve(in_.edges.size());
        std::vector<std::uint32_t> edgeOf(out_.cards.size(), kNoItem);  // by card that is left: its edge to the card at hand
        for (std::uint32_t b = 0; b < out_.cards.size(); ++b) {
            const std::size_t first = edges.size();
            for (std::uint32_t i : entering[b]) {
                const std::uint32_t a = card(in_.edges[i].from);
                if (a == b) continue;
                if (edgeOf[a] == kNoItem || edgeOf[a] < first) {
                    edgeOf[a] = static_cast<std::uint32_t>(edges.size());
                    PlacedEdge& edge = edges.emplace_back();
                    edge.from = a;
                    edge.to = b;
                } else {
                    ++edges[edgeOf[a]].multiplicity;
                }
            }
            for (std::size_t e = first; e < edges.size(); ++e) route(edges[e], e - first, edges.size() - first);
        }
        const Lists leaving = Lists::of(out_.cards.size(), edges.size(), [&](std::size_t i) { return edges[i].from; }, index);
        out_.edges.reserve(edges.size());
        for (std::uint32_t a : cardsByBottom())
            for (std::uint32_t e : leaving[a]) out_.edges.push_back(edges[e]);
    }

    /// Where an edge leaves and enters: operands enter side by side, in argument order. `port` of `ports` counts from 0.
    void route(PlacedEdge& edge, std::size_t port, std::size_t ports) {
        const PlacedCard &a = out_.cards[edge.from], &b = out_.cards[edge.to];
        edge.x1 = std::round(a.x + a.width / 2);
        edge.y1 = a.y + a.height;
        edge.x2 = std::round(b.x + b.width * static_cast<float>(port + 1) / static_cast<float>(ports + 1));
        edge.y2 = b.y;
        const auto rows = b.row > a.row ? b.row - a.row : 0u;
        const float columns = std::abs(edge.x2 - edge.x1) / (std::min(a.width, b.width) + opt_.columnGap);
        edge.stub = rows == 0 || edge.y2 < edge.y1 || rows > opt_.stubRows || columns > static_cast<float>(opt_.stubColumns);
        if (!edge.stub) out_.longestEdge = std::max(out_.longestEdge, edge.y2 - edge.y1);
    }

    /// Cards lie by their top already: only the cards of a row, and rows that reach into the next, change places.
    std::vector<std::uint32_t> cardsByBottom() const {
        std::vector<std::uint32_t> order(out_.cards.size());
        std::iota(order.begin(), order.end(), 0u);
        const auto higher = [&](std::uint32_t a, std::uint32_t b) {
            const float first = out_.cards[a].y + out_.cards[a].height, second = out_.cards[b].y + out_.cards[b].height;
            return first != second ? first < second : a < b;
        };
        bool rowsOverlap = false;
        for (std::size_t row = 0; row + 1 < out_.rowStart.size(); ++row) {
            const auto begin = order.begin() + out_.rowStart[row], end = order.begin() + out_.rowStart[row + 1];
            std::sort(begin, end, higher);
            if (begin != order.begin() && begin != end && higher(*begin, *(begin - 1))) rowsOverlap = true;
        }
        if (rowsOverlap) std::sort(order.begin(), order.end(), higher);
        return order;
    }

    struct Pool { float target; std::size_t count; };

    const LayoutInput& in_;
    const LayoutOptions& opt_;
    const CancelToken& cancel_;
    LayoutResult out_;
    std::vector<std::int32_t> hiding_, effectiveGroup_;
    std::vector<std::uint32_t> drawnAs_, itemOfNode_, openItem_;
    std::vector<Item> items_;
    std::vector<Box> boxes_;             ///< by item
    std::vector<float> startX_;          ///< by item: x in the stage before; below 0 = none
    std::vector<std::uint32_t> rank_;    ///< by item, inside its container
    Lists before_, after_;               ///< by item: neighbours in the same container
    Lists contents_;                     ///< items by container
    std::vector<std::pair<float, std::uint32_t>> wish_;  ///< these three are placeRank's, kept for their memory
    std::vector<Pool> pools_;
    std::vector<float> shift_;
};

}  // namespace

std::optional<LayoutResult> layoutGraph(const LayoutInput& input, const LayoutOptions& options, const CancelToken& cancel) {
    return Layouter(input, options, cancel).run();
}

}  // namespace aliascope
