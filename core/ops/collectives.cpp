// Functional collectives: results are contiguous buffers; waiting returns the buffer itself.

#include "core/ops/table.h"

namespace aliascope {
namespace {

std::optional<ViewResult> waited(const InferContext&, const TensorType& base) {
    ViewResult r;
    r.types.push_back(base);
    return r;
}

TensorType scaledRows(const TensorType& t, const SymInt& size) {
    std::vector<SymInt> sizes = t.sizes;
    if (!sizes.empty()) sizes[0] = size;
    return contiguousLike(t, std::move(sizes));
}

/// all_gather_into_tensor(input, group_size, group_name): the rows of every rank.
Inferred allGather(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto ranks = c.symInt(c.value(1));
    return t && ranks && t->rank() > 0 ? inferred(scaledRows(*t, t->sizes[0] * *ranks)) : Inferred{};
}

/// reduce_scatter_tensor(input, reduce_op, group_size, group_name): this rank's share of the rows.
Inferred reduceScatter(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto ranks = c.symInt(c.value(2));
    if (!t || !ranks || ranks->constant() == 0 || t->rank() == 0) return {};
    return inferred(scaledRows(*t, floorDiv(t->sizes[0], *ranks)));
}

/// all_reduce, broadcast: the input's shape.
Inferred sameShape(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = contiguousLike(*t, t->sizes);
    if (auto strides = preservedStrides(*t)) out.strides = std::move(strides);
    return inferred(std::move(out));
}

/// all_to_all_single(input, output_split_sizes, …): as many rows as the output splits add up to.
Inferred allToAll(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto splits = c.symInts(c.value(1));
    if (!t || !splits || t->rank() == 0) return {};
    SymInt rows = 0;
    for (const SymInt& s : *splits) rows = rows + s;
    return inferred(scaledRows(*t, rows));
}

}  // namespace

void registerCollectives(InferTable& table) {
    table.addView("_c10d_functional::wait_tensor", waited, false);
    table.add("_c10d_functional::all_gather_into_tensor", allGather);
    table.add("_c10d_functional::reduce_scatter_tensor", reduceScatter);
    for (const char* op : {"_c10d_functional::all_reduce", "_c10d_functional::broadcast"}) table.add(op, sameShape);
    table.add("_c10d_functional::all_to_all_single", allToAll);
}

}  // namespace aliascope
