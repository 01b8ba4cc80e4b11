// Tensors taken apart and put together in another order: shuffles, turns, diagonals, blocks.

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

Inferred channelShuffle(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t && t->rank() >= 3 ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

/// pixel_shuffle(self, r): [.., c r r, h, w] -> [.., c, h r, w r]; pixel_unshuffle the other way.
template <bool Unshuffle>
Inferred pixelShuffle(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto r = c.symInt(c.value(1));
    const std::size_t n = t ? t->rank() : 0;
    if (n < 3 || !r || r->constant().value_or(1) < 1) return {};
    std::vector<SymInt> sizes = t->sizes;
    for (std::size_t d : {n - 2, n - 1}) sizes[d] = Unshuffle ? floorDiv(sizes[d], *r) : sizes[d] * *r;
    sizes[n - 3] = Unshuffle ? sizes[n - 3] * *r * *r : floorDiv(sizes[n - 3], *r * *r);
    return inferred(contiguousLike(*t, std::move(sizes)));
}

/// rot90(self, k, dims): a quarter turn is a flip, which keeps the order of dims in memory, and a transposition.
Inferred rot90(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto k = c.value(1).asInt();
    auto dims = t ? wrapDims(c.value(2), t->rank()) : std::nullopt;
    if (!t || !k || !dims || dims->size() != 2 || (*dims)[0] >= t->rank() || (*dims)[1] >= t->rank()) return {};
    TensorType out = contiguousLike(*t, t->sizes);
    if (*k % 2 != 0) {
        if (auto strides = preservedStrides(*t)) out.strides = std::move(strides);
        std::swap(out.sizes[(*dims)[0]], out.sizes[(*dims)[1]]);
        std::swap((*out.strides)[(*dims)[0]], (*out.strides)[(*dims)[1]]);
    } else if (auto strides = preservedStrides(*t)) {
        out.strides = std::move(strides);
    }
    return inferred(std::move(out));
}

/// diag_embed(self, offset, dim1, dim2): the last dim becomes a diagonal of two.
Inferred diagonalEmbed(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto offset = c.value(1).asInt();
    if (!t || t->rank() == 0 || !offset) return {};
    auto d1 = wrapDim(c.value(2), t->rank() + 1), d2 = wrapDim(c.value(3), t->rank() + 1);
    if (!d1 || !d2 || *d1 == *d2) return {};
    const SymInt size = t->sizes.back() + SymInt(*offset < 0 ? -*offset : *offset);
    std::vector<SymInt> sizes(t->sizes.begin(), t->sizes.end() - 1);
    for (std::size_t d : {std::min(*d1, *d2), std::max(*d1, *d2)}) sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(d), size);
    return inferred(contiguousLike(*t, std::move(sizes)));
}

std::optional<std::vector<const TensorType*>> tensorList(const InferContext& c, const Value& list) {
    std::vector<const TensorType*> out;
    for (const Value& v : list.items()) {
        const TensorType* t = v.isNode() ? c.tensorOf(v.asNode()) : nullptr;
        if (!t) return std::nullopt;
        out.push_back(t);
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

Inferred joined(const std::vector<const TensorType*>& parts, std::vector<SymInt> sizes) {
    Promotion dtype;
    for (const TensorType* t : parts) dtype.add(*t);
    return inferred(contiguousLike(*parts.front(), std::move(sizes), dtype.result()));
}

Inferred blockDiagonal(const InferContext& c) {
    auto blocks = tensorList(c, c.value(0));
    if (!blocks) return {};
    std::vector<SymInt> sizes = {0, 0};
    for (const TensorType* t : *blocks) {
        if (t->rank() > 2) return {};
        sizes[0] = sizes[0] + (t->rank() < 2 ? SymInt(1) : t->sizes[0]);
        sizes[1] = sizes[1] + (t->rank() == 0 ? SymInt(1) : t->sizes.back());
    }
    return joined(*blocks, std::move(sizes));
}

/// _chunk_cat(tensors, dim, num_chunks): outer dims, chunks, and one flattened part of every tensor.
Inferred chunkCat(const InferContext& c) {
    auto tensors = tensorList(c, c.value(0));
    auto chunks = c.value(2).asInt();
    auto d = tensors ? wrapDim(c.value(1), tensors->front()->rank()) : std::nullopt;
    if (!tensors || !d || !chunks || *chunks < 1) return {};
    const std::size_t dim = *d;
    SymInt width = 0;
    for (const TensorType* t : *tensors) {
        if (dim >= t->rank()) return {};
        SymInt n = ceilDivide(t->sizes[dim], SymInt(*chunks));
        for (std::size_t k = dim + 1; k < t->rank(); ++k) n = n * t->sizes[k];
        width = width + n;
    }
    const TensorType& first = *tensors->front();
    if (dim >= first.rank()) return {};
    std::vector<SymInt> sizes(first.sizes.begin(), first.sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    sizes.push_back(SymInt(*chunks));
    sizes.push_back(width);
    return joined(*tensors, std::move(sizes));
}

Inferred trace(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t && t->rank() == 2 ? inferred(contiguousLike(*t, {}, accumulationFor(t->dtype))) : Inferred{};
}

}  // namespace

void registerRearrange(InferTable& table) {
    for (const char* op : {"aten::channel_shuffle", "aten::native_channel_shuffle"}) table.add(op, channelShuffle);
    table.add("aten::pixel_shuffle", pixelShuffle<false>);
    table.add("aten::pixel_unshuffle", pixelShuffle<true>);
    table.add("aten::rot90", rot90);
    table.add("aten::diag_embed", diagonalEmbed);
    table.add("aten::block_diag", blockDiagonal);
    table.add("aten::_chunk_cat", chunkCat);
    table.add("aten::trace", trace);
}

}  // namespace aliascope
