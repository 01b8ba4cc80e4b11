#pragma once
// C[m,n] = beta C + A[m,k] B[k,n] on plain memory; every other product is made of this one.

#include <cstdint>

#include "core/exec/kernel.h"

namespace aliascope::exec {

/// A matrix in memory. Element (i, j) is data[i * rowStride + j * columnStride].
template <class C>
struct MatrixView {
    C* data = nullptr;
    std::int64_t rows = 0, columns = 0;
    std::int64_t rowStride = 0, columnStride = 1;
    MatrixView transposed() const { return {data, columns, rows, columnStride, rowStride}; }
};

template <class C>
MatrixView<C> rowMajorMatrix(C* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns, 1};
}

/// `c` = beta * c + alpha * a * b; with beta 0 the old elements do not count, NaN or not. c.columnStride or c.rowStride is 1.
/// Reference: every sum runs in the order of k. Fast: OpenBLAS for float and double, operands as they lie wherever one of their strides is 1.
template <class C>
void gemm(Precision precision, C alpha, MatrixView<const C> a, MatrixView<const C> b, C beta, MatrixView<C> c);
extern template void gemm<float>(Precision, float, MatrixView<const float>, MatrixView<const float>, float, MatrixView<float>);
extern template void gemm<double>(Precision, double, MatrixView<const double>, MatrixView<const double>, double, MatrixView<double>);
extern template void gemm<std::int64_t>(Precision, std::int64_t, MatrixView<const std::int64_t>, MatrixView<const std::int64_t>, std::int64_t,
                                        MatrixView<std::int64_t>);

}  // namespace aliascope::exec
