#pragma once
// Tensors over shared storages, for tests: a view and its base are the same bytes, so that a write through one is seen through the other.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/ir/dtype.h"

namespace aliascope::testing {

using Shape = std::vector<std::int64_t>;

struct StridedTensor {
    std::shared_ptr<std::vector<std::byte>> storage;
    DType dtype = DType::F32;
    Shape sizes, strides;
    std::int64_t offset = 0;  ///< in elements

    std::int64_t numel() const;
    /// Elements that the storage must have: 0 for an empty tensor.
    std::int64_t extent() const;
    /// Element at an absolute element offset, as a number. float32 values are rounded to float32.
    double load(std::int64_t at) const;
    void store(std::int64_t at, double value) const;
    /// Offsets of all elements in row-major order.
    std::vector<std::int64_t> offsets() const;
    std::vector<double> values() const;

    static StridedTensor make(DType dtype, Shape sizes, Shape strides, std::int64_t offset = 0);
    static StridedTensor contiguous(DType dtype, Shape sizes);
};

Shape rowMajor(const Shape& sizes);
/// Fresh storage; same strides and offset.
StridedTensor cloneWithLayout(const StridedTensor& t);
/// Fresh storage, laid out as PyTorch's clone does: strides kept when the tensor covers its memory without gaps, else dense in the same order.
StridedTensor cloneDense(const StridedTensor& t);
StridedTensor cloneContiguous(const StridedTensor& t);
/// Storage for the result of an elementwise operator, laid out as TensorIterator does.
StridedTensor emptyFor(DType dtype, const Shape& sizes, const std::vector<const StridedTensor*>& operands);
StridedTensor emptyLike(const StridedTensor& t, DType dtype);
/// Every element of `destination`, from the broadcast `source`; all elements are read before the first is written.
void assign(const StridedTensor& destination, const StridedTensor& source);
/// `t` with sizes of 1 and missing dimensions stretched; throws std::runtime_error when it does not fit.
StridedTensor broadcast(const StridedTensor& t, const Shape& sizes);
Shape broadcastShape(const Shape& a, const Shape& b);

}  // namespace aliascope::testing
