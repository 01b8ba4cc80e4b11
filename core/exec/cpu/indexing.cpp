// Reads at positions that tensors hold (executor.md 2.3, indexing).

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/indexing_positions.h"
#include "core/exec/cpu/subviews.h"
#include "core/exec/shape_rules.h"

namespace aliascope::exec {
namespace {

/// embedding(weight, indices): a row for each index.
void embedding(OpCall& call) {
    const Tensor &weight = call.tensor(0), &index = call.tensor(1), &out = call.out();
    if (weight.rank() != 2) failShape("weight", shapeText(weight.sizes), "2 dimensions");
    const std::vector<std::int64_t> rows = positionsIn(index, weight.sizes[0], false, "indices");
    const std::int64_t width = weight.sizes[1], from = weight.strides[1], to = out.strides.back();
    dispatchWidth(weight.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        std::size_t i = 0;
        StridedLoop<1>(index.sizes, {Shape(out.strides.begin(), out.strides.end() - 1)}).forEach([&](const auto& at) {
            const U* row = weight.as<U>() + rows[i++] * weight.strides[0];
            U* place = out.as<U>() + at[0];
            if (from == 1 && to == 1)
                std::copy_n(row, width, place);
            else
                for (std::int64_t k = 0; k < width; ++k) place[k * to] = row[k * from];
        });
    });
}

/// embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq): rows summed in the order of the indices.
void embeddingBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &index = call.tensor(1), &out = call.out();
    const std::int64_t rows = call.integer(2), padding = call.integer(3), width = out.sizes[1];
    Shape want = index.sizes;
    want.push_back(width);
    if (grad.sizes != want) failShape("grad_output", shapeText(grad.sizes), shapeText(want));
    const std::vector<std::int64_t> at = positionsIn(index, rows, false, "indices");
    std::vector<std::int64_t> uses(static_cast<std::size_t>(call.flag(4) ? rows : 0), 0);
    if (call.flag(4))
        for (std::int64_t r : at) ++uses[static_cast<std::size_t>(r)];
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> from(grad);
        DenseResult<C> to(out, C(0));
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (at[i] == padding) continue;
            const C share = uses.empty() ? C(1) : C(1) / static_cast<C>(uses[static_cast<std::size_t>(at[i])]);
            const C* row = from.data() + static_cast<std::int64_t>(i) * width;
            C* sum = to.data() + at[i] * width;
            for (std::int64_t j = 0; j < width; ++j) sum[j] += row[j] * share;
        }
        to.store();
    });
}

/// embedding_renorm_(self, indices, max_norm, norm_type): rows that are used and longer than max_norm are scaled down to it.
void embeddingRenorm(OpCall& call) {
    const Tensor& self = call.out();
    if (self.rank() != 2) failShape("self", shapeText(self.sizes), "2 dimensions");
    const double most = call.number(2), p = call.number(3);
    std::vector<std::int64_t> rows = positionsIn(call.tensor(1), self.sizes[0], false, "indices");
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (std::int64_t r : rows) {
        const Tensor row = selected(self, 0, r);
        const Dense<double> x(row);
        double sum = 0;
        for (std::int64_t i = 0; i < row.sizes[0]; ++i) {
            const double size = std::fabs(x[i]);
            sum = std::isinf(p) ? std::max(sum, size) : sum + std::pow(size, p);
        }
        const double norm = std::isinf(p) ? sum : std::pow(sum, 1 / p);
        if (norm <= most) continue;
        for (std::int64_t i = 0; i < row.sizes[0]; ++i) writeDouble(row, i * row.strides[0], x[i] * (most / (norm + 1e-7)));
    }
}

void readPlaces(const Tensor& out, const Tensor& self, const IndexedPlaces& places) {
    if (out.sizes != places.resultSizes()) failShape("indices", shapeText(places.resultSizes()), shapeText(out.sizes));
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* from = self.as<U>();
        U* to = out.as<U>();
        forEachIndexed(places, out, [&](std::int64_t s, std::int64_t o) { to[o] = from[s]; });
    });
}

void index(OpCall& call) { readPlaces(call.out(), call.tensor(0), indexedPlaces(call.tensor(0), call.tensors(1))); }

std::vector<TensorType> indexTypes(const OpCall& call) {
    CallTypes types;
    types.bind(*call.op, call.args);
    const Inferred found = types.infer();
    if (const TensorType* t = asTensor(found.type)) return {*t};
    return {indexedType(call.tensor(0), call.tensors(1))};
}

