#pragma once
// Typed ids: an index that cannot be mixed up with another kind of index. Ids are stable: a pass never renumbers them.

#include <cstdint>
#include <functional>

namespace aliascope {

template <class Tag>
struct Id {
    static constexpr std::uint32_t none = 0xffffffffu;
    std::uint32_t value = none;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t v) : value(v) {}
    constexpr bool valid() const { return value != none; }
    constexpr explicit operator bool() const { return valid(); }
    friend constexpr bool operator==(Id, Id) = default;
    friend constexpr auto operator<=>(Id, Id) = default;
};

/// A node inside its own graph body; survives every pass until the node is erased, and is never reused.
using NodeId = Id<struct NodeTag>;
/// A storage inside one AliasInfo; shown as S0, S1, …
using StorageId = Id<struct StorageTag>;

}  // namespace aliascope

template <class Tag>
struct std::hash<aliascope::Id<Tag>> {
    std::size_t operator()(aliascope::Id<Tag> id) const { return std::hash<std::uint32_t>()(id.value); }
};
