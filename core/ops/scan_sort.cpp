// Scans, sorts and selections of the largest.

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

TensorType sorted(const TensorType& t, DType dtype) {
    TensorType out = t;
    out.offset.reset();
    out.strides = preservedStrides(t);
    setDType(out, dtype);
    return out;
}

template <DType (*Rule)(DType)>
Inferred scan(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    const Value* stated = c.call.find("dtype"_n);
    auto dtype = stated ? dtypeArgument(*stated) : std::nullopt;
    return inferred(contiguousLike(*t, t->sizes, dtype.value_or(Rule(t->dtype))));
}

DType unchanged(DType d) { return d; }

Inferred scanWithIndices(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    return inferred(std::vector<TypePtr>{tensorType(contiguousLike(*t, t->sizes)), tensorType(contiguousLike(*t, t->sizes, DType::I64))});
}

Inferred sort(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType values = *t;
    values.strides = preservedStrides(*t);
    return inferred(std::vector<TypePtr>{tensorType(std::move(values)), tensorType(sorted(*t, DType::I64))});
}

Inferred argsort(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(sorted(*t, DType::I64)) : Inferred{};
}

Inferred topk(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto k = c.symInt(c.value(1));
    auto d = t ? wrapDim(c.value(2), t->rank()) : std::nullopt;
    if (!t || !k || !d) return {};
    std::vector<SymInt> sizes = t->sizes;
    if (*d < sizes.size()) sizes[*d] = *k;
    return inferred(std::vector<TypePtr>{tensorType(contiguousLike(*t, sizes)), tensorType(contiguousLike(*t, sizes, DType::I64))});
}

/// bucketize(values, boundaries) and searchsorted(boundaries, values): one index for each value.
template <int Values>
Inferred search(const InferContext& c) {
    const TensorType* t = c.tensor(Values);
    if (!t) return {};
    const Value* narrow = c.call.find("out_int32"_n);
    return inferred(contiguousLike(*t, t->sizes, narrow && narrow->asBool().value_or(false) ? DType::I32 : DType::I64));
}

/// histc(self, bins): one count for each bin.
Inferred histogram(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto bins = c.symInt(c.value(1));
    return t && bins ? inferred(contiguousLike(*t, {*bins})) : Inferred{};
}

}  // namespace

void registerScanSort(InferTable& table) {
    for (const char* op : {"aten::cumsum", "aten::cumprod"}) table.add(op, scan<accumulationFor>);
    table.add("aten::logcumsumexp", scan<unchanged>);
    for (const char* op : {"aten::cummax", "aten::cummin"}) table.add(op, scanWithIndices);
    for (const char* op : {"aten::sort", "aten::sort.stable"}) table.add(op, sort);
    for (const char* op : {"aten::argsort", "aten::argsort.stable"}) table.add(op, argsort);
    table.add("aten::topk", topk);
    table.add("aten::bucketize.Tensor", search<0>);
    table.add("aten::searchsorted.Tensor", search<1>);
    table.add("aten::histc", histogram);
}

}  // namespace aliascope
