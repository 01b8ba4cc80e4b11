// index_put and its masked form: a copy of self with elements at the places of the index tensors replaced or added to (executor.md 2.3, indexing).

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/indexing_positions.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

Tensor valuesAt(const Tensor& values, const IndexedPlaces& places) {
    return restrided(values, places.resultSizes(), broadcastStrides(values, places.resultSizes()), values.offset);
}

/// The last value in row-major order stays where places repeat.
void replaceAt(OpCall& call, const std::vector<Tensor>& indices, const Tensor& values) {
    const Tensor& out = call.out();
    const IndexedPlaces places = indexedPlaces(out, indices);
    if (values.numel() > 1) noteDuplicates(call, places.offsets);
    const Tensor source = valuesAt(values, places);
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        U* to = out.as<U>();
        const U* from = source.as<U>();
        forEachIndexed(places, source, [&](std::int64_t o, std::int64_t s) { to[o] = from[s]; });
    });
}

/// Sums in the order of the values, one rounding. `mask`, broadcast like the values, tells which count.
void addAt(OpCall& call, const std::vector<Tensor>& indices, const Tensor& values, const Tensor* mask, PlacesWanted wanted) {
    const Tensor& out = call.out();
    const Tensor target = restrided(out, out.sizes, contiguousStrides(out.sizes), 0);
    const IndexedPlaces places = indexedPlaces(target, indices, wanted);
    const Tensor source = restrided(values, places.resultSizes(), contiguousStrides(places.resultSizes()), 0);
    dispatchSums(call, out.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> from(valuesAt(values, places));
        std::unique_ptr<Dense<std::int64_t>> counts;
        if (mask) counts = std::make_unique<Dense<std::int64_t>>(valuesAt(*mask, places));
        DenseResult<C> to(out);
        if (!isDense<C>(out)) Dense<C>::load(out, to.data());
        forEachIndexed(places, source, [&](std::int64_t o, std::int64_t s) {
            if (!counts || (*counts)[s]) to[o] = wrappingAdd(to[o], from[s]);
        });
        to.store();
    });
}

void indexPut(OpCall& call) {
    const Tensor &out = call.out(), &values = call.tensor(2);
    if (values.dtype != out.dtype) failUnsupported("self and values have different types");
    copyElements(out, call.tensor(0));
    if (call.args.size() > 3 && call.flag(3))
        addAt(call, call.tensors(1), values, nullptr, PlacesWanted::Checked);
    else
        replaceAt(call, call.tensors(1), values);
}

/// _unsafe_masked_index_put_accumulate(self, mask, indices, values).
void maskedPutAccumulate(OpCall& call) {
    copyElements(call.out(), call.tensor(0));
    if (call.out().numel() == 0) return;
    addAt(call, call.tensors(2), call.tensor(3), &call.tensor(1), PlacesWanted::Clamped);
}

}  // namespace

void registerIndexPut(KernelTable& table) {
    for (const char* op : {"aten::index_put", "aten::_unsafe_index_put", "aten::index_put.hacked_twin", "aten::_unsafe_index_put.hacked_twin"})
        table.add(op, indexPut, ToleranceClass::Reduction);
    for (const char* op : {"aten::_index_put_impl_", "aten::_index_put_impl_.hacked_twin"}) table.add(op, indexPut, ToleranceClass::Reduction);
    table.add("aten::_unsafe_masked_index_put_accumulate", maskedPutAccumulate, ToleranceClass::Reduction);
}

}  // namespace aliascope::exec
