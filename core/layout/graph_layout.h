#pragma once
// Own near-linear layout (ui.md 2.3, 7): positions of cards, groups and edges of one stage. Knows neither Qt nor the recording.
// Units: logical pixels at zoom 1; y grows downwards (program flow), x to the right. Deterministic: equal input gives equal output.
//
// Rank = longest path inside the enclosing group; an open group is laid out on its own and stands in its parent as one tall card, so boxes
// never overlap. Three fixed sweeps order each rank; edges over many rows or columns become stubs and are never routed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/support/cancel.h"

namespace aliascope {

struct LayoutNode {
    std::uint64_t uid = 0;
    float width = 240, height = 80;
    std::int32_t group = -1;   ///< index into LayoutInput::groups; -1 = top level
    bool viewLike = false;     ///< with foldViews: drawn inside its first consumer's card
    enum class Shelf : std::uint8_t { None, Input, Output } shelf = Shelf::None;  ///< inputs stand directly above their first use
    float startX = -1;         ///< x in the stage before, so that unchanged regions do not move; below 0 = none
};
struct LayoutEdge { std::uint32_t from = 0, to = 0; };  ///< indices into nodes
struct LayoutGroup {
    std::string title;
    std::int32_t parent = -1;  ///< must be smaller than the group's own index
    bool collapsed = false;
    float width = 300, height = 80;  ///< of its card while collapsed
};

struct LayoutInput {
    std::vector<LayoutNode> nodes;    ///< in program order
    std::vector<LayoutEdge> edges;    ///< edges that do not go forward in program order are drawn as stubs
    std::vector<LayoutGroup> groups;
    bool foldViews = false;
};

struct LayoutOptions {
    float rowGap = 34, columnGap = 28, groupPadding = 18, groupHeader = 26;
    std::uint32_t stubRows = 8, stubColumns = 8;  ///< an edge over more of these becomes a stub
    std::uint32_t maxColumns = 16;                ///< a rank with more items wraps into several rows
};

struct PlacedCard {
    std::uint32_t node = 0;           ///< index into LayoutInput::nodes; of a collapsed group its first node
    std::int32_t group = -1;          ///< >= 0: the card stands for this collapsed group
    std::uint32_t row = 0;            ///< index of its y among the distinct y of all cards
    float x = 0, y = 0, width = 0, height = 0;
};
struct PlacedEdge {
    std::uint32_t from = 0, to = 0;   ///< indices into cards
    bool stub = false;                ///< drawn as two short ends with a name, never routed
    std::uint32_t multiplicity = 1;   ///< edges of the graph that it stands for
    float x1 = 0, y1 = 0, x2 = 0, y2 = 0;  ///< bottom of `from`, top of `to`
};
struct PlacedGroup { std::int32_t group = 0; float x = 0, y = 0, width = 0, height = 0; };

struct LayoutResult {
    std::vector<PlacedCard> cards;           ///< sorted by y, then x
    std::vector<PlacedEdge> edges;           ///< sorted by y1
    std::vector<PlacedGroup> groups;         ///< open groups, parents first
    std::vector<std::int32_t> cardOfNode;    ///< by node index: its card (of the group that hides it, of the consumer that it is folded into)
    std::vector<std::uint32_t> rowStart;     ///< first card of each row, plus the end
    std::vector<float> rowY;                 ///< y of each row
    float width = 0, height = 0;
    float maxCardHeight = 0;                 ///< a card is visible in [top, bottom] iff top - maxCardHeight < y < bottom (then test itself)
    float longestEdge = 0;                   ///< largest y2 - y1 of an edge that is no stub
};

/// O(nodes log nodes + edges x nesting). Nothing when cancelled.
std::optional<LayoutResult> layoutGraph(const LayoutInput& input, const LayoutOptions& options = {}, const CancelToken& cancel = {});

}  // namespace aliascope
