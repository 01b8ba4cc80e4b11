#pragma once
// Walking over tensors of any strides together. A StridedLoop merges what lies contiguously in all its operands, so that most loops are one row;
// rows are handed to the kernel, which moves them in blocks through loadBlock and storeBlock: conversion to the compute type costs nothing where
// the elements already have it and lie side by side.

#include <algorithm>
#include <array>
#include <cstring>

#include "core/exec/cpu/dispatch.h"

namespace aliascope::exec {

/// Sizes that two shapes broadcast to (right-aligned, 1 stretches). SHAPE_MISMATCH when they clash.
Shape broadcastShapes(const Shape& a, const Shape& b);
/// Strides with which `t` is read in a loop over `sizes`: 0 where it is stretched. SHAPE_MISMATCH when it does not fit.
Shape broadcastStrides(const Tensor& t, const Shape& sizes);
std::string shapeText(const Shape& sizes);
/// SHAPE_MISMATCH unless `t`, spoken of as `argument`, has these sizes.
void requireSizes(std::string_view argument, const Tensor& t, const Shape& sizes);
/// Every element of a float tensor, rounded towards 0, lies in the integer type; NaN and infinities do not.
bool fitsInteger(DType integer, const Tensor& floats);
/// Bytes of `sizes` elements of `itemSize` each; refused where the count overflows.
std::int64_t byteCount(const Shape& sizes, std::int64_t itemSize);

/// Logical: row-major order of the loop's sizes. Memory: in the order in which operand 0 lies in memory.
enum class LoopOrder : std::uint8_t { Logical, Memory };

/// A loop over `sizes` that `N` operands take part in. Offsets are in elements from each operand's data().
template <std::size_t N>
class StridedLoop {
public:
    using Offsets = std::array<std::int64_t, N>;

    /// Operands are broadcast to `sizes`.
    StridedLoop(const Shape& sizes, const std::array<const Tensor*, N>& operands, LoopOrder order = LoopOrder::Memory) {
        std::array<Shape, N> strides;
        for (std::size_t k = 0; k < N; ++k) strides[k] = broadcastStrides(*operands[k], sizes);
        collapse(sizes, strides, order);
    }
    /// Operands with strides of their own, one for each of `sizes`.
    StridedLoop(const Shape& sizes, const std::array<Shape, N>& strides, LoopOrder order = LoopOrder::Logical) { collapse(sizes, strides, order); }

    /// Elements of a row, and how far apart they are in each operand.
    std::int64_t rowSize() const { return row_; }
    const Offsets& rowStrides() const { return rowStrides_; }

    /// Calls `f(offsets)` for the first element of every row. No row when a size is 0.
    template <class F>
    void forEachRow(F&& f) const {
        if (row_ == 0) return;
        Offsets at{};
        if (dims_.empty()) {
            f(at);
            return;
        }
        Shape index(dims_.size(), 0);
        for (;;) {
            f(static_cast<const Offsets&>(at));
            std::size_t d = dims_.size();
            for (;;) {
                if (d == 0) return;
                const Dim& dim = dims_[--d];
                for (std::size_t k = 0; k < N; ++k) at[k] += dim.strides[k];
                if (++index[d] < dim.size) break;
                index[d] = 0;
                for (std::size_t k = 0; k < N; ++k) at[k] -= dim.strides[k] * dim.size;
            }
        }
    }

    /// Calls `f(offsets)` for every element.
    template <class F>
    void forEach(F&& f) const {
        forEachRow([&](Offsets at) {
            for (std::int64_t i = 0; i < row_; ++i) {
                f(static_cast<const Offsets&>(at));
                for (std::size_t k = 0; k < N; ++k) at[k] += rowStrides_[k];
            }
        });
    }

private:
    struct Dim {
        std::int64_t size;
        Offsets strides;
    };

