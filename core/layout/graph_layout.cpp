#include "core/layout/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

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
    std::uint32_t rank = 0;
    float width = 0, height = 0, startX = -1;
    float x = 0, y = 0;            ///< relative to the container's content
    std::vector<std::uint32_t> before, after;  ///< neighbours in the same container
};

class Layouter {
public:
    Layouter(const LayoutInput& input, const LayoutOptions& options, const CancelToken& cancel) : in_(input), opt_(options), cancel_(cancel) {}

    std::optional<LayoutResult> run() {
        findHidingGroups();
        foldViews();
        makeItems();
        connectItems();
        for (std::size_t c = contents_.size(); c-- > 0;) {  // inner containers first: children have larger indices than their parents
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
        contents_.resize(in_.groups.size() + 1);
        openItem_.assign(in_.groups.size(), kNoItem);
        std::vector<std::uint32_t> collapsedItem(in_.groups.size(), kNoItem);
        itemOfNode_.assign(in_.nodes.size(), kNoItem);
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
    }

    std::uint32_t addItem(std::uint32_t node, std::int32_t group, bool open, std::uint32_t container, float width, float height, float startX) {
        Item item;
        item.firstNode = node;
        item.group = group;
        item.open = open;
        item.container = container;
        item.width = width;
        item.height = height;
        item.startX = startX;
        items_.push_back(std::move(item));
        const auto id = static_cast<std::uint32_t>(items_.size() - 1);
        contents_[container].push_back(id);
        return id;
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

    std::uint32_t depth(std::uint32_t item) const {
        std::uint32_t d = 0;
        for (std::uint32_t owner = ownerItem(items_[item].container); owner != kNoItem; owner = ownerItem(items_[owner].container)) ++d;
        return d;
    }

    /// Lifts every edge to the two boxes of the innermost container that holds both ends.
    void connectItems() {
        std::vector<std::uint32_t> depths(items_.size());
        for (std::uint32_t i = 0; i < items_.size(); ++i) depths[i] = depth(i);
        for (const LayoutEdge& e : in_.edges) {
            std::uint32_t a = itemOfNode_[e.from], b = itemOfNode_[e.to];
            if (a == kNoItem || b == kNoItem) continue;
            while (items_[a].container != items_[b].container) {
                if (depths[a] >= depths[b]) a = ownerItem(items_[a].container);
                else b = ownerItem(items_[b].container);
            }
            // Only edges that go forward rank: a collapsed group that is both before and after a node would make a cycle.
            if (a == b || items_[a].firstNode >= items_[b].firstNode) continue;
            auto& before = items_[b].before;
            if (!before.empty() && before.back() == a) continue;
            before.push_back(a);
            items_[a].after.push_back(b);
        }
    }

    void placeContainer(std::uint32_t container) {
        std::vector<std::uint32_t>& list = contents_[container];
        if (list.empty()) return;
        std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) { return items_[a].firstNode < items_[b].firstNode; });
        std::vector<std::vector<std::uint32_t>> ranks = rankItems(list);
        sweep(ranks);
        const auto [width, height] = stackRanks(ranks);
        if (container == 0) return;
        Item& own = items_[openItem_[container - 1]];
        own.width = width + 2 * opt_.groupPadding;
        own.height = height + opt_.groupHeader + 2 * opt_.groupPadding;
    }

    std::vector<std::vector<std::uint32_t>> rankItems(const std::vector<std::uint32_t>& list) {
        std::uint32_t highest = 0;
        for (std::uint32_t id : list) {
            Item& item = items_[id];
            for (std::uint32_t p : item.before) item.rank = std::max(item.rank, items_[p].rank + 1);
            highest = std::max(highest, item.rank);
        }
        // What has no predecessor (inputs, constants, fresh tensors) moves down to stand right above its first use.
        for (auto it = list.rbegin(); it != list.rend(); ++it) {
            Item& item = items_[*it];
            if (!item.before.empty() || item.after.empty()) continue;
            std::uint32_t lowest = highest;
            for (std::uint32_t u : item.after) lowest = std::min(lowest, items_[u].rank);
            if (lowest > 0) item.rank = lowest - 1;
        }
        std::vector<std::vector<std::uint32_t>> ranks(highest + 1);
        for (std::uint32_t id : list) ranks[items_[id].rank].push_back(id);
        return ranks;
    }

