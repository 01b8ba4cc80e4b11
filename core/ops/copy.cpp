// Copies and conversions: the operand's layout unless a format is asked for.

#include "core/ops/table.h"

namespace aliascope {
namespace {

/// Layout of `t` in `format`; contiguous and Assumed when the strides of `t` are unknown.
Inferred copyIn(const TensorType& t, TensorType out, MemoryFormat format) {
    out.offset.reset();
    out.strides = format == MemoryFormat::Preserve ? preservedStrides(t) : stridesOf(t.sizes, format);
    if (out.strides) return inferred(std::move(out));
    out.strides = TensorType::contiguousStrides(out.sizes);
    return {Type::tensor(std::move(out)), Trust::Assumed};
}

MemoryFormat formatOf(const InferContext& c) {
    static const Name memoryFormat = "memory_format"_n;
    const Value* v = c.call.find(memoryFormat);
    return v ? memoryFormatArgument(*v, MemoryFormat::Preserve) : MemoryFormat::Preserve;
}

/// clone, _to_copy, convert_element_type, device_put: what is not stated stays.
Inferred convert(const InferContext& c) {
    static const Name dtypeName = "dtype"_n, deviceName = "device"_n;
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = *t;
    if (const Value* v = c.call.find(dtypeName); v && !v->isNone()) {
        out.dtype = dtypeArgument(*v).value_or(DType::Unknown);
        out.dtypeName = out.dtype == DType::Unknown ? v->name() : Name();
    }
    if (const Value* v = c.call.find(deviceName)) out.device = deviceArgument(*v).value_or(out.device);
    return copyIn(*t, std::move(out), formatOf(c));
}

/// copy(self, src): a new tensor in self's layout and dtype.
Inferred copy(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? copyIn(*t, *t, MemoryFormat::Preserve) : Inferred{};
}

/// prims::copy_strided(a, stride).
Inferred copyStrided(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto strides = c.symInts(c.value(1));
    if (!t || !strides || strides->size() != t->rank()) return {};
    TensorType out = *t;
    out.offset.reset();
    out.strides = std::move(*strides);
    return inferred(std::move(out));
}

/// prims::reshape(a, shape): always a copy.
Inferred reshapeCopy(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = c.symInts(c.value(1));
    return t && sizes ? inferred(contiguousLike(*t, std::move(*sizes))) : Inferred{};
}

}  // namespace

void registerCopy(InferTable& table) {
    for (const char* op :
         {"aten::clone", "aten::_to_copy", "aten::lift_fresh_copy", "prims::convert_element_type", "prims::device_put", "prims::clone"})
        table.add(op, convert);
    for (const char* op : {"aten::copy", "aten::flip", "prims::rev"}) table.add(op, copy);
    table.add("prims::copy_strided", copyStrided);
    table.add("prims::reshape", reshapeCopy);
}

}  // namespace aliascope