    void collapse(const Shape& sizes, const std::array<Shape, N>& strides, LoopOrder order) {
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            if (sizes[d] == 0) {
                dims_.clear();
                row_ = 0;
                return;
            }
            if (sizes[d] == 1) continue;
            Dim dim{sizes[d], {}};
            for (std::size_t k = 0; k < N; ++k) dim.strides[k] = strides[k][d];
            dims_.push_back(dim);
        }
        if (order == LoopOrder::Memory)
            std::stable_sort(dims_.begin(), dims_.end(), [](const Dim& a, const Dim& b) { return a.strides > b.strides; });
        std::size_t last = 0;
        for (std::size_t d = 1; d < dims_.size(); ++d) {
            if (mergeable(dims_[last], dims_[d])) {
                dims_[last].size *= dims_[d].size;
                dims_[last].strides = dims_[d].strides;
            } else {
                dims_[++last] = dims_[d];
            }
        }
        if (dims_.empty()) return;
        row_ = dims_[last].size;
        rowStrides_ = dims_[last].strides;
        dims_.resize(last);
    }

    static bool mergeable(const Dim& outer, const Dim& inner) {
        for (std::size_t k = 0; k < N; ++k)
            if (outer.strides[k] != inner.strides[k] * inner.size) return false;
        return true;
    }

    std::vector<Dim> dims_;  // outer ones; the innermost is the row
    std::int64_t row_ = 1;
    Offsets rowStrides_{};
};

/// Shape without dimension `dim`; for loops over all lines along a dimension.
Shape without(const Shape& shape, std::int64_t dim);

// --- blocks --------------------------------------------------------------------------------------------------------------------------------

/// Elements that kernels move at once; buffers have this size.
inline constexpr std::int64_t kBlock = 1024;

/// `n` <= kBlock elements of `t` from `offset` on, `stride` apart, as C = float, double or std::int64_t. Points into the tensor where it can, else
/// to `buffer`, which has room for n.
template <class C>
const C* loadBlock(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, C* buffer);
extern template const float* loadBlock<float>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, float*);
extern template const double* loadBlock<double>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, double*);
extern template const std::int64_t* loadBlock<std::int64_t>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, std::int64_t*);

/// Writes `values` to `t`, converted. `values` may be the place itself (then nothing is moved).
template <class C>
void storeBlock(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, const C* values);
extern template void storeBlock<float>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const float*);
extern template void storeBlock<double>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const double*);
extern template void storeBlock<std::int64_t>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const std::int64_t*);

/// Where a block of results may be computed in place: the tensor's memory when it holds C side by side, else `buffer`. Ends with storeBlock.
template <class C>
C* resultBlock(const Tensor& t, std::int64_t offset, std::int64_t stride, C* buffer) {
    constexpr DType own = std::is_same_v<C, float> ? DType::F32 : std::is_same_v<C, double> ? DType::F64 : DType::I64;
    return stride == 1 && t.dtype == own ? t.as<C>() + offset : buffer;
}

// --- whole tensors and single elements -----------------------------------------------------------------------------------------------------

/// Elements of `src`, broadcast and converted, into `dst`. Where both have the same type the bits are kept. `src` may be `dst`; overlapping
/// otherwise gives undefined elements.
void copyElements(const Tensor& dst, const Tensor& src);
/// All elements = a Python number, converted like a cast.
void fillScalar(const Tensor& dst, const RuntimeValue& number);
void fillScalar(const Tensor& dst, double value);
/// Undefined contents that can be told apart (executor.md 3.2): NaN with payload 0x2A5, bytes 0x5A.
void fillPoison(const Tensor& t);

/// Element at `offset` from data(), converted.
double readDouble(const Tensor& t, std::int64_t offset = 0);
std::int64_t readInteger(const Tensor& t, std::int64_t offset = 0);
void writeDouble(const Tensor& t, std::int64_t offset, double value);
void writeInteger(const Tensor& t, std::int64_t offset, std::int64_t value);

}  // namespace aliascope::exec