    void sweep(std::vector<std::vector<std::uint32_t>>& ranks) {
        for (auto& rank : ranks) {
            const auto start = [&](std::uint32_t id) { return items_[id].startX >= 0 ? items_[id].startX : std::numeric_limits<float>::max(); };
            std::stable_sort(rank.begin(), rank.end(), [&](std::uint32_t a, std::uint32_t b) { return start(a) < start(b); });
            float x = 0;
            for (std::uint32_t id : rank) {
                items_[id].x = x;
                x += items_[id].width + opt_.columnGap;
            }
        }
        for (int s = 0; s < kSweeps; ++s) {
            const bool down = s % 2 == 0;
            for (std::size_t i = 0; i < ranks.size(); ++i) placeRank(ranks[down ? i : ranks.size() - 1 - i], down);
        }
        float left = 0;
        bool first = true;
        for (const auto& rank : ranks)
            for (std::uint32_t id : rank) {
                left = first ? items_[id].x : std::min(left, items_[id].x);
                first = false;
            }
        for (const auto& rank : ranks)
            for (std::uint32_t id : rank) items_[id].x = std::round(items_[id].x - left);
    }

    /// Orders a rank by the mean centre of the neighbours on one side and puts each item as near to it as the gaps allow: isotonic regression
    /// by pooling, linear in the rank.
    void placeRank(std::vector<std::uint32_t>& rank, bool down) {
        std::vector<std::pair<float, std::uint32_t>> wish;
        wish.reserve(rank.size());
        for (std::uint32_t id : rank) {
            const Item& item = items_[id];
            const auto& side = down ? item.before : item.after;
            float centre = item.x + item.width / 2;
            if (!side.empty()) {
                float sum = 0;
                for (std::uint32_t n : side) sum += items_[n].x + items_[n].width / 2;
                centre = sum / static_cast<float>(side.size());
            }
            wish.emplace_back(centre, id);
        }
        std::stable_sort(wish.begin(), wish.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        struct Pool { float target; std::size_t count; };
        std::vector<Pool> pools;
        std::vector<float> shift(wish.size());
        float run = 0;
        for (std::size_t i = 0; i < wish.size(); ++i) {
            const Item& item = items_[wish[i].second];
            rank[i] = wish[i].second;
            shift[i] = run;
            run += item.width + opt_.columnGap;
            pools.push_back({wish[i].first - item.width / 2 - shift[i], 1});
            while (pools.size() > 1 && pools[pools.size() - 2].target > pools.back().target) {
                const Pool last = pools.back();
                pools.pop_back();
                Pool& p = pools.back();
                p.target = (p.target * static_cast<float>(p.count) + last.target * static_cast<float>(last.count)) / static_cast<float>(p.count + last.count);
                p.count += last.count;
            }
        }
        std::size_t i = 0;
        for (const Pool& p : pools)
            for (std::size_t k = 0; k < p.count; ++k, ++i) items_[rank[i]].x = p.target + shift[i];
    }

    /// Stacks ranks from top to bottom; a rank wider than maxColumns wraps into a block of rows. Returns the content's size.
    std::pair<float, float> stackRanks(const std::vector<std::vector<std::uint32_t>>& ranks) {
        float y = 0, width = 0;
        for (const auto& rank : ranks) {
            const bool wraps = rank.size() > opt_.maxColumns;
            for (std::size_t begin = 0; begin < rank.size(); begin += opt_.maxColumns) {
                const std::size_t end = std::min(rank.size(), begin + opt_.maxColumns);
                float height = 0, x = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    Item& item = items_[rank[i]];
                    if (wraps) item.x = x;
                    x = item.x + item.width + opt_.columnGap;
                    item.y = y;
                    height = std::max(height, item.height);
                    width = std::max(width, item.x + item.width);
                }
                y += height + opt_.rowGap;
            }
        }
        return {width, std::max(0.0f, y - opt_.rowGap)};
    }

