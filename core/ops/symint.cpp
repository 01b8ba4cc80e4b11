// Sizes and strides as numbers of the graph. Offsets are in infer.cpp: they follow from the whole chain of views.

#include "core/ops/table.h"

namespace aliascope {
namespace {

Inferred number(const SymInt& value) { return {Type::sym(value), Trust::Inferred}; }

Inferred size(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto d = t ? wrapDim(c.value(1), t->rank()) : std::nullopt;
    return d && *d < t->rank() ? number(t->sizes[*d]) : Inferred{};
}

Inferred stride(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto d = t && t->strides ? wrapDim(c.value(1), t->rank()) : std::nullopt;
    return d && *d < t->rank() ? number((*t->strides)[*d]) : Inferred{};
}

Inferred count(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? number(t->numel()) : Inferred{};
}

}  // namespace

void registerSymInt(InferTable& table) {
    for (const char* op : {"aten::sym_size.int", "aten::size.int"}) table.add(op, size);
    for (const char* op : {"aten::sym_stride.int", "aten::stride.int"}) table.add(op, stride);
    for (const char* op : {"aten::sym_numel", "aten::numel"}) table.add(op, count);
}

}  // namespace aliascope
