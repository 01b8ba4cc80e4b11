// Factories: tensors made from sizes, or in the shape of another one.

#include <cmath>

#include "core/ops/table.h"

namespace aliascope {
namespace {

/// dtype and device of the call, else those given.
void applyOptions(const InferContext& c, TensorType& t, DType dtype, Name device) {
    static const Name dtypeName = "dtype"_n, deviceName = "device"_n;
    const Value& stated = named(c, dtypeName);
    auto known = dtypeArgument(stated);
    if (known || stated.isNone()) {
        setDType(t, known.value_or(dtype));
    } else {
        t.dtype = DType::Unknown;
        t.dtypeName = stated.name();
    }
    t.device = deviceArgument(named(c, deviceName)).value_or(device);
}

Inferred fresh(const InferContext& c, std::vector<SymInt> sizes, DType dtype) {
    static const Name cpu = "cpu"_n, memoryFormat = "memory_format"_n;
    TensorType t;
    applyOptions(c, t, dtype, cpu);
    auto strides = stridesOf(sizes, memoryFormatArgument(named(c, memoryFormat), MemoryFormat::Contiguous));
    t.strides = strides ? std::move(strides) : TensorType::contiguousStrides(sizes);
    t.sizes = std::move(sizes);
    return inferred(std::move(t));
}

/// Default dtype of a Python number: bool, int64, float32.
DType dtypeOfNumber(const InferContext& c, const Value& v) {
    switch (v.kind()) {
        case Value::Kind::Bool:
            return DType::B8;
        case Value::Kind::Int:
            return DType::I64;
        case Value::Kind::Complex:
            return DType::C64;
        case Value::Kind::Sym:
        case Value::Kind::Node:
            return c.symInt(v) ? DType::I64 : DType::F32;
        default:
            return DType::F32;
    }
}

template <int Sizes, DType Default>
Inferred sized(const InferContext& c) {
    auto sizes = c.symInts(c.value(Sizes));
    return sizes ? fresh(c, std::move(*sizes), Default) : Inferred{};
}

Inferred full(const InferContext& c) {
    auto sizes = c.symInts(c.value(0));
    return sizes ? fresh(c, std::move(*sizes), dtypeOfNumber(c, c.value(1))) : Inferred{};
}

/// Strides are the argument after the sizes.
template <int Sizes>
Inferred strided(const InferContext& c) {
    auto sizes = c.symInts(c.value(Sizes)), strides = c.symInts(c.value(Sizes + 1));
    if (!sizes || !strides || sizes->size() != strides->size()) return {};
    const TensorType* like = Sizes ? c.tensor(0) : nullptr;
    if (Sizes && !like) return {};
    TensorType t;
    applyOptions(c, t, like ? like->dtype : DType::F32, like ? like->device : "cpu"_n);
    t.sizes = std::move(*sizes);
    t.strides = std::move(*strides);
    return inferred(std::move(t));
}

/// empty_permuted(size, physical_layout): dense, with the dims in the order of physical_layout, outermost first.
Inferred permuted(const InferContext& c) {
    auto sizes = c.symInts(c.value(0));
    auto order = sizes ? wrapDims(c.value(1), sizes->size()) : std::nullopt;
    if (!order || order->size() != sizes->size()) return {};
    TensorType t;
    applyOptions(c, t, DType::F32, "cpu"_n);
    std::vector<SymInt> strides(sizes->size());
    SymInt step = 1;
    for (std::size_t i = order->size(); i-- > 0;) {
        strides[(*order)[i]] = step;
        if ((*sizes)[(*order)[i]].constant() != 0) step = step * (*sizes)[(*order)[i]];
    }
    t.sizes = std::move(*sizes);
    t.strides = std::move(strides);
    return inferred(std::move(t));
}

/// `*_like`: dtype, device and format of the first argument unless stated.
Inferred like(const InferContext& c) {
    static const Name memoryFormat = "memory_format"_n;
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = *t;
    applyOptions(c, out, t->dtype, t->device);
    if (named(c, "dtype"_n).isNone()) out.dtypeName = t->dtypeName;
    const MemoryFormat format = memoryFormatArgument(named(c, memoryFormat), MemoryFormat::Preserve);
    out.strides = format == MemoryFormat::Preserve ? preservedStrides(*t) : stridesOf(t->sizes, format);
    if (out.strides) return inferred(std::move(out));
    out.strides = TensorType::contiguousStrides(out.sizes);
    return {Type::tensor(std::move(out)), Trust::Assumed};
}

Inferred newSized(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = c.symInts(c.value(1));
    if (!t || !sizes) return {};
    TensorType out;
    applyOptions(c, out, t->dtype, t->device);
    out.strides = TensorType::contiguousStrides(*sizes);
    out.sizes = std::move(*sizes);
    return inferred(std::move(out));
}

Inferred scalarTensor(const InferContext& c) { return fresh(c, {}, DType::F32); }

template <int Start, int End, int Step>
Inferred arange(const InferContext& c) {
    bool integers = true;
    auto argument = [&](int i) -> const Value* { return i < 0 ? nullptr : &c.value(static_cast<std::size_t>(i)); };
    for (int i : {Start, End, Step})
        if (const Value* v = argument(i)) integers = integers && c.symInt(*v).has_value();
    if (integers) {
        const SymInt start = Start < 0 ? SymInt(0) : *c.symInt(c.value(Start)), end = *c.symInt(c.value(End));
        const SymInt step = Step < 0 ? SymInt(1) : *c.symInt(c.value(Step));
        if (step.constant() == 0) return {};
        const bool down = step.constant() && *step.constant() < 0;
        const SymInt count = down ? ceilDivide(start - end, SymInt(0) - step) : ceilDivide(end - start, step);
        return fresh(c, {count}, DType::I64);
    }
    auto start = Start < 0 ? std::optional(0.0) : c.value(Start).asNumber(), end = c.value(End).asNumber();
    auto step = Step < 0 ? std::optional(1.0) : c.value(Step).asNumber();
    if (!start || !end || !step) return {};
    const double count = std::ceil((*end - *start) / *step);
    if (!(count >= 0 && count < 9e18)) return {};
    return fresh(c, {SymInt(static_cast<std::int64_t>(count))}, DType::F32);
}

/// prims::iota(length, start, step, dtype, device, requires_grad).
Inferred iota(const InferContext& c) {
    auto length = c.symInt(c.value(0));
    return length ? fresh(c, {*length}, DType::I64) : Inferred{};
}

Inferred eye(const InferContext& c) {
    auto n = c.symInt(c.value(0));
    auto m = c.call.find("m"_n) ? c.symInt(c.value(1)) : n;
    return n && m ? fresh(c, {*n, *m}, DType::F32) : Inferred{};
}

/// linspace, logspace(start, end, steps).
Inferred linspace(const InferContext& c) {
    auto steps = c.symInt(c.value(2));
    return steps ? fresh(c, {*steps}, DType::F32) : Inferred{};
}

/// tensor(data): numbers, or lists of lists of them; floats make a float tensor of it.
Inferred literalTensor(const InferContext& c) {
    std::vector<SymInt> sizes;
    const Value* at = &c.value(0);
    for (; at->isSequence() && sizes.size() < kMaxRank; at = &at->items()[0]) {
        sizes.emplace_back(static_cast<std::int64_t>(at->items().size()));
        if (at->items().empty()) break;
    }
    std::optional<DType> dtype;
    std::function<void(const Value&, std::size_t)> look = [&](const Value& v, std::size_t depth) {
        if (v.isSequence() && depth < kMaxRank) {
            for (const Value& item : v.items()) look(item, depth + 1);
            return;
        }
        const DType own = dtypeOfNumber(c, v);
        if (!dtype || own == DType::F32 || (own == DType::I64 && dtype == DType::B8)) dtype = own;
    };
    look(c.value(0), 0);
    return fresh(c, std::move(sizes), dtype.value_or(DType::F32));
}

Inferred randperm(const InferContext& c) {
    auto n = c.symInt(c.value(0));
    return n ? fresh(c, {*n}, DType::I64) : Inferred{};
}

}  // namespace

void registerCreate(InferTable& table) {
    for (const char* op : {"aten::zeros", "aten::ones", "aten::empty.memory_format", "aten::rand", "aten::randn", "aten::rand.generator",
                           "aten::randn.generator", "aten::_efficientzerotensor", "prims::empty"})
        table.add(op, sized<0, DType::F32>);
    table.add("aten::normal.float_float", sized<2, DType::F32>);
    for (const char* op : {"aten::randint", "aten::randint.generator"}) table.add(op, sized<1, DType::I64>);
    for (const char* op : {"aten::randint.low", "aten::randint.low_generator"}) table.add(op, sized<2, DType::I64>);
    for (const char* op : {"aten::full", "prims::full"}) table.add(op, full);
    for (const char* op : {"aten::empty_strided", "prims::empty_strided"}) table.add(op, strided<0>);
    table.add("aten::new_empty_strided", strided<1>);
    for (const char* op : {"aten::empty_permuted", "prims::empty_permuted"}) table.add(op, permuted);
    for (const char* op : {"aten::zeros_like", "aten::ones_like", "aten::empty_like", "aten::full_like", "aten::rand_like", "aten::randn_like",
                           "aten::randint_like", "aten::randint_like.low_dtype", "aten::randint_like.low_generator_dtype",
                           "aten::rand_like.generator", "aten::randn_like.generator", "aten::randint_like.generator", "prims::full_like",
                           "prims::fill", "aten::zero", "aten::bernoulli", "aten::bernoulli.p", "aten::bernoulli.Tensor",
                           "aten::normal_functional", "aten::uniform", "aten::exponential"})
        table.add(op, like);
    for (const char* op : {"aten::new_zeros", "aten::new_ones", "aten::new_empty", "aten::new_full"}) table.add(op, newSized);
    for (const char* op : {"aten::scalar_tensor", "prims::scalar_tensor"}) table.add(op, scalarTensor);
    table.add("aten::tensor", literalTensor);
    table.add("aten::arange", arange<-1, 0, -1>);
    table.add("aten::arange.start", arange<0, 1, -1>);
    table.add("aten::arange.start_step", arange<0, 1, 2>);
    table.add("prims::iota", iota);
    for (const char* op : {"aten::eye", "aten::eye.m"}) table.add(op, eye);
    for (const char* op : {"aten::linspace", "aten::linspace.Tensor_Tensor", "aten::linspace.Tensor_Scalar", "aten::linspace.Scalar_Tensor",
                           "aten::logspace", "aten::logspace.Tensor_Tensor", "aten::logspace.Tensor_Scalar", "aten::logspace.Scalar_Tensor"})
        table.add(op, linspace);
    for (const char* op : {"aten::randperm", "aten::randperm.generator"}) table.add(op, randperm);
}

}  // namespace aliascope
