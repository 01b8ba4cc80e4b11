// Fused attention: several results with layouts of their own (executor.md 2.3). B batch, H heads, S query length, D head size.

#include <algorithm>

#include "core/ops/table.h"

namespace aliascope {
namespace {

struct Shapes {
    const TensorType *q, *k, *v;
    SymInt batch, heads, queryLength, keyLength;
    std::vector<SymInt> out;
};

std::optional<Shapes> shapes(const InferContext& c, std::size_t first) {
    Shapes s{c.tensor(first), c.tensor(first + 1), c.tensor(first + 2), {}, {}, {}, {}, {}};
    if (!s.q || !s.k || !s.v || s.q->rank() != 4 || s.k->rank() != 4 || s.v->rank() != 4) return std::nullopt;
    s.batch = s.q->sizes[0];
    s.heads = s.q->sizes[1];
    s.queryLength = s.q->sizes[2];
    s.keyLength = s.k->sizes[2];
    s.out = {s.batch, s.heads, s.queryLength, s.v->sizes[3]};
    return s;
}

/// Dense in the order of dims of `t`, with other sizes.
TypePtr orderedLike(const TensorType& t, const std::vector<SymInt>& sizes) {
    TensorType shaped = t, out = contiguousLike(t, sizes);
    shaped.sizes = sizes;
    shaped.offset.reset();
    if (auto strides = elementwiseStrides(sizes, {t.sizes == sizes ? &t : &shaped})) out.strides = std::move(strides);
    return tensorType(std::move(out));
}

/// Memory order B, S, H, D.
TypePtr sequenceMajor(const TensorType& like, const std::vector<SymInt>& sizes) {
    TensorType out = contiguousLike(like, sizes);
    const SymInt row = sizes[1] * sizes[3];
    out.strides = {row * sizes[2], sizes[3], row, SymInt(1)};
    return tensorType(std::move(out));
}

TypePtr statistics(const TensorType& like, std::vector<SymInt> sizes) { return tensorType(contiguousLike(like, std::move(sizes), DType::F32)); }

TypePtr state(Name device, DType dtype = DType::I64, std::vector<SymInt> sizes = {}) {
    TensorType t;
    t.dtype = dtype;
    t.device = device;
    t.strides = TensorType::contiguousStrides(sizes);
    t.sizes = std::move(sizes);
    return tensorType(std::move(t));
}

Inferred cudnn(const InferContext& c) {
    auto s = shapes(c, 0);
    if (!s) return {};
    const bool lse = c.value(4).asBool().value_or(false);
    return inferred(std::vector<TypePtr>{orderedLike(*s->q, s->out),
                                         lse ? statistics(*s->q, {s->batch, s->heads, s->queryLength, SymInt(1)}) : nullptr, nullptr, nullptr,
                                         Type::sym(s->queryLength), Type::sym(s->keyLength), state(s->q->device), state(s->q->device), nullptr});
}

Inferred efficient(const InferContext& c) {
    auto s = shapes(c, 0);
    if (!s) return {};
    const bool lse = c.value(4).asBool().value_or(false);
    const SymInt padded = lse ? ceilDivide(s->queryLength, SymInt(32)) * 32 : SymInt(0);
    return inferred(std::vector<TypePtr>{sequenceMajor(*s->q, s->out), statistics(*s->q, {s->batch, s->heads, padded}), state(s->q->device),
                                         state(s->q->device)});
}

Inferred flash(const InferContext& c) {
    auto s = shapes(c, 0);
    if (!s) return {};
    TensorType mask = contiguousLike(*s->q, {SymInt(0)});
    return inferred(std::vector<TypePtr>{orderedLike(*s->q, s->out), statistics(*s->q, {s->batch, s->heads, s->queryLength}), nullptr, nullptr,
                                         Type::sym(s->queryLength), Type::sym(s->keyLength), state(s->q->device, DType::U64, {SymInt(2)}),
                                         state(s->q->device, DType::U64), tensorType(std::move(mask))});
}

Inferred flashForCpu(const InferContext& c) {
    auto s = shapes(c, 0);
    if (!s) return {};
    TensorType lse = contiguousLike(*s->q, {s->batch, s->heads, s->queryLength}, DType::F32);
    lse.strides = {s->queryLength * s->heads, SymInt(1), s->heads};
    return inferred(std::vector<TypePtr>{orderedLike(*s->q, s->out), tensorType(std::move(lse))});
}

/// Gradients of query, key and value, laid out like them.
Inferred backwardLike(const InferContext& c) {
    auto s = shapes(c, 1);
    if (!s) return {};
    return inferred(std::vector<TypePtr>{orderedLike(*s->q, s->q->sizes), orderedLike(*s->k, s->k->sizes), orderedLike(*s->v, s->v->sizes)});
}

/// _scaled_dot_product_efficient_attention_backward(grad_out, query, key, value, attn_bias, …, grad_input_mask): the bias gradient last.
Inferred efficientBackward(const InferContext& c) {
    auto s = shapes(c, 1);
    if (!s) return {};
    const Value& mask = c.value(10);
    auto wanted = [&](std::size_t i) { return i < mask.items().size() && mask.items()[i].asBool().value_or(false); };
    const TensorType* bias = c.tensor(4);
    return inferred(std::vector<TypePtr>{
        wanted(0) ? sequenceMajor(*s->q, s->q->sizes) : nullptr, wanted(1) ? sequenceMajor(*s->k, s->k->sizes) : nullptr,
        wanted(2) ? sequenceMajor(*s->v, s->v->sizes) : nullptr, wanted(3) && bias ? tensorType(contiguousLike(*bias, bias->sizes)) : nullptr});
}

/// scaled_dot_product_attention: which kernel runs is open; most follow the query's order of dims.
Inferred composite(const InferContext& c) {
    const TensorType *q = c.tensor(0), *v = c.tensor(2);
    if (!q || !v || q->rank() < 2 || v->rank() < 2) return {};
    std::vector<SymInt> sizes = q->sizes;
    sizes.back() = v->sizes.back();
    return {orderedLike(*q, sizes), Trust::Assumed};
}

}  // namespace

void registerAttention(InferTable& table) {
    table.add("aten::_scaled_dot_product_cudnn_attention", cudnn);
    table.add("aten::_scaled_dot_product_efficient_attention", efficient);
    table.add("aten::_scaled_dot_product_flash_attention", flash);
    table.add("aten::_scaled_dot_product_flash_attention_for_cpu", flashForCpu);
    for (const char* op : {"aten::_scaled_dot_product_cudnn_attention_backward", "aten::_scaled_dot_product_flash_attention_backward",
                           "aten::_scaled_dot_product_flash_attention_for_cpu_backward"})
        table.add(op, backwardLike);
    table.add("aten::_scaled_dot_product_efficient_attention_backward", efficientBackward);
    table.add("aten::scaled_dot_product_attention", composite);
}

}  // namespace aliascope
