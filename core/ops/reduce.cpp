// Reductions: the remaining dims in logical order, row-major (executor.md 2.2).

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

/// Sizes without (or with 1 for) the reduced dims. No dim, or an empty list, means all.
std::optional<std::vector<SymInt>> reducedSizes(const TensorType& t, const Value& dims, bool keep) {
    std::vector<bool> reduced(t.rank(), true);
    if (!dims.isNone() && !(dims.isSequence() && dims.items().empty())) {
        auto list = wrapDims(dims, t.rank());
        if (!list) return std::nullopt;
        reduced.assign(t.rank(), false);
        for (std::size_t d : *list)
            if (d < reduced.size()) reduced[d] = true;
    }
    std::vector<SymInt> sizes;
    for (std::size_t i = 0; i < t.rank(); ++i) {
        if (!reduced[i]) sizes.push_back(t.sizes[i]);
        if (reduced[i] && keep) sizes.emplace_back(1);
    }
    return sizes;
}

std::optional<std::vector<SymInt>> resultSizes(const InferContext& c, const TensorType& t) {
    static const Name dim = "dim"_n, dims = "dims"_n, keepdim = "keepdim"_n;
    const Value& d = named(c, dim);
    return reducedSizes(t, d.isNone() ? named(c, dims) : d, named(c, keepdim).asBool().value_or(false));
}

DType outputDType(const InferContext& c, DType otherwise) {
    static const Name dtype = "dtype"_n, output = "output_dtype"_n;
    if (auto stated = dtypeArgument(named(c, dtype))) return *stated;
    return dtypeArgument(named(c, output)).value_or(otherwise);
}

enum class Rule { Same, Sum, Floating, Real, Bool, Index };

template <Rule R>
Inferred reduce(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = t ? resultSizes(c, *t) : std::nullopt;
    if (!sizes) return {};
    DType dtype = t->dtype;
    switch (R) {
        case Rule::Same:
            break;
        case Rule::Sum:
            dtype = accumulationFor(dtype);
            break;
        case Rule::Floating:
            dtype = floatingFor(dtype);
            break;
        case Rule::Real:
            dtype = realFor(floatingFor(dtype));
            break;
        case Rule::Bool:
            dtype = dtype == DType::U8 ? DType::U8 : DType::B8;
            break;
        case Rule::Index:
            dtype = DType::I64;
            break;
    }
    return inferred(contiguousLike(*t, std::move(*sizes), outputDType(c, dtype)));
}

/// (values, indices).
Inferred valuesAndIndices(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = t ? resultSizes(c, *t) : std::nullopt;
    if (!sizes) return {};
    return inferred(std::vector<TypePtr>{tensorType(contiguousLike(*t, *sizes)), tensorType(contiguousLike(*t, *sizes, DType::I64))});
}

/// Two results of one shape: (variance, mean), (min, max).
template <Rule R>
Inferred twoResults(const InferContext& c) {
    Inferred one = reduce<R>(c);
    if (!one.type) return {};
    if (R != Rule::Real) return inferred(std::vector<TypePtr>{one.type, one.type});
    TensorType mean = *one.type->asTensor();
    setDType(mean, floatingFor(c.tensor(0)->dtype));
    return inferred(std::vector<TypePtr>{one.type, tensorType(std::move(mean))});
}

/// prims::prepare_softmax_online(a, dim) -> (maximum, sum of exponentials), both with the dim kept.
Inferred prepareSoftmax(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = t ? reducedSizes(*t, c.value(1), true) : std::nullopt;
    if (!sizes) return {};
    TypePtr type = tensorType(contiguousLike(*t, std::move(*sizes)));
    return inferred(std::vector<TypePtr>{type, type});
}

/// Reduction to one element, whatever the other arguments say.
template <Rule R>
Inferred reduceAll(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    const DType dtype = R == Rule::Index ? DType::I64 : R == Rule::Real ? realFor(floatingFor(t->dtype)) : t->dtype;
    return inferred(contiguousLike(*t, {}, dtype));
}

}  // namespace

void registerReduce(InferTable& table) {
    for (const char* op : {"aten::sum", "aten::sum.dim_IntList", "aten::prod", "aten::prod.dim_int", "aten::nansum", "prims::sum", "prims::prod"})
        table.add(op, reduce<Rule::Sum>);
    for (const char* op : {"aten::amax", "aten::amin", "aten::max", "aten::min", "aten::median", "aten::nanmedian", "prims::amax", "prims::amin",
                           "aten::mean", "aten::mean.dim"})
        table.add(op, reduce<Rule::Same>);
    table.add("aten::logsumexp", reduce<Rule::Floating>);
    for (const char* op : {"aten::var", "aten::var.dim", "aten::var.correction", "aten::std", "aten::std.dim", "aten::std.correction", "prims::var",
                           "aten::linalg_vector_norm", "aten::norm.ScalarOpt_dim", "aten::norm.ScalarOpt_dim_dtype", "aten::norm.ScalarOpt_dtype"})
        table.add(op, reduce<Rule::Real>);
    for (const char* op : {"aten::norm.Scalar", "aten::dist"}) table.add(op, reduceAll<Rule::Real>);
    for (const char* op : {"aten::any", "aten::any.dim", "aten::any.dims", "aten::all", "aten::all.dim", "aten::all.dims"})
        table.add(op, reduce<Rule::Bool>);
    for (const char* op : {"aten::argmax", "aten::argmin", "aten::count_nonzero", "aten::count_nonzero.dim_IntList"})
        table.add(op, reduce<Rule::Index>);
    for (const char* op : {"aten::max.dim", "aten::min.dim", "aten::median.dim", "aten::nanmedian.dim", "aten::mode", "aten::kthvalue"})
        table.add(op, valuesAndIndices);
    for (const char* op :
         {"aten::var_mean", "aten::var_mean.dim", "aten::var_mean.correction", "aten::std_mean", "aten::std_mean.dim", "aten::std_mean.correction"})
        table.add(op, twoResults<Rule::Real>);
    table.add("aten::aminmax", twoResults<Rule::Same>);
    table.add("prims::prepare_softmax_online", prepareSoftmax);
    table.add("aten::trace", reduceAll<Rule::Same>);
}

}  // namespace aliascope
