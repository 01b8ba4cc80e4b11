// Distances between rows, cross products.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// p-norm of the difference of two rows; p 0 counts what differs, infinity takes the largest difference.
template <class C>
C distance(const C* a, const C* b, std::int64_t n, double p) {
    C sum = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const C d = std::fabs(a[k] - b[k]);
        if (std::isinf(p))
            sum = std::isnan(d) ? d : std::max(sum, d);
        else if (p == 0)
            sum += d != C(0);
        else if (p == 1)
            sum += d;
        else if (p == 2)
            sum += d * d;
        else
            sum += std::pow(d, static_cast<C>(p));
    }
    if (p == 2) return std::sqrt(sum);
    return std::isinf(p) || p == 0 || p == 1 ? sum : std::pow(sum, static_cast<C>(1 / p));
}

/// Shape of all dimensions but the last two.
Shape outer(const Tensor& t) { return Shape(t.sizes.begin(), t.sizes.end() - 2); }

Tensor matrixAt(const Tensor& t, std::int64_t offset) {
    return restrided(t, Shape(t.sizes.end() - 2, t.sizes.end()), Shape(t.strides.end() - 2, t.strides.end()), t.offset + offset);
}

template <class F>
void dispatchDistance(const OpCall& call, DType d, F&& f) {
    if (!info(d).floating) failDType(d);
    if (call.precision == Precision::Reference || d == DType::F64)
        f(DTypeTag<double>());
    else
        f(DTypeTag<float>());
}

/// _cdist_forward(x1, x2, p, compute_mode): every row of x1 against every row of x2.
void pairwise(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1), &out = call.out();
    const double p = call.number(2);
    const std::int64_t rows = a.sizes[a.rank() - 2], others = b.sizes[b.rank() - 2], width = a.sizes.back();
    const auto batches = [](const Tensor& t) { return restrided(t, outer(t), Shape(t.strides.begin(), t.strides.end() - 2), t.offset); };
    const Tensor parts[] = {batches(a), batches(b), batches(out)};
    dispatchDistance(call, a.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        StridedLoop<3>(outer(out), {&parts[0], &parts[1], &parts[2]}, LoopOrder::Logical).forEach([&](const auto& at) {
            const Dense<C> x(matrixAt(a, at[0])), y(matrixAt(b, at[1]));
            DenseResult<C> result(matrixAt(out, at[2]));
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < others; ++j) result[i * others + j] = distance(x.data() + i * width, y.data() + j * width, width, p);
            result.store();
        });
    });
}

std::vector<TensorType> pairwiseTypes(const OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    if (a.rank() < 2 || b.rank() < 2 || a.sizes.back() != b.sizes.back() || a.dtype != b.dtype)
        failShape("x2", b.str(), "rows like those of " + a.str());
    Shape sizes = broadcastShapes(outer(a), outer(b));
    sizes.insert(sizes.end(), {a.sizes[a.rank() - 2], b.sizes[b.rank() - 2]});
    return {rowMajor(a, sizes)};
}

/// _pdist_forward(self, p): every row against the rows after it.
void amongRows(OpCall& call) {
    const Tensor& self = call.tensor(0);
    const double p = call.number(1);
    const std::int64_t rows = self.sizes[0], width = self.sizes[1];
    dispatchDistance(call, self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> result(call.out());
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = i + 1; j < rows; ++j) result[at++] = distance(x.data() + i * width, x.data() + j * width, width, p);
        result.store();
    });
}

std::vector<TensorType> amongRowsTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    if (self.rank() != 2 || self.sizes[0] > (std::int64_t{1} << 31)) failShape("self", shapeText(self.sizes), "2 dimensions");
    const std::int64_t n = self.sizes[0];
    return {rowMajor(self, {n ? n * (n - 1) / 2 : 0})};
}

/// linalg_cross(self, other, dim): cross products along a dimension of size 3.
void cross(OpCall& call) {
    const Tensor& out = call.out();
    const std::int64_t dim = call.arg("dim").integer().value_or(-1);
    const auto d = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(out.rank()) : dim);
    const auto broadcast = [&](const Tensor& t) { return restrided(t, out.sizes, broadcastStrides(t, out.sizes), t.offset); };
    const Tensor a = broadcast(call.tensor(0)), b = broadcast(call.tensor(1));
    dispatchSums(call, out.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto next = static_cast<std::int64_t>((k + 1) % 3), last = static_cast<std::int64_t>((k + 2) % 3);
            const Tensor place = selected(out, d, static_cast<std::int64_t>(k));
            const Dense<C> a1(selected(a, d, next)), a2(selected(a, d, last)), b1(selected(b, d, next)), b2(selected(b, d, last));
            DenseResult<C> result(place);
            for (std::int64_t i = 0; i < place.numel(); ++i)
                result[i] = wrappingAdd(wrappingMultiply(a1[i], b2[i]), wrappingMultiply(C(-1), wrappingMultiply(a2[i], b1[i])));
            result.store();
        }
    });
}

std::vector<TensorType> crossTypes(const OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    const Shape sizes = broadcastShapes(a.sizes, b.sizes);
    const auto rank = static_cast<std::int64_t>(sizes.size()), dim = call.arg("dim").integer().value_or(-1);
    if (a.rank() != b.rank() || a.dtype != b.dtype) failShape("other", b.str(), "what goes with " + a.str());
    if (dim < -rank || dim >= rank || sizes[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)] != 3)
        failShape("dim", shapeText(sizes), "3 elements along it");
    return {rowMajor(a, sizes)};
}

}  // namespace

void registerDistance(KernelTable& table) {
    table.add("aten::_cdist_forward", pairwise, ToleranceClass::Reduction).resultTypes = pairwiseTypes;
    table.add("aten::_pdist_forward", amongRows, ToleranceClass::Reduction).resultTypes = amongRowsTypes;
    table.add("aten::linalg_cross", cross, ToleranceClass::Reduction).resultTypes = crossTypes;
}

}  // namespace aliascope::exec
