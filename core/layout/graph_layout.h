#pragma once
// Own near-linear layout (ui.md 2.3, 7): positions of cards, groups and edges of one stage. Knows neither Qt nor the recording.
// Units: logical pixels at zoom 1; y grows downwards (program flow), x to the right. Deterministic: equal input gives equal output.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/support/cancel.h"

namespace aliascope {

struct LayoutNode {
    std::uint64_t uid = 0;
    float width = 180, height = 36;
    std::int32_t group = -1;   ///< index into LayoutInput::groups; -1 = top level
    bool viewLike = false;     ///< may be folded into its consumer
    enum class Shelf : std::uint8_t { None, Input, Output } shelf = Shelf::None;  ///< inputs and outputs lie on shelves, not in the drawing
};
struct LayoutEdge { std::uint32_t from = 0, to = 0; };  ///< indices into nodes
struct LayoutGroup { std::string title; std::int32_t parent = -1; bool collapsed = false; };

struct LayoutInput {
    std::vector<LayoutNode> nodes;    ///< in program order
    std::vector<LayoutEdge> edges;
    std::vector<LayoutGroup> groups;
    bool foldViews = false;
};

struct LayoutOptions {
    float rowGap = 22, columnGap = 24, groupPadding = 14;
    std::uint32_t stubSpan = 24;      ///< edges over more ranks than this become stubs at both ends
    std::uint32_t maxColumns = 24;
};

struct PlacedCard {
    std::uint32_t node = 0;           ///< index into LayoutInput::nodes; of a collapsed group its first node
    std::int32_t group = -1;          ///< >= 0: the card stands for this collapsed group
    std::uint32_t rank = 0;
    float x = 0, y = 0, width = 0, height = 0;
};
struct PlacedEdge {
    std::uint32_t from = 0, to = 0;   ///< indices into cards
    bool stub = false;                ///< drawn as two short ends with a name, never routed
    std::uint32_t multiplicity = 1;
    float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};
struct PlacedGroup { std::int32_t group = 0; float x = 0, y = 0, width = 0, height = 0; };

struct LayoutResult {
    std::vector<PlacedCard> cards;           ///< sorted by rank, then x
    std::vector<PlacedEdge> edges;           ///< sorted by y1
    std::vector<PlacedGroup> groups;         ///< open groups, parents first
    std::vector<std::int32_t> cardOfNode;    ///< by node index: its card (of the group that hides it, of the consumer that it is folded into); -1 = none
    std::vector<std::uint32_t> rankStart;    ///< first card of each rank, plus the end: two binary searches give what is visible
    float width = 0, height = 0;
};

/// O(nodes log nodes + edges). Nothing when cancelled.
std::optional<LayoutResult> layoutGraph(const LayoutInput& input, const LayoutOptions& options = {}, const CancelToken& cancel = {});

}  // namespace aliascope
