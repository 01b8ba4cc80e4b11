// Inductor's random operators. Factories with random contents are with the other factories.

#include "core/ops/table.h"

namespace aliascope {
namespace {

Inferred made(std::vector<SymInt> sizes, DType dtype, Name device) {
    TensorType t;
    t.dtype = dtype;
    t.device = device;
    t.strides = TensorType::contiguousStrides(sizes);
    t.sizes = std::move(sizes);
    return inferred(std::move(t));
}

/// inductor_seeds(count, device).
Inferred seeds(const InferContext& c) {
    auto count = c.symInt(c.value(0));
    return count ? made({*count}, DType::I64, deviceArgument(c.value(1)).value_or(Name())) : Inferred{};
}

/// inductor_seed(device).
Inferred seed(const InferContext& c) { return made({}, DType::I64, deviceArgument(c.value(0)).value_or(Name())); }

Inferred lookup(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? made({}, DType::I64, t->device) : Inferred{};
}

/// inductor_random(size, seed, mode), inductor_randint(low, high, size, seed): on the device of the seed.
template <int Sizes, DType D>
Inferred values(const InferContext& c) {
    auto sizes = c.symInts(c.value(Sizes));
    const TensorType* t = c.tensor(Sizes + 1);
    return sizes && t ? made(std::move(*sizes), D, t->device) : Inferred{};
}

}  // namespace

void registerRandom(InferTable& table) {
    table.add("prims::inductor_seeds", seeds);
    table.add("prims::inductor_seed", seed);
    table.add("prims::inductor_lookup_seed", lookup);
    table.add("prims::inductor_random", values<0, DType::F32>);
    table.add("prims::inductor_randint", values<2, DType::I64>);
}

}  // namespace aliascope
