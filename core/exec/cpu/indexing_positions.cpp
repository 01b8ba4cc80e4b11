#include "core/exec/cpu/indexing_positions.h"

#include <unordered_set>

#include "core/exec/cpu/subviews.h"
#include "core/ops/layout.h"

namespace aliascope::exec {

void failIndex(std::string_view argument, std::int64_t position, std::int64_t value, std::int64_t limit) {
    failExec("INDEX_OUT_OF_RANGE",
             {{"value", std::to_string(value)}, {"pos", std::to_string(position)}, {"arg", std::string(argument)}, {"limit", std::to_string(limit)}});
}

std::vector<std::int64_t> positionsIn(const Tensor& index, std::int64_t limit, bool wrap, std::string_view argument) {
    if (!info(index.dtype).integral) failUnsupported(std::string(argument) + " holds no integers");
    const Dense<std::int64_t> values(index);
    std::vector<std::int64_t> out(values.data(), values.data() + index.numel());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] >= limit || out[i] < (wrap ? -limit : 0)) failIndex(argument, static_cast<std::int64_t>(i), out[i], limit);
        if (out[i] < 0) out[i] += limit;
    }
    return out;
}

namespace {

/// Position of the element `offset` elements after the first one of a tensor whose dimensions nest.
std::string placeText(const Tensor& t, std::int64_t offset) {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < t.rank(); ++d)
        if (t.sizes[d] > 1 && t.strides[d] > 0) dims.push_back(d);
    std::sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return t.strides[a] > t.strides[b]; });
    Shape at(t.rank(), 0);
    for (const std::size_t d : dims) {
        at[d] = std::min(offset / t.strides[d], t.sizes[d] - 1);
        offset -= at[d] * t.strides[d];
    }
    return shapeText(at);
}

}  // namespace

void noteDuplicates(OpCall& call, const std::vector<std::int64_t>& offsets) {
    if (offsets.size() < 2) return;
    const auto [least, most] = std::minmax_element(offsets.begin(), offsets.end());
    const std::int64_t first = *least;
    const auto span = static_cast<std::size_t>(*most - first) + 1;
    constexpr std::size_t bitsEach = 64;  // a map of the span costs no more than the list
    std::optional<std::int64_t> twice;
    if (span / bitsEach <= offsets.size()) {
        std::vector<bool> seen(span, false);
        for (const std::int64_t at : offsets) {
            const auto bit = static_cast<std::size_t>(at - first);
            if (seen[bit]) {
                twice = at;
                break;
            }
            seen[bit] = true;
        }
    } else {
        std::unordered_set<std::int64_t> seen;
        for (const std::int64_t at : offsets)
            if (!seen.insert(at).second) {
                twice = at;
                break;
            }
    }
    if (twice) call.notes.push_back({"DUPLICATE_INDEX", {{"pos", placeText(call.out(), *twice)}}});
}

Shape IndexedPlaces::resultSizes() const {
    Shape out = restSizes;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), shape.begin(), shape.end());
    return out;
}

Shape IndexedPlaces::resultStrides() const {
    Shape out = restStrides;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), shape.size(), 0);
    return out;
}

