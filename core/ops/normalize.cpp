// Softmax, normalisation, dropout.

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

/// Statistics of 16-bit inputs are kept in f32.
DType statisticsFor(DType d) { return d == DType::F16 || d == DType::BF16 ? DType::F32 : d; }

/// The same by device: the CPU keeps them in the parameters' type.
DType statisticsFor(const TensorType& input, const TensorType* weight) {
    if (input.device == "cpu") return weight ? weight->dtype : input.dtype;
    return statisticsFor(input.dtype);
}

TensorType ordered(const TensorType& t) {
    TensorType out = t;
    out.offset.reset();
    out.strides = preservedStrides(t);
    return out;
}

bool wanted(const Value& mask, std::size_t i) { return i < mask.items().size() && mask.items()[i].asBool().value_or(false); }

/// _softmax(self, dim, half_to_float).
Inferred softmax(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    return inferred(contiguousLike(*t, t->sizes, c.value(2).asBool().value_or(false) ? DType::F32 : t->dtype));
}

/// softmax.int(self, dim, dtype).
Inferred softmaxTo(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(contiguousLike(*t, t->sizes, dtypeArgument(c.value(2)).value_or(floatingFor(t->dtype)))) : Inferred{};
}

/// layer_norm, rms_norm, group_norm: the first argument's shape, row-major.
Inferred normalised(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

/// batch_norm: the first argument's shape and layout.
Inferred inputOrder(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(ordered(*t)) : Inferred{};
}

/// _softmax_backward_data(grad_output, output, dim, input_dtype).
Inferred softmaxBackward(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(contiguousLike(*t, t->sizes, dtypeArgument(c.value(3)).value_or(t->dtype))) : Inferred{};
}

std::optional<std::vector<SymInt>> statisticsSizes(const TensorType& t, const Value& normalizedShape) {
    const std::size_t inner = normalizedShape.isSequence() ? normalizedShape.items().size() : 1;
    if (inner > t.rank()) return std::nullopt;
    std::vector<SymInt> sizes = t.sizes;
    std::fill(sizes.end() - static_cast<std::ptrdiff_t>(inner), sizes.end(), SymInt(1));
    return sizes;
}

/// (output, mean, rstd).
Inferred layerNorm(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = t ? statisticsSizes(*t, c.value(1)) : std::nullopt;
    if (!sizes) return {};
    TypePtr statistics = tensorType(contiguousLike(*t, std::move(*sizes), statisticsFor(*t, c.tensor(2))));
    return inferred(std::vector<TypePtr>{tensorType(contiguousLike(*t, t->sizes)), statistics, statistics});
}

/// (output, rstd).
Inferred rmsNorm(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto sizes = t ? statisticsSizes(*t, c.value(1)) : std::nullopt;
    if (!sizes) return {};
    return inferred(
        std::vector<TypePtr>{tensorType(contiguousLike(*t, t->sizes)), tensorType(contiguousLike(*t, std::move(*sizes), statisticsFor(t->dtype)))});
}

/// native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask): None where the mask says no.
Inferred layerNormBackward(const InferContext& c) {
    const TensorType *input = c.tensor(1), *weight = c.tensor(5), *bias = c.tensor(6);
    if (!input) return {};
    const Value& mask = c.value(7);
    auto gradient = [](const TensorType* t) { return t ? tensorType(contiguousLike(*t, t->sizes)) : nullptr; };
    return inferred(std::vector<TypePtr>{wanted(mask, 0) ? gradient(input) : nullptr, wanted(mask, 1) ? gradient(weight) : nullptr,
                                         wanted(mask, 2) ? gradient(bias) : nullptr});
}

/// native_group_norm_backward, native_batch_norm_backward (grad_out, input, …, output_mask): gradients of input, weight and bias by channel.
Inferred normBackward(const InferContext& c) {
    static const Name outputMask = "output_mask"_n;
    const TensorType *grad = c.tensor(0), *input = c.tensor(1);
    if (!grad || !input || input->rank() < 2) return {};
    const Value& mask = named(c, outputMask);
    const TensorType* weight = c.tensor(c.call.op && c.call.op->canonical == "aten::native_group_norm_backward" ? 4 : 2);
    const DType dtype = weight ? weight->dtype : statisticsFor(input->dtype);
    auto channels = [&] { return tensorType(contiguousLike(*input, {input->sizes[1]}, dtype)); };
    return inferred(std::vector<TypePtr>{wanted(mask, 0) ? tensorType(ordered(*input)) : nullptr, wanted(mask, 1) ? channels() : nullptr,
                                         wanted(mask, 2) ? channels() : nullptr});
}

/// native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> (output, mean, rstd).
Inferred groupNorm(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto n = c.symInt(c.value(3)), groups = c.symInt(c.value(6));
    if (!t || !n || !groups) return {};
    TypePtr statistics = tensorType(contiguousLike(*t, {*n, *groups}));
    return inferred(std::vector<TypePtr>{tensorType(ordered(*t)), statistics, statistics});
}

/// Output, saved mean and saved inverse deviation; `Training` is the parameter that says whether it trains, -1 = it does, -2 = it does not. Outside
/// training the CPU saves nothing, in two empty tensors, and other devices save the running statistics.
template <int Training>
std::vector<TypePtr> batchNormParts(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t || t->rank() < 2) return {};
    const bool training = Training < 0 ? Training == -1 : c.value(static_cast<std::size_t>(Training)).asBool().value_or(false);
    const bool cpu = t->device == "cpu";
    const SymInt saved = cpu && !training ? SymInt(0) : t->sizes[1];
    TypePtr statistics = tensorType(contiguousLike(*t, {saved}, statisticsFor(*t, c.tensor(1))));
    return {tensorType(ordered(*t)), statistics, statistics};
}

