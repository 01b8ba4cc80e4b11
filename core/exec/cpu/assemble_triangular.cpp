// Triangles and diagonals of matrices.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// tril (keeps columns up to row + diagonal) and triu (from there on).
template <bool Lower>
void triangle(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    if (self.rank() < 2) failShape("self", shapeText(self.sizes), "2 or more dimensions");
    const std::size_t n = self.rank();
    const std::int64_t rows = self.sizes[n - 2], columns = self.sizes[n - 1];
    const std::int64_t diagonal = std::clamp(call.integer(1), -rows, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t cut = std::clamp<std::int64_t>(i + diagonal + (Lower ? 1 : 0), 0, columns);
        const std::int64_t start = Lower ? 0 : cut, size = Lower ? cut : columns - cut, zeroStart = Lower ? cut : 0;
        const Tensor row = selected(out, n - 2, i), source = selected(self, n - 2, i);
        copyElements(narrowed(row, n - 2, start, size), narrowed(source, n - 2, start, size));
        fillScalar(narrowed(row, n - 2, zeroStart, columns - size), 0.0);
    }
}

void trace(OpCall& call) {
    const Tensor& self = call.tensor(0);
    if (self.rank() != 2) failShape("self", shapeText(self.sizes), "2 dimensions");
    const Tensor diagonal = diagonalOf(self, 0, 0, 1);
    dispatchSums(call, self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(diagonal);
        C sum = 0;
        for (std::int64_t i = 0; i < diagonal.sizes[0]; ++i) sum = wrappingAdd(sum, x[i]);
        storeBlock<C>(call.out(), 0, 1, 1, &sum);
    });
}

/// Row and column numbers of the elements of a triangle, in row-major order.
template <bool Lower, class F>
void forEachInTriangle(std::int64_t rows, std::int64_t columns, std::int64_t offset, F&& f) {
    offset = std::clamp(offset, -rows, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t cut = std::clamp<std::int64_t>(i + offset + (Lower ? 1 : 0), 0, columns);
        f(i, Lower ? 0 : cut, Lower ? cut : columns);
    }
}

template <bool Lower>
void triangleIndices(OpCall& call) {
    const Tensor& out = call.out();
    std::int64_t at = 0;
    forEachInTriangle<Lower>(call.integer(0), call.integer(1), call.integer(2), [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j, ++at) {
            writeInteger(out, at * out.strides[1], i);
            writeInteger(out, out.strides[0] + at * out.strides[1], j);
        }
    });
}

template <bool Lower>
std::vector<TensorType> triangleIndicesTypes(const OpCall& call) {
    const std::int64_t rows = call.integer(0), columns = call.integer(1);
    if (rows < 0 || columns < 0 || rows > (std::int64_t{1} << 31) || columns > (std::int64_t{1} << 31))
        failShape("row", std::to_string(rows), "0 or more");
    std::int64_t count = 0;
    forEachInTriangle<Lower>(rows, columns, call.integer(2), [&](std::int64_t, std::int64_t begin, std::int64_t end) { count += end - begin; });
    Tensor like;
    like.device = call.arg("device").text() ? call.arg("device").text() : "cpu"_n;
    const Name dtype = call.arg("dtype").text();
    return {rowMajor(like, {2, count}, dtype ? dtypeFromTorchName(dtype.view()).value_or(DType::I64) : DType::I64)};
}

}  // namespace

void registerTriangular(KernelTable& table) {
    table.add("aten::tril", triangle<true>);
    table.add("aten::triu", triangle<false>);
    table.add("aten::trace", trace, ToleranceClass::Reduction);
    table.add("aten::tril_indices", triangleIndices<true>).resultTypes = triangleIndicesTypes<true>;
    table.add("aten::triu_indices", triangleIndices<false>).resultTypes = triangleIndicesTypes<false>;
}

}  // namespace aliascope::exec
