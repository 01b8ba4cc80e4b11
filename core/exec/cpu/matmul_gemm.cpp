#include "core/exec/cpu/matmul_gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

namespace aliascope::exec {
namespace {

/// Multiplication and addition that wrap around for integers.
template <class C>
C multiplyAdd(C x, C y, C sum) {
    if constexpr (std::is_integral_v<C>)
        return static_cast<C>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
    else
        return sum + x * y;
}

template <class C>
void scaleRow(C beta, C* row, std::int64_t n, std::int64_t stride) {
    for (std::int64_t j = 0; j < n; ++j) row[j * stride] = beta == C(0) ? C(0) : multiplyAdd(beta, row[j * stride], C(0));
}

/// One row of B serves a row of C at a time, so that both are read along memory; sums still run in the order of k.
template <class C>
void loops(C alpha, MatrixView<const C> a, MatrixView<const C> b, C beta, MatrixView<C> c) {
    std::unique_ptr<C[]> packed;
    if (b.columnStride != 1) {
        packed = std::make_unique_for_overwrite<C[]>(static_cast<std::size_t>(b.rows * b.columns));
        for (std::int64_t k = 0; k < b.rows; ++k)
            for (std::int64_t j = 0; j < b.columns; ++j)
                packed[static_cast<std::size_t>(k * b.columns + j)] = b.data[k * b.rowStride + j * b.columnStride];
        b = rowMajorMatrix<const C>(packed.get(), b.rows, b.columns);
    }
    const auto sums = std::make_unique_for_overwrite<C[]>(static_cast<std::size_t>(c.columns));
    for (std::int64_t i = 0; i < c.rows; ++i) {
        std::fill_n(sums.get(), c.columns, C(0));
        for (std::int64_t k = 0; k < a.columns; ++k) {
            const C x = a.data[i * a.rowStride + k * a.columnStride];
            const C* row = b.data + k * b.rowStride;
            for (std::int64_t j = 0; j < c.columns; ++j)
                sums[static_cast<std::size_t>(j)] = multiplyAdd(x, row[j], sums[static_cast<std::size_t>(j)]);
        }
        C* out = c.data + i * c.rowStride;
        scaleRow(beta, out, c.columns, c.columnStride);
        for (std::int64_t j = 0; j < c.columns; ++j)
            out[j * c.columnStride] = multiplyAdd(alpha, sums[static_cast<std::size_t>(j)], out[j * c.columnStride]);
    }
}

/// How BLAS is told of a matrix; packed where neither stride is 1.
template <class C>
struct BlasOperand {
    const C* data = nullptr;
    CBLAS_TRANSPOSE transpose = CblasNoTrans;
    std::int64_t leading = 1;
    std::unique_ptr<C[]> packed;

    explicit BlasOperand(MatrixView<const C> m) : data(m.data) {
        const bool rowsLie = m.columnStride == 1 || m.columns == 1, columnsLie = m.rowStride == 1 || m.rows == 1;
        if (rowsLie && (m.rowStride >= m.columns || m.rows == 1)) {
            leading = std::max({m.rows == 1 ? m.columns : m.rowStride, m.columns, std::int64_t{1}});
        } else if (columnsLie && (m.columnStride >= m.rows || m.columns == 1)) {
            transpose = CblasTrans;
            leading = std::max({m.columns == 1 ? m.rows : m.columnStride, m.rows, std::int64_t{1}});
        } else {
            packed = std::make_unique_for_overwrite<C[]>(static_cast<std::size_t>(m.rows * m.columns));
            for (std::int64_t i = 0; i < m.rows; ++i)
                for (std::int64_t j = 0; j < m.columns; ++j)
                    packed[static_cast<std::size_t>(i * m.columns + j)] = m.data[i * m.rowStride + j * m.columnStride];
            data = packed.get();
            leading = std::max(m.columns, std::int64_t{1});
        }
    }
};

bool fitsBlas(std::initializer_list<std::int64_t> sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n <= std::numeric_limits<blasint>::max(); });
}

/// Products below this many multiplications run on the calling thread: a second one gains some microseconds, and then spins for milliseconds in wait
/// of the next product, on a processor that something else (the recording of the stage before) could use.
constexpr double kLeastParallel = 4e6;

void chooseThreads(double multiplications) {
    static const int most = openblas_get_num_threads();
    openblas_set_num_threads(multiplications < kLeastParallel ? 1 : most);
}

template <class C>
bool blas(C alpha, MatrixView<const C> a, MatrixView<const C> b, C beta, MatrixView<C> c) {
    if (c.columnStride != 1) return blas<C>(alpha, b.transposed(), a.transposed(), beta, c.transposed());
    const BlasOperand<C> left(a), right(b);
    const std::int64_t leading = std::max({c.rows == 1 ? c.columns : c.rowStride, c.columns, std::int64_t{1}});
    if (!fitsBlas({c.rows, c.columns, a.columns, left.leading, right.leading, leading})) return false;
    const auto n = [](std::int64_t x) { return static_cast<blasint>(x); };
    chooseThreads(static_cast<double>(c.rows) * static_cast<double>(c.columns) * static_cast<double>(a.columns));
    if constexpr (std::is_same_v<C, float>)
        cblas_sgemm(CblasRowMajor, left.transpose, right.transpose, n(c.rows), n(c.columns), n(a.columns), alpha, left.data, n(left.leading),
                    right.data, n(right.leading), beta, c.data, n(leading));
    else
        cblas_dgemm(CblasRowMajor, left.transpose, right.transpose, n(c.rows), n(c.columns), n(a.columns), alpha, left.data, n(left.leading),
                    right.data, n(right.leading), beta, c.data, n(leading));
    return true;
}

}  // namespace

template <class C>
void gemm(Precision precision, C alpha, MatrixView<const C> a, MatrixView<const C> b, C beta, MatrixView<C> c) {
    if (c.rows == 0 || c.columns == 0) return;
    if constexpr (std::is_floating_point_v<C>)
        if (precision == Precision::Fast && a.columns > 0 && blas(alpha, a, b, beta, c)) return;
    loops(alpha, a, b, beta, c);
}

template void gemm<float>(Precision, float, MatrixView<const float>, MatrixView<const float>, float, MatrixView<float>);
template void gemm<double>(Precision, double, MatrixView<const double>, MatrixView<const double>, double, MatrixView<double>);
template void gemm<std::int64_t>(Precision, std::int64_t, MatrixView<const std::int64_t>, MatrixView<const std::int64_t>, std::int64_t,
                                 MatrixView<std::int64_t>);

}  // namespace aliascope::exec
