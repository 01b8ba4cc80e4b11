#pragma once
// Geometry that pools and convolutions share: up to three spatial dimensions, the missing ones of size 1 in front.

#include <array>

#include "core/exec/kernel.h"

namespace aliascope::exec {

using Spatial = std::array<std::int64_t, 3>;

/// A list argument for `dims` spatial dimensions: one value stands for all, an empty list for `otherwise`.
Spatial spatialArgument(const Shape& list, std::size_t dims, std::int64_t otherwise, std::string_view argument);
/// The last `dims` sizes.
Spatial spatialSizes(const Shape& sizes, std::size_t dims);
/// Number of planes: everything before the last `dims` dimensions.
std::int64_t planesOf(const Shape& sizes, std::size_t dims);
std::int64_t product(const Spatial& s);

/// Calls `f(z, y, x)` for all positions below `size`, row-major.
template <class F>
void forEachPosition(const Spatial& size, F&& f) {
    for (std::int64_t z = 0; z < size[0]; ++z)
        for (std::int64_t y = 0; y < size[1]; ++y)
            for (std::int64_t x = 0; x < size[2]; ++x) f(Spatial{z, y, x});
}

struct Window {
    Spatial kernel, stride, padding, dilation;
    /// Kernel, stride (default: the kernel), padding and dilation at these parameters; a parameter below 0 is not there.
    static Window of(const OpCall& call, std::size_t dims, std::size_t kernel, std::size_t stride, std::size_t padding, int dilation);
};

}  // namespace aliascope::exec
