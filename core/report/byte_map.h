#pragma once
// Which bytes of a storage a strided view covers, drawn in characters.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/type.h"

namespace aliascope::report {

/// A view with known numbers: sizes, strides and offset in elements.
struct Region {
    std::vector<std::int64_t> sizes, strides;
    std::int64_t offset = 0;
    int itemSize = 1;

    std::int64_t elements() const;
    std::int64_t firstByte() const;  ///< first byte that it touches; 0 of an empty region
    std::int64_t endByte() const;    ///< one past the last byte that it touches
    bool overlapsItself() const;     ///< a stride of 0 in a dimension of more than one element
};
/// Nothing when a number is symbolic without a hint, or unknown.
std::optional<Region> regionOf(const TensorType& type, const SymbolTable& symbols);

/// `width` characters for bytes 0..total: `#` full, `+` partly covered, `.` not. `%` and `-` when the view touches elements several times (stride 0).
std::string drawRegion(const Region& region, std::int64_t total, std::size_t width);

}  // namespace aliascope::report