template <int Training>
Inferred batchNorm(const InferContext& c) {
    auto parts = batchNormParts<Training>(c);
    return parts.empty() ? Inferred{} : inferred(std::move(parts));
}

/// …, running_mean and running_var after the call.
bool addRunning(const InferContext& c, std::vector<TypePtr>& parts) {
    for (std::size_t i : {std::size_t(3), std::size_t(4)}) {
        const TensorType* t = c.tensor(i);
        if (!t) return false;
        parts.push_back(tensorType(contiguousLike(*t, t->sizes)));
    }
    return true;
}

Inferred batchNormFunctional(const InferContext& c) {
    auto parts = batchNormParts<5>(c);
    return !parts.empty() && addRunning(c, parts) ? inferred(std::move(parts)) : Inferred{};
}

/// Always training; a reserve that only cuDNN fills.
template <bool Functional>
Inferred batchNormWithUpdate(const InferContext& c) {
    auto parts = batchNormParts<-1>(c);
    if (parts.empty()) return {};
    parts.push_back(tensorType(contiguousLike(*c.tensor(0), {SymInt(0)}, DType::U8)));
    if (Functional && !addRunning(c, parts)) return {};
    return inferred(std::move(parts));
}

/// cudnn_batch_norm: the size of the reserve is cuDNN's affair.
Inferred cudnnBatchNorm(const InferContext& c) {
    auto parts = batchNormParts<5>(c);
    if (parts.empty()) return {};
    parts.emplace_back();
    return inferred(std::move(parts));
}

/// (output, mask).
Inferred dropout(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = ordered(*t), mask = out;
    setDType(mask, DType::B8);
    return inferred(std::vector<TypePtr>{tensorType(std::move(out)), tensorType(std::move(mask))});
}

/// native_dropout_backward(grad_output, mask, scale): a product with a float.
Inferred dropoutBackward(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = ordered(*t);
    setDType(out, floatingFor(t->dtype));
    return inferred(std::move(out));
}

/// cross_entropy_loss and nll_loss (self, target, weight, reduction, …): one number unless reduction is 0.
Inferred classLoss(const InferContext& c) {
    const TensorType *t = c.tensor(0), *target = c.tensor(1);
    if (!t || !target) return {};
    if (c.value(3).asInt().value_or(1) != 0) return inferred(contiguousLike(*t, {}));
    std::vector<SymInt> sizes = t->sizes;  // the classes are dim 1, or dim 0 of a single sample
    if (sizes.empty()) return {};
    sizes.erase(sizes.begin() + (sizes.size() > 1 ? 1 : 0));
    return inferred(contiguousLike(*t, std::move(sizes)));
}

/// nll_loss_forward(self, target, weight, reduction, ignore_index) -> (loss, total weight); reduction 0 = none.
Inferred nllLoss(const InferContext& c) {
    const TensorType *t = c.tensor(0), *target = c.tensor(1);
    if (!t || !target) return {};
    const bool reduced = c.value(3).asInt().value_or(1) != 0;
    return inferred(
        std::vector<TypePtr>{tensorType(contiguousLike(*t, reduced ? std::vector<SymInt>{} : target->sizes)), tensorType(contiguousLike(*t, {}))});
}

Inferred nllLossBackward(const InferContext& c) {
    const TensorType* t = c.tensor(1);
    return t ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

}  // namespace

void registerNormalize(InferTable& table) {
    for (const char* op : {"aten::_softmax", "aten::_log_softmax"}) table.add(op, softmax);
    for (const char* op : {"aten::_softmax_backward_data", "aten::_log_softmax_backward_data"}) table.add(op, softmaxBackward);
    table.add("aten::native_layer_norm", layerNorm);
    table.add("aten::native_layer_norm_backward", layerNormBackward);
    table.add("aten::_fused_rms_norm", rmsNorm);
    table.add("aten::native_group_norm", groupNorm);
    for (const char* op : {"aten::native_batch_norm", "aten::_native_batch_norm_legit"}) table.add(op, batchNorm<5>);
    table.add("aten::_native_batch_norm_legit.no_stats", batchNorm<3>);
    table.add("aten::_native_batch_norm_legit_no_training", batchNorm<-2>);
    table.add("aten::_native_batch_norm_legit_functional", batchNormFunctional);
    table.add("aten::_batch_norm_with_update", batchNormWithUpdate<false>);
    table.add("aten::_batch_norm_with_update_functional", batchNormWithUpdate<true>);
    table.add("aten::cudnn_batch_norm", cudnnBatchNorm);
    table.add("aten::native_dropout", dropout);
    table.add("aten::native_dropout_backward", dropoutBackward);
    table.add("aten::renorm", inputOrder);
    for (const char* op : {"aten::native_group_norm_backward", "aten::native_batch_norm_backward", "aten::batch_norm_backward"})
        table.add(op, normBackward);
    for (const char* op : {"aten::softmax.int", "aten::log_softmax.int", "aten::_safe_softmax"}) table.add(op, softmaxTo);
    for (const char* op : {"aten::layer_norm", "aten::rms_norm", "aten::group_norm"}) table.add(op, normalised);
    table.add("aten::batch_norm", inputOrder);
    for (const char* op : {"aten::cross_entropy_loss", "aten::nll_loss"}) table.add(op, classLoss);
    for (const char* op : {"aten::nll_loss_forward", "aten::nll_loss2d_forward"}) table.add(op, nllLoss);
    for (const char* op : {"aten::nll_loss_backward", "aten::nll_loss2d_backward"}) table.add(op, nllLossBackward);
}

}  // namespace aliascope
