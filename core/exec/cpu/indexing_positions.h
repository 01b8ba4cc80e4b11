#pragma once
// Positions that index tensors name. An index out of range is an error that says which element of which argument holds which value.

#include <string_view>

#include "core/exec/cpu/dense.h"

namespace aliascope::exec {

[[noreturn]] void failIndex(std::string_view argument, std::int64_t position, std::int64_t value, std::int64_t limit);

/// Elements of an integer tensor, row-major, checked against [0, limit), or with `wrap` against [-limit, limit) and made positive.
std::vector<std::int64_t> positionsIn(const Tensor& index, std::int64_t limit, bool wrap, std::string_view argument);

/// Notes in `call` (DUPLICATE_INDEX) the first place of its result that `offsets`, in elements from the result's data, name twice. O(offsets).
void noteDuplicates(OpCall& call, const std::vector<std::int64_t>& offsets);

/// A list of index tensors (`index.Tensor`, `index_put`) applied to a tensor: None = the whole dimension, bool = where it is true, negative ones
/// wrap. The indexed dimensions become one group of dimensions, the broadcast shape of the indices: in place of the first when they are adjacent,
/// else in front.
struct IndexedPlaces {
    Shape shape;                        ///< of the group
    std::vector<std::int64_t> offsets;  ///< in elements from self.data(), for each position of the group, row-major
    std::size_t at = 0;                 ///< where the group stands among the result's dimensions
    Shape restSizes, restStrides;       ///< of the dimensions of self that are left
    Shape resultSizes() const;
    Shape resultStrides() const;  ///< of self, 0 for the group: what decides the result's order of dimensions
};
enum class PlacesWanted : std::uint8_t {
    Checked,  ///< an index out of range is an error
    Clamped,  ///< it counts as the nearest end (masked forms, which do not use it)
    Shape,    ///< no offsets: the result's sizes only; integer indices are not read
};
IndexedPlaces indexedPlaces(const Tensor& self, const std::vector<Tensor>& indices, PlacesWanted wanted = PlacesWanted::Checked);
/// Type of what is read at the places, laid out in the order of self's dimensions; for masks, whose shape rule needs their elements.
TensorType indexedType(const Tensor& self, const std::vector<Tensor>& indices);

/// Calls `f(offset in self, offset in other)` for every element; `other` has the result's sizes.
template <class F>
void forEachIndexed(const IndexedPlaces& places, const Tensor& other, F&& f) {
    const auto n = static_cast<std::ptrdiff_t>(places.at), group = static_cast<std::ptrdiff_t>(places.shape.size());
    Shape restOther(other.strides.begin(), other.strides.begin() + n);
    restOther.insert(restOther.end(), other.strides.begin() + n + group, other.strides.end());
    const StridedLoop<2> rest(places.restSizes, {places.restStrides, restOther});
    std::size_t i = 0;
    StridedLoop<1>(places.shape, {Shape(other.strides.begin() + n, other.strides.begin() + n + group)}).forEach([&](const auto& at) {
        const std::int64_t base = places.offsets[i++], otherBase = at[0];
        rest.forEach([&](const auto& r) { f(base + r[0], otherBase + r[1]); });
    });
}

}  // namespace aliascope::exec
