#pragma once
// The one selection that all views share (ui.md 3.1).

#include <cstdint>
#include <optional>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

/// Stands for "no node" where an optional would be in the way.
inline constexpr Uid kNoUid = ~Uid(0);

struct Selection {
    Uid node = kNoUid;                     ///< primary node
    std::vector<Uid> nodes;                ///< further nodes, primary left out
    int storage = -1;                      ///< S<storage>; -1 = none
    std::optional<std::int64_t> decision;  ///< id of the recorded decision

    bool empty() const { return node == kNoUid && storage < 0 && !decision; }
    friend bool operator==(const Selection&, const Selection&) = default;
};

/// Who selected. A view ignores what it said itself; nobody answers a selection with a selection.
enum class Origin : std::uint8_t { Program, Command, Passes, Graph, Text, Aliases, Decisions, Nodes, History, Why, Memory, Numerics, Run };

}  // namespace aliascope
