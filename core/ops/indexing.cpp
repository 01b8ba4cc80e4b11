// Reads and writes at positions that a tensor holds.

#include <algorithm>

#include "core/ops/table.h"

namespace aliascope {
namespace {

std::vector<SymInt> withDim(std::vector<SymInt> sizes, std::size_t d, const SymInt& size) {
    if (d < sizes.size()) sizes[d] = size;
    return sizes;
}

/// embedding(weight, indices): a row for each index.
Inferred embedding(const InferContext& c) {
    const TensorType *w = c.tensor(0), *indices = c.tensor(1);
    if (!w || !indices || w->rank() != 2) return {};
    std::vector<SymInt> sizes = indices->sizes;
    sizes.push_back(w->sizes[1]);
    return inferred(contiguousLike(*w, std::move(sizes)));
}

Inferred embeddingBackward(const InferContext& c) {
    const TensorType* grad = c.tensor(0);
    auto rows = c.symInt(c.value(2));
    if (!grad || !rows || grad->rank() == 0) return {};
    return inferred(contiguousLike(*grad, {*rows, grad->sizes.back()}));
}

/// A call of `index.Tensor` seen as TensorIterator sees it: the indexed dims are replaced by the broadcast shape of the indices, at the place of
/// the first if they are adjacent, else in front.
struct IndexedShape {
    std::vector<SymInt> sizes;
    std::vector<SymInt> strides;  ///< of the source, 0 for the replacement
    std::vector<TensorType> indices;  ///< in the result's dims
};

/// `index`, whose dims end before dim `end` of `sizes`, with a size of 1 in all the others.
TensorType inDims(const TensorType& index, const std::vector<SymInt>& sizes, std::size_t end) {
    TensorType out = index;
    out.sizes.assign(sizes.size(), SymInt(1));
    out.strides.emplace(sizes.size(), SymInt(1));
    const std::vector<SymInt> own = index.strides.value_or(TensorType::contiguousStrides(index.sizes));
    for (std::size_t d = 0; d < index.rank(); ++d) {
        out.sizes[end - index.rank() + d] = index.sizes[d];
        (*out.strides)[end - index.rank() + d] = own[d];
    }
    return out;
}

std::optional<IndexedShape> indexedShape(const InferContext& c, const TensorType& t, const Value& indices) {
    if (!indices.isSequence() || indices.items().size() > t.rank()) return std::nullopt;
    std::vector<bool> indexed(t.rank());
    std::vector<SymInt> replacement;
    std::size_t first = t.rank(), last = 0, count = 0;
    std::vector<const TensorType*> used;
    for (std::size_t i = 0; i < indices.items().size(); ++i) {
        const Value& v = indices.items()[i];
        if (v.isNone()) continue;
        const TensorType* index = v.isNode() ? c.tensorOf(v.asNode()) : nullptr;
        if (!index || index->dtype == DType::B8 || index->dtype == DType::U8) return std::nullopt;  // how many are true depends on data
        auto sizes = broadcastSizes(replacement, index->sizes);
        if (!sizes) return std::nullopt;
        replacement = std::move(*sizes);
        used.push_back(index);
        indexed[i] = true;
        first = std::min(first, i);
        last = i;
        ++count;
    }
    if (count == 0) return std::nullopt;
    const bool adjacent = last - first + 1 == count;
    IndexedShape out;
    auto place = [&] {
        out.sizes.insert(out.sizes.end(), replacement.begin(), replacement.end());
        out.strides.insert(out.strides.end(), replacement.size(), SymInt(0));
    };
    if (!adjacent) place();
    for (std::size_t i = 0; i < t.rank(); ++i) {
        if (adjacent && i == first) place();
        if (indexed[i]) continue;
        out.sizes.push_back(t.sizes[i]);
        if (t.strides) out.strides.push_back((*t.strides)[i]);
    }
    for (const TensorType* index : used) out.indices.push_back(inDims(*index, out.sizes, (adjacent ? first : 0) + replacement.size()));
    return out;
}

Inferred index(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto shape = t ? indexedShape(c, *t, c.value(1)) : std::nullopt;
    if (!shape) return {};
    TensorType out = contiguousLike(*t, shape->sizes);
    if (!t->strides) return {Type::tensor(std::move(out)), Trust::Assumed};
    TensorType source = out;
    source.strides = std::move(shape->strides);
    std::vector<const TensorType*> operands = {&source};
    for (const TensorType& operand : shape->indices) operands.push_back(&operand);
    if (auto strides = elementwiseStrides(out.sizes, operands)) {
        out.strides = std::move(strides);
        return inferred(std::move(out));
    }
    return {Type::tensor(std::move(out)), Trust::Assumed};
}

Inferred indexSelect(const InferContext& c) {
    const TensorType *t = c.tensor(0), *indices = c.tensor(2);
    auto d = t ? wrapDim(c.value(1), t->rank()) : std::nullopt;
    if (!t || !indices || !d) return {};
    return inferred(contiguousLike(*t, withDim(t->sizes, *d, indices->numel())));
}

/// gather(self, dim, index), take_along_dim(self, indices): the shape of the index.
template <int Index>
Inferred shapedByIndex(const InferContext& c) {
    const TensorType *t = c.tensor(0), *indices = c.tensor(Index);
    return t && indices ? inferred(contiguousLike(*t, indices->sizes)) : Inferred{};
}

/// masked_scatter(self, mask, source): self and mask are broadcast together.
Inferred maskedScatter(const InferContext& c) {
    const TensorType *t = c.tensor(0), *mask = c.tensor(1);
    auto sizes = t && mask ? broadcastSizes(t->sizes, mask->sizes) : std::nullopt;
    return sizes ? inferred(contiguousLike(*t, std::move(*sizes))) : Inferred{};
}

/// A copy in self's order of dims with some elements replaced.
Inferred orderedCopy(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = *t;
    out.offset.reset();
    out.strides = preservedStrides(*t);
    if (out.strides) return inferred(std::move(out));
    out.strides = TensorType::contiguousStrides(out.sizes);
    return {Type::tensor(std::move(out)), Trust::Assumed};
}

/// Backward of a selection: zeros of the sizes that are argument 1.
Inferred zerosOfSizes(const InferContext& c) {
    const TensorType* grad = c.tensor(0);
    auto sizes = c.symInts(c.value(1));
    return grad && sizes ? inferred(contiguousLike(*grad, std::move(*sizes))) : Inferred{};
}

}  // namespace

void registerIndexing(InferTable& table) {
    table.add("aten::embedding", embedding);
    table.add("aten::embedding_dense_backward", embeddingBackward);
    for (const char* op :
         {"aten::index.Tensor", "aten::_unsafe_index.Tensor", "aten::index.Tensor_hacked_twin", "aten::_unsafe_index.Tensor_hacked_twin"})
        table.add(op, index);
    table.add("aten::index_select", indexSelect);
    table.add("aten::gather", shapedByIndex<2>);
    for (const char* op : {"aten::take_along_dim", "aten::take"}) table.add(op, shapedByIndex<1>);
    for (const char* op : {"aten::scatter.src", "aten::scatter.value", "aten::scatter.reduce", "aten::scatter.value_reduce", "aten::scatter_add",
                           "aten::scatter_reduce.two", "aten::put"})
        table.add(op, contiguousCopy);
    table.add("aten::masked_scatter", maskedScatter);
    for (const char* op : {"aten::index_put", "aten::_unsafe_index_put", "aten::index_put.hacked_twin", "aten::_unsafe_index_put.hacked_twin",
                           "aten::index_add", "aten::index_copy", "aten::index_reduce", "aten::_unsafe_masked_index_put_accumulate", "aten::index_fill.int_Scalar", "aten::index_fill.int_Tensor"})
        table.add(op, orderedCopy);
    for (const char* op : {"aten::slice_backward", "aten::select_backward", "aten::diagonal_backward", "aten::unfold_backward"})
        table.add(op, zerosOfSizes);
}

}  // namespace aliascope