    void toAbsolute() {
        // Items are made outer before inner (containerFor makes a group's item before what lies in it), so one pass suffices.
        std::vector<std::uint32_t> cardOfItem(items_.size(), kNoItem);
        std::vector<std::uint32_t> cards;
        for (std::uint32_t i = 0; i < items_.size(); ++i) {
            Item& item = items_[i];
            if (const std::uint32_t owner = ownerItem(item.container); owner != kNoItem) {
                item.x += items_[owner].x + opt_.groupPadding;
                item.y += items_[owner].y + opt_.groupPadding + opt_.groupHeader;
            }
            if (item.open) out_.groups.push_back({item.group, item.x, item.y, item.width, item.height});
            else cards.push_back(i);
            out_.width = std::max(out_.width, item.x + item.width);
            out_.height = std::max(out_.height, item.y + item.height);
        }
        std::stable_sort(cards.begin(), cards.end(), [&](std::uint32_t a, std::uint32_t b) {
            return items_[a].y != items_[b].y ? items_[a].y < items_[b].y : items_[a].x < items_[b].x;
        });
        for (std::uint32_t i : cards) {
            const Item& item = items_[i];
            if (out_.rowY.empty() || out_.rowY.back() != item.y) {
                out_.rowY.push_back(item.y);
                out_.rowStart.push_back(static_cast<std::uint32_t>(out_.cards.size()));
            }
            cardOfItem[i] = static_cast<std::uint32_t>(out_.cards.size());
            out_.cards.push_back({item.firstNode, item.group, static_cast<std::uint32_t>(out_.rowY.size() - 1), item.x, item.y, item.width, item.height});
            out_.maxCardHeight = std::max(out_.maxCardHeight, item.height);
        }
        out_.rowStart.push_back(static_cast<std::uint32_t>(out_.cards.size()));
        out_.cardOfNode.resize(in_.nodes.size(), -1);
        for (std::size_t n = 0; n < in_.nodes.size(); ++n)
            if (itemOfNode_[n] != kNoItem) out_.cardOfNode[n] = static_cast<std::int32_t>(cardOfItem[itemOfNode_[n]]);
    }

    void makeEdges() {
        std::unordered_map<std::uint64_t, std::uint32_t> seen;
        seen.reserve(in_.edges.size());
        std::vector<std::uint32_t> incoming(out_.cards.size(), 0);
        for (const LayoutEdge& e : in_.edges) {
            const auto a = static_cast<std::uint32_t>(out_.cardOfNode[e.from]), b = static_cast<std::uint32_t>(out_.cardOfNode[e.to]);
            if (a == b) continue;
            const auto [it, fresh] = seen.try_emplace((std::uint64_t(a) << 32) | b, static_cast<std::uint32_t>(out_.edges.size()));
            if (!fresh) {
                ++out_.edges[it->second].multiplicity;
                continue;
            }
            PlacedEdge edge;
            edge.from = a;
            edge.to = b;
            ++incoming[b];
            out_.edges.push_back(edge);
        }
        std::vector<std::uint32_t> port(out_.cards.size(), 0);
        for (PlacedEdge& edge : out_.edges) {
            const PlacedCard& a = out_.cards[edge.from];
            const PlacedCard& b = out_.cards[edge.to];
            edge.x1 = std::round(a.x + a.width / 2);
            edge.y1 = a.y + a.height;
            // Operands enter side by side, in argument order.
            edge.x2 = std::round(b.x + b.width * static_cast<float>(++port[edge.to]) / static_cast<float>(incoming[edge.to] + 1));
            edge.y2 = b.y;
            const auto rows = b.row > a.row ? b.row - a.row : 0u;
            const float columns = std::abs(edge.x2 - edge.x1) / (std::min(a.width, b.width) + opt_.columnGap);
            edge.stub = rows == 0 || edge.y2 < edge.y1 || rows > opt_.stubRows || columns > static_cast<float>(opt_.stubColumns);
            if (!edge.stub) out_.longestEdge = std::max(out_.longestEdge, edge.y2 - edge.y1);
        }
        std::stable_sort(out_.edges.begin(), out_.edges.end(), [](const PlacedEdge& a, const PlacedEdge& b) { return a.y1 < b.y1; });
    }

    const LayoutInput& in_;
    const LayoutOptions& opt_;
    const CancelToken& cancel_;
    LayoutResult out_;
    std::vector<std::int32_t> hiding_, effectiveGroup_;
    std::vector<std::uint32_t> drawnAs_, itemOfNode_, openItem_;
    std::vector<Item> items_;
    std::vector<std::vector<std::uint32_t>> contents_;  ///< items by container
};

}  // namespace

std::optional<LayoutResult> layoutGraph(const LayoutInput& input, const LayoutOptions& options, const CancelToken& cancel) {
    return Layouter(input, options, cancel).run();
}

}  // namespace aliascope
