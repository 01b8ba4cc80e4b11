#pragma once
// Views that kernels take of their operands and results to move parts of them: same storage, other sizes, strides and offset. Indices are in range.

#include "core/exec/tensor.h"

namespace aliascope::exec {

/// `size` elements of dimension `d` from `start` on.
inline Tensor narrowed(Tensor t, std::size_t d, std::int64_t start, std::int64_t size, std::int64_t step = 1) {
    t.offset += start * t.strides[d];
    t.sizes[d] = size;
    t.strides[d] *= step;
    return t;
}

/// Position `index` of dimension `d`, which goes.
inline Tensor selected(Tensor t, std::size_t d, std::int64_t index) {
    t.offset += index * t.strides[d];
    t.sizes.erase(t.sizes.begin() + static_cast<std::ptrdiff_t>(d));
    t.strides.erase(t.strides.begin() + static_cast<std::ptrdiff_t>(d));
    return t;
}

/// Dimension i of the result is dimension `order[i]` of `t`.
inline Tensor permuted(const Tensor& t, const std::vector<std::size_t>& order) {
    Tensor out = t;
    for (std::size_t i = 0; i < order.size(); ++i) {
        out.sizes[i] = t.sizes[order[i]];
        out.strides[i] = t.strides[order[i]];
    }
    return out;
}

inline Tensor transposed(Tensor t, std::size_t a, std::size_t b) {
    std::swap(t.sizes[a], t.sizes[b]);
    std::swap(t.strides[a], t.strides[b]);
    return t;
}

inline Tensor restrided(Tensor t, Shape sizes, Shape strides, std::int64_t offset) {
    t.sizes = std::move(sizes);
    t.strides = std::move(strides);
    t.offset = offset;
    return t;
}

/// Dimensions `d1` and `d2` become one, the last, that runs along the diagonal `offset` (positive: above the main one).
inline Tensor diagonalOf(Tensor t, std::int64_t offset, std::size_t d1, std::size_t d2) {
    const std::int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
    const std::int64_t size = std::max<std::int64_t>(0, std::min(t.sizes[d1] - row, t.sizes[d2] - column)), stride = t.strides[d1] + t.strides[d2];
    if (size > 0) t.offset += row * t.strides[d1] + column * t.strides[d2];
    for (std::size_t d : {std::max(d1, d2), std::min(d1, d2)}) {
        t.sizes.erase(t.sizes.begin() + static_cast<std::ptrdiff_t>(d));
        t.strides.erase(t.strides.begin() + static_cast<std::ptrdiff_t>(d));
    }
    t.sizes.push_back(size);
    t.strides.push_back(stride);
    return t;
}

/// All elements lie within the storage; sizes and strides come from the program and may be anything.
inline bool fitsStorage(const Tensor& t) {
    std::int64_t last = t.offset, step = 0, bytes = 0;
    bool empty = false;
    if (last < 0) return false;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        if (t.sizes[d] < 0 || t.strides[d] < 0) return false;
        empty = empty || t.sizes[d] == 0;
        if (t.sizes[d] == 0) continue;
        if (__builtin_mul_overflow(t.sizes[d] - 1, t.strides[d], &step) || __builtin_add_overflow(last, step, &last)) return false;
    }
    if (empty) return true;
    if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, t.itemSize(), &bytes)) return false;
    if (!t.storage || bytes > t.storage->start + static_cast<std::int64_t>(t.storage->bytes)) return false;
    return t.storage->hasRoom || t.offset * t.itemSize() >= t.storage->start;
}

/// Type of a row-major result.
inline TensorType rowMajor(const Tensor& like, const Shape& sizes, DType dtype) {
    Tensor t;
    t.dtype = dtype;
    t.device = like.device;
    t.sizes = sizes;
    t.strides = contiguousStrides(sizes);
    return t.type();
}
inline TensorType rowMajor(const Tensor& like, const Shape& sizes) { return rowMajor(like, sizes, like.dtype); }

}  // namespace aliascope::exec