namespace {

/// One indexed dimension: positions in it, with the shape of its index tensor.
struct DimIndex {
    std::size_t dim = 0;
    Shape shape;
    std::vector<std::int64_t> positions;
};

std::vector<std::int64_t> clampedPositions(const Tensor& index, std::int64_t limit) {
    const Dense<std::int64_t> values(index);
    std::vector<std::int64_t> out(values.data(), values.data() + index.numel());
    for (std::int64_t& v : out) v = std::clamp<std::int64_t>(v < 0 ? v + limit : v, 0, std::max<std::int64_t>(0, limit - 1));
    return out;
}

std::vector<std::int64_t> positionsOf(const Tensor& index, std::int64_t limit, PlacesWanted wanted) {
    if (wanted == PlacesWanted::Shape) return {};
    return wanted == PlacesWanted::Clamped ? clampedPositions(index, limit) : positionsIn(index, limit, true, "indices");
}

/// A mask stands for the coordinates of its true elements, one index for each of its dimensions.
void addMask(std::vector<DimIndex>& out, const Tensor& mask, const Tensor& self, std::size_t dim) {
    const std::size_t rank = mask.rank();
    for (std::size_t d = 0; d < rank; ++d)
        if (dim + d >= self.rank() || mask.sizes[d] != self.sizes[dim + d])
            failShape("indices", shapeText(mask.sizes), "the sizes of self from dimension " + std::to_string(dim));
    if (mask.numel() > 0 && !mask.data()) failUnsupported("its sizes depend on data");
    const Dense<std::int64_t> values(mask);
    const std::size_t first = out.size();
    for (std::size_t d = 0; d < rank; ++d) out.push_back({dim + d, {0}, {}});
    Shape index(rank, 0);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < mask.numel(); ++i) {
        if (values[i]) {
            ++count;
            for (std::size_t d = 0; d < rank; ++d) out[first + d].positions.push_back(index[d]);
        }
        for (std::size_t d = rank; d-- > 0;) {
            if (++index[d] < mask.sizes[d]) break;
            index[d] = 0;
        }
    }
    for (std::size_t d = 0; d < rank; ++d) out[first + d].shape[0] = count;
}

}  // namespace

IndexedPlaces indexedPlaces(const Tensor& self, const std::vector<Tensor>& indices, PlacesWanted wanted) {
    std::vector<DimIndex> dims;
    std::size_t dim = 0;
    for (const Tensor& index : indices) {
        if (!index.storage) {
            ++dim;
            continue;
        }
        if (index.dtype == DType::B8 || index.dtype == DType::U8) {
            if (index.rank() == 0) failUnsupported("a mask without dimensions as an index");
            addMask(dims, index, self, dim);
            dim += index.rank();
            continue;
        }
        if (dim >= self.rank()) failShape("indices", std::to_string(indices.size()), "at most " + std::to_string(self.rank()));
        dims.push_back({dim, index.sizes, positionsOf(index, self.sizes[dim], wanted)});
        ++dim;
    }
    if (dim > self.rank()) failShape("indices", std::to_string(dim), "at most " + std::to_string(self.rank()) + " dimensions");
    IndexedPlaces out;
    std::vector<bool> indexed(self.rank());
    for (const DimIndex& d : dims) {
        indexed[d.dim] = true;
        out.shape = broadcastShapes(out.shape, d.shape);
    }
    for (std::size_t d = 0; d < self.rank(); ++d) {
        if (indexed[d]) continue;
        out.restSizes.push_back(self.sizes[d]);
        out.restStrides.push_back(self.strides[d]);
    }
    const bool adjacent = !dims.empty() && dims.back().dim - dims.front().dim + 1 == dims.size();
    out.at = adjacent ? dims.front().dim : 0;
    if (wanted == PlacesWanted::Shape) return out;
    std::int64_t count = 1;
    for (std::int64_t size : out.shape) count *= size;
    out.offsets.assign(static_cast<std::size_t>(count), 0);
    for (const DimIndex& d : dims) {
        Tensor like;
        like.sizes = d.shape;
        like.strides = contiguousStrides(d.shape);
        std::size_t i = 0;
        StridedLoop<1>(out.shape, {broadcastStrides(like, out.shape)}).forEach([&](const auto& at) {
            out.offsets[i++] += d.positions[static_cast<std::size_t>(at[0])] * self.strides[d.dim];
        });
    }
    return out;
}

TensorType indexedType(const Tensor& self, const std::vector<Tensor>& indices) {
    const IndexedPlaces places = indexedPlaces(self, indices, PlacesWanted::Shape);
    TensorType out = rowMajor(self, places.resultSizes()), source = out, index = out;
    const Shape strides = places.resultStrides();
    source.strides.emplace(strides.begin(), strides.end());
    const Shape group = contiguousStrides(places.shape);
    index.sizes.assign(out.rank(), SymInt(1));
    index.strides.emplace(out.rank(), SymInt(1));
    for (std::size_t d = 0; d < group.size(); ++d) {
        index.sizes[places.at + d] = SymInt(places.shape[d]);
        (*index.strides)[places.at + d] = SymInt(group[d]);
    }
    if (auto ordered = elementwiseStrides(out.sizes, {&source, &index})) out.strides = std::move(ordered);
    return out;
}

}  // namespace aliascope::exec