/// _unsafe_masked_index(self, mask, indices, fill): the fill where the mask is false, whatever the index there.
void maskedIndex(OpCall& call) {
    const Tensor &self = call.tensor(0), &mask = call.tensor(1), &out = call.out();
    if (self.numel() == 0) return fillScalar(out, call.args.at(3));
    readPlaces(out, self, indexedPlaces(self, call.tensors(2), PlacesWanted::Clamped));
    std::vector<std::int64_t> masked;
    StridedLoop<2>(out.sizes, {broadcastStrides(mask, out.sizes), out.strides}).forEach([&](const auto& at) {
        if (readInteger(mask, at[0]) == 0) masked.push_back(at[1]);
    });
    if (masked.empty()) return;
    fillScalar(restrided(out, {}, {}, out.offset + masked[0]), call.args.at(3));
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U value = out.as<U>()[masked[0]];
        for (std::int64_t at : masked) out.as<U>()[at] = value;
    });
}

std::vector<TensorType> maskedIndexTypes(const OpCall& call) { return {indexedType(call.tensor(0), call.tensors(2))}; }

void indexSelect(OpCall& call) {
    const Tensor &self = call.tensor(0), &index = call.tensor(2), &out = call.out();
    if (index.rank() > 1) failShape("index", shapeText(index.sizes), "1 dimension");
    if (self.rank() == 0) {
        positionsIn(index, 1, false, "index");
        return copyElements(out, self);
    }
    const auto d = static_cast<std::size_t>(call.dim(1, self.rank()));
    const std::vector<std::int64_t> at = positionsIn(index, self.sizes[d], false, "index");
    for (std::size_t i = 0; i < at.size(); ++i) copyElements(selected(out, d, static_cast<std::int64_t>(i)), selected(self, d, at[i]));
}

/// gather(self, dim, index): out[i][j] = self[index[i][j]][j]; the index may be smaller than self.
void gather(OpCall& call) {
    const Tensor &self = call.tensor(0), &index = call.tensor(2), &out = call.out();
    if (std::max<std::size_t>(1, index.rank()) != std::max<std::size_t>(1, self.rank()))
        failShape("index", shapeText(index.sizes), std::to_string(self.rank()) + " dimensions");
    if (index.numel() == 0) return;
    const auto d = static_cast<std::size_t>(call.dim(1, self.rank()));
    const std::int64_t limit = self.rank() == 0 ? 1 : self.sizes[d], step = self.rank() == 0 ? 0 : self.strides[d];
    Shape strides = self.strides;
    if (self.rank() == 0) strides.assign(index.rank(), 0);
    if (strides.size() > index.rank()) strides.clear();
    for (std::size_t k = 0; k < strides.size() && k < self.rank(); ++k)
        if (k != d && index.sizes[k] > self.sizes[k]) failShape("index", shapeText(index.sizes), "no more than " + shapeText(self.sizes));
    if (d < strides.size()) strides[d] = 0;
    const std::vector<std::int64_t> at = positionsIn(index, limit, false, "index");
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* from = self.as<U>();
        U* to = out.as<U>();
        std::size_t i = 0;
        StridedLoop<2>(index.sizes, {strides, out.strides}).forEach([&](const auto& k) { to[k[1]] = from[k[0] + at[i++] * step]; });
    });
}

/// take(self, index): positions in self's row-major order; negative ones wrap.
void take(OpCall& call) {
    const Tensor &self = call.tensor(0), &index = call.tensor(1), &out = call.out();
    const std::vector<std::int64_t> at = positionsIn(index, self.numel(), true, "index");
    Shape places;
    StridedLoop<1>(self.sizes, {self.strides}).forEach([&](const auto& k) { places.push_back(k[0]); });
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        std::size_t i = 0;
        StridedLoop<1>(index.sizes, {out.strides}).forEach([&](const auto& k) {
            out.as<U>()[k[0]] = self.as<U>()[places[static_cast<std::size_t>(at[i++])]];
        });
    });
}

}  // namespace

void registerIndexing(KernelTable& table) {
    table.add("aten::embedding", embedding);
    table.add("aten::embedding_dense_backward", embeddingBackward, ToleranceClass::Reduction);
    table.add("aten::embedding_renorm_", embeddingRenorm, ToleranceClass::Reduction);
    for (const char* op :
         {"aten::index.Tensor", "aten::_unsafe_index.Tensor", "aten::index.Tensor_hacked_twin", "aten::_unsafe_index.Tensor_hacked_twin"})
        table.add(op, index).resultTypes = indexTypes;
    table.add("aten::_unsafe_masked_index", maskedIndex).resultTypes = maskedIndexTypes;
    table.add("aten::index_select", indexSelect);
    table.add("aten::gather", gather);
    table.add("aten::take", take);
}

}  // namespace aliascope::exec
