// Matrix products. Results are row-major; the library may pad rows when it runs, which only an annotation can tell.

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

DType resultDType(const InferContext& c, const TensorType& like) {
    static const Name outDType = "out_dtype"_n;
    const Value* v = c.call.find(outDType);
    return v ? dtypeArgument(*v).value_or(like.dtype) : like.dtype;
}

Inferred product(const InferContext& c, const TensorType& like, std::vector<SymInt> sizes) {
    return inferred(contiguousLike(like, std::move(sizes), resultDType(c, like)));
}

/// `a` @ `b` for operands number A and A + 1 of equal rank 2 or 3.
template <int A>
Inferred matrices(const InferContext& c) {
    const TensorType *a = c.tensor(A), *b = c.tensor(A + 1);
    if (!a || !b || a->rank() != b->rank() || a->rank() < 2 || a->rank() > 3) return {};
    std::vector<SymInt> sizes = a->sizes;
    sizes.back() = b->sizes.back();
    return product(c, *a, std::move(sizes));
}

/// self + sum over the batch.
Inferred batchSum(const InferContext& c) {
    const TensorType *a = c.tensor(1), *b = c.tensor(2);
    if (!a || !b || a->rank() != 3 || b->rank() != 3) return {};
    return product(c, *a, {a->sizes[1], b->sizes[2]});
}

template <int A>
Inferred matrixVector(const InferContext& c) {
    const TensorType* a = c.tensor(A);
    return a && a->rank() == 2 ? product(c, *a, {a->sizes[0]}) : Inferred{};
}

template <int A>
Inferred outer(const InferContext& c) {
    const TensorType *a = c.tensor(A), *b = c.tensor(A + 1);
    if (!a || !b || a->rank() != 1 || b->rank() != 1) return {};
    Promotion p;
    p.add(*a);
    p.add(*b);
    return inferred(contiguousLike(*a, {a->sizes[0], b->sizes[0]}, p.result()));
}

Inferred dot(const InferContext& c) {
    const TensorType* a = c.tensor(0);
    return a ? product(c, *a, {}) : Inferred{};
}

Inferred integerProduct(const InferContext& c) {
    Inferred r = matrices<0>(c);
    if (!r.type) return {};
    TensorType t = *r.type->asTensor();
    setDType(t, DType::I32);
    return inferred(std::move(t));
}

/// _grouped_mm(a, b, offs): rows of `a` by groups (2-d with 3-d), groups of `b`'s columns, or batches.
Inferred grouped(const InferContext& c) {
    const TensorType *a = c.tensor(0), *b = c.tensor(1), *offsets = c.tensor(2);
    if (!a || !b || a->rank() < 2 || b->rank() < 2) return {};
    const SymInt rows = a->sizes[a->rank() - 2], columns = b->sizes.back();
    if (a->rank() == 3 || b->rank() == 3) {
        if (a->rank() == 3 && b->rank() == 3) return product(c, *a, {a->sizes[0], rows, columns});
        return product(c, *a, {rows, columns});
    }
    if (!offsets || offsets->rank() != 1) return {};
    return product(c, *a, {offsets->sizes[0], rows, columns});
}

/// linear(input, weight, bias): the last dim becomes weight's first.
Inferred linear(const InferContext& c) {
    const TensorType *x = c.tensor(0), *w = c.tensor(1);
    if (!x || !w || x->rank() == 0 || w->rank() == 0) return {};
    std::vector<SymInt> sizes(x->sizes.begin(), x->sizes.end() - 1);
    if (w->rank() == 2) sizes.push_back(w->sizes[0]);
    return product(c, *x, std::move(sizes));
}

Inferred matmul(const InferContext& c) {
    const TensorType *a = c.tensor(0), *b = c.tensor(1);
    if (!a || !b || a->rank() == 0 || b->rank() == 0) return {};
    auto batch = [](const TensorType& t) {
        return std::vector<SymInt>(t.sizes.begin(), t.sizes.end() - std::min<std::ptrdiff_t>(2, t.sizes.end() - t.sizes.begin()));
    };
    auto sizes = broadcastSizes(batch(*a), batch(*b));
    if (!sizes) return {};
    if (a->rank() > 1) sizes->push_back(a->sizes[a->rank() - 2]);
    if (b->rank() > 1) sizes->push_back(b->sizes.back());
    return product(c, *a, std::move(*sizes));
}

}  // namespace

void registerMatmul(InferTable& table) {
    for (const char* op : {"aten::mm", "aten::mm.dtype", "aten::bmm", "aten::bmm.dtype", "aten::_scaled_mm", "aten::_weight_int8pack_mm"})
        table.add(op, matrices<0>);
    for (const char* op : {"aten::addmm", "aten::addmm.dtype", "aten::baddbmm", "aten::baddbmm.dtype", "aten::_addmm_activation"})
        table.add(op, matrices<1>);
    table.add("aten::_int_mm", integerProduct);
    table.add("aten::addbmm", batchSum);
    table.add("aten::mv", matrixVector<0>);
    table.add("aten::addmv", matrixVector<1>);
    for (const char* op : {"aten::outer", "aten::ger"}) table.add(op, outer<0>);
    table.add("aten::addr", outer<1>);
    for (const char* op : {"aten::dot", "aten::vdot"}) table.add(op, dot);
    table.add("aten::_grouped_mm", grouped);
    table.add("aten::linear", linear);
    table.add("aten::matmul", matmul);
}

}  // namespace aliascope
