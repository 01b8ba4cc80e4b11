#pragma once
// A small drawing at the places that Graphviz gives it (ui.md 2.3): what to ask `dot -Tplain`, and how to read its answer. Runs no program; the
// answer is not trusted. Thread-safety: functions without state.

#include <optional>
#include <string>
#include <string_view>

#include "core/layout/graph_layout.h"

namespace aliascope {

/// The cards and edges of a drawing without open groups, in DOT. Names are `n` and the index of the card.
std::string graphvizInput(const LayoutResult& drawing, const LayoutOptions& options = {});

/// The same cards and edges at the places that `plain` states. Which edges become stubs, and where operands enter a card, follow the rules of
/// layoutGraph. Nothing when a card has no place of its own in it. O(cards log cards + edges).
std::optional<LayoutResult> placedByGraphviz(const LayoutResult& drawing, std::string_view plain, const LayoutOptions& options = {});

}  // namespace aliascope
