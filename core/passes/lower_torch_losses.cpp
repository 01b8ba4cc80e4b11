// Losses: the word for the reduction becomes ATen's number.

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

/// `none`, `mean`, `sum`; the two older flags decide where they are given.
std::optional<Value> reduction(const PyArgs& a) {
    const auto average = a["size_average"].asBool(), reduce = a["reduce"].asBool();
    if (average || reduce) return Value::integer(!reduce.value_or(true) ? 0 : average.value_or(true) ? 1 : 2);
    const Value& word = a["reduction"];
    if (word.kind() != Value::Kind::String) return std::nullopt;
    if (word.name() == "none") return Value::integer(0);
    if (word.name() == "mean") return Value::integer(1);
    if (word.name() == "sum") return Value::integer(2);
    return std::nullopt;
}

/// Losses of two tensors; what else their signature has follows behind the reduction.
Lowered elementwiseLoss(Lowering& l, const PyArgs& a) {
    const auto r = reduction(a);
    if (!r) return std::nullopt;
    const std::string_view name = a.callee();
    const std::string op = "aten::" + std::string(name);
    std::vector<Value> args{a["input"], a["target"]};
    if (name == "binary_cross_entropy" || name == "binary_cross_entropy_with_logits") args.push_back(a["weight"]);
    if (name == "binary_cross_entropy_with_logits") args.push_back(a["pos_weight"]);
    args.push_back(*r);
    if (name == "smooth_l1_loss") args.push_back(a["beta"]);
    if (name == "huber_loss") args.push_back(a["delta"]);
    if (name == "l1_loss") {
        const Lowered difference = l.emit("aten::sub.Tensor", {a["input"], a["target"]});
        const Lowered absolute = difference ? l.emit("aten::abs", {*difference}) : std::nullopt;
        if (!absolute || r->asInt() == std::optional<std::int64_t>(0)) return absolute;
        return l.emit(r->asInt() == std::optional<std::int64_t>(1) ? "aten::mean" : "aten::sum", {*absolute});
    }
    return l.emit(op, std::move(args));
}

/// Negative log likelihood of class indices; `scores` are log probabilities.
Lowered likelihood(Lowering& l, const Value& scores, const PyArgs& a, const Value& r) {
    const auto rank = l.rank(scores);
    if (rank == 1 || rank == 2) return l.item(l.emit("aten::nll_loss_forward", {scores, a["target"], a["weight"], r, a["ignore_index"]}), 0);
    if (rank == 4) return l.item(l.emit("aten::nll_loss2d_forward", {scores, a["target"], a["weight"], r, a["ignore_index"]}), 0);
    return l.emit("aten::nll_loss_nd", {scores, a["target"], a["weight"], r, a["ignore_index"]});
}

Lowered nllLoss(Lowering& l, const PyArgs& a) {
    const auto r = reduction(a);
    return r ? likelihood(l, a["input"], a, *r) : std::nullopt;
}

Lowered crossEntropy(Lowering& l, const PyArgs& a) {
    const auto r = reduction(a);
    if (!r) return std::nullopt;
    const TensorType* target = l.tensor(a["target"]);
    const bool classes = target && target->dtype != DType::Unknown && info(target->dtype).integral;
    const auto smoothing = a["label_smoothing"].asNumber();
    const auto rank = l.rank(a["input"]);
    if (!classes || !rank || smoothing != 0.0)
        return l.emit("aten::cross_entropy_loss", {a["input"], a["target"], a["weight"], *r, a["ignore_index"], a["label_smoothing"]});
    const Lowered scores = softmax(l, "_log_softmax", a["input"], Value::integer(*rank == 1 ? 0 : 1), {});
    return scores ? likelihood(l, *scores, a, *r) : std::nullopt;
}

}  // namespace

const Rules& lossRules() {
    static const Rules rules = {
        {"mse_loss", "input target size_average=None reduce=None reduction=mean", elementwiseLoss},
        {"l1_loss", "input target size_average=None reduce=None reduction=mean", elementwiseLoss},
        {"smooth_l1_loss", "input target size_average=None reduce=None reduction=mean beta=1.0", elementwiseLoss},
        {"huber_loss", "input target reduction=mean delta=1.0", elementwiseLoss},
        {"binary_cross_entropy", "input target weight=None size_average=None reduce=None reduction=mean", elementwiseLoss},
        {"binary_cross_entropy_with_logits", "input target weight=None size_average=None reduce=None reduction=mean pos_weight=None",
         elementwiseLoss},
        {"nll_loss", "input target weight=None size_average=None ignore_index=-100 reduce=None reduction=mean", nllLoss},
        {"cross_entropy", "input target weight=None size_average=None ignore_index=-100 reduce=None reduction=mean label_smoothing=0.0",
         crossEntropy},
    };
    return rules;
}

}  // namespace aliascope::torch_lowering
