#pragma once
// Members of one storage with their exact place in it, and the writes to it, read from the recording (ui.md 2.5, session.md 5).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/selection.h"
#include "views/session/stage_view.h"

namespace aliascope {

/// A strided region of a storage. Bytes are measured from the start of the storage.
struct Region {
    std::vector<std::int64_t> sizes, strides;  ///< strides in elements
    std::int64_t offset = 0;                   ///< in elements
    std::int64_t itemBytes = 1;
    std::int64_t begin() const { return offset * itemBytes; }
    std::int64_t end() const;  ///< one past the last byte that an element covers
    std::int64_t elements() const;
    bool contiguous() const;
};

struct AliasMember {
    enum class Kind : std::uint8_t { Base, View, Write } kind = Kind::View;
    Uid uid = kNoUid;
    std::string name, op, type;
    std::optional<std::int64_t> bytes;
    std::optional<Region> region;  ///< nothing = symbolic or unknown
    std::string target, argument;  ///< of a write: the value written and the argument's name
};

struct AliasRows {
    int storage = -1;
    std::string base, role;
    std::optional<std::int64_t> bytes;
    bool opaque = false;
    std::vector<AliasMember> members;  ///< in program order
};
using AliasRowsPtr = std::shared_ptr<const AliasRows>;

/// Job threads only. Null when the storage is not in the stage.
AliasRowsPtr loadAliasRows(const Recording& recording, const StageView& view, int storage);

/// Share of each of `buckets` equal parts of bytes from..to that the region covers, 0..1. Work is bounded by buckets, not by elements.
std::vector<float> coverage(const Region& region, std::int64_t from, std::int64_t to, int buckets);
/// Place of the value of one node in its storage; nothing where sizes are symbolic. Job threads only.
std::optional<Region> regionOfNode(const Recording& recording, std::int64_t lane, int stage, Uid uid);
/// Bytes that lie in both spans begin()..end(); 0 when they are apart. Not the exact overlap of strided regions.
std::int64_t commonSpan(const Region& a, const Region& b);
/// Bytes that elements of both cover, exactly; nothing when a region falls apart into more than kMostRuns runs and their spans meet.
std::optional<std::int64_t> overlapBytes(const Region& a, const Region& b);
inline constexpr std::size_t kMostRuns = 1 << 16;
/// Bytes between two spans that do not meet; 0 when they touch or meet.
std::int64_t gapBytes(const Region& a, const Region& b);
/// Every byte of `inner` is one of `outer`; nothing as with overlapBytes.
std::optional<bool> contains(const Region& outer, const Region& inner);
/// More than one position is the same element (a stride of 0).
bool overlapsItself(const Region& region);
/// Index of the element that covers `byte` (counted from the start of the storage); nothing when none does.
std::optional<std::vector<std::int64_t>> indexAt(const Region& region, std::int64_t byte);

}  // namespace aliascope
