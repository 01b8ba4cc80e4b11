// Losses and their derivatives. Those that are a function of each element make all elements in the workspace, in the type of sums, and add them up
// when a reduction is asked for.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

enum class Reduction : std::int64_t { None = 0, Mean = 1, Sum = 2 };

Reduction reductionOf(const OpCall& call) {
    const auto number = call.arg("reduction").integer().value_or(1);
    if (number < 0 || number > 2) failUnsupported("reduction " + std::to_string(number) + " is none of 0 (none), 1 (mean), 2 (sum)");
    return static_cast<Reduction>(number);
}

Shape lossShape(const OpCall& call) { return broadcastShapes(call.tensor(0).sizes, call.tensor(1).sizes); }

std::int64_t lossWorkspace(const OpCall& call) { return reductionOf(call) == Reduction::None ? 0 : byteCount(lossShape(call), sizeof(double)); }

/// out = F(operands), reduced as the call says.
template <class F, std::size_t N>
void reduceLoss(OpCall& call, const std::array<PointwiseOperand, N>& operands) {
    const Tensor& out = call.out();
    const Reduction how = reductionOf(call);
    if (how == Reduction::None) return pointwiseApply<F>(out, operands, out.dtype);
    dispatchFloatSums(call, out.dtype, [&](auto, auto a) {
        using A = typename decltype(a)::type;
        Tensor each = call.workspace;
        each.dtype = std::is_same_v<A, float> ? DType::F32 : DType::F64;
        each.sizes = lossShape(call);
        each.strides = contiguousStrides(each.sizes);
        pointwiseApply<F>(each, operands, each.dtype);
        const Lines<1> lines(each, allDims(each.rank()), {&out});
        A result = sumLine<A, A>(lines, 0, [](A x) { return x; });
        if (how == Reduction::Mean) result /= static_cast<A>(lines.length());
        storeBlock(out, 0, 0, 1, &result);
    });
}

/// Kernel of a loss whose operands are the arguments I...
template <class F, std::size_t... I>
void loss(OpCall& call) {
    reduceLoss<F>(call, std::array{pointwiseOperand(call, I)...});
}

// --- functions of a prediction and a target --------------------------------------------------------------------------------------------------

struct SquaredError {
    template <std::floating_point C>
    C operator()(C x, C y) const {
        return (x - y) * (x - y);
    }
};
struct SmoothL1 {
    template <std::floating_point C>
    C operator()(C x, C y, C beta) const {
        const C z = std::fabs(x - y);
        return z < beta ? C(0.5) * z * z / beta : z - C(0.5) * beta;
    }
};
struct Huber {
    template <std::floating_point C>
    C operator()(C x, C y, C delta) const {
        const C z = std::fabs(x - y);
        return z <= delta ? C(0.5) * z * z : delta * (z - C(0.5) * delta);
    }
};
struct SoftMargin {
    template <std::floating_point C>
    C operator()(C x, C y) const {
        return std::log1p(std::exp(-x * y));
    }
};
struct CrossEntropy {
    /// Logarithms stop at -100, as PyTorch's.
    template <std::floating_point C>
    C operator()(C x, C y, C weight) const {
        return ((y - 1) * std::fmax(std::log1p(-x), C(-100)) - y * std::fmax(std::log(x), C(-100))) * weight;
    }
};
struct CrossEntropyOfLogits {
    template <std::floating_point C>
    C operator()(C x, C y, C weight, C positive) const {
        const C logSigmoid = std::fmin(x, C(0)) - std::log1p(std::exp(-std::fabs(x)));
        return ((1 - y) * x - ((positive - 1) * y + 1) * logSigmoid) * weight;
    }
};

PointwiseOperand orOne(const OpCall& call, std::size_t i) {
    if (!call.args.at(i).isNone()) return pointwiseOperand(call, i);
    PointwiseOperand one;
    one.real = 1;
    return one;
}

void crossEntropy(OpCall& call) { reduceLoss<CrossEntropy>(call, std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), orOne(call, 2)}); }
void crossEntropyOfLogits(OpCall& call) {
    reduceLoss<CrossEntropyOfLogits>(call, std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), orOne(call, 2), orOne(call, 3)});
}

// --- derivatives -----------------------------------------------------------------------------------------------------------------------------

struct SquaredErrorBackward {
    template <std::floating_point C>
    C operator()(C g, C x, C y, C norm) const {
        return norm * 2 * (x - y) * g;
    }
};
struct SmoothL1Backward {
    template <std::floating_point C>
    C operator()(C g, C x, C y, C norm, C beta) const {
        const C d = x - y;
        return d <= -beta ? -norm * g : d >= beta ? norm * g : norm * d * g / beta;
    }
};
struct HuberBackward {
    template <std::floating_point C>
    C operator()(C g, C x, C y, C norm, C delta) const {
        const C d = x - y;
        return d <= -delta ? -norm * g * delta : d >= delta ? norm * g * delta : norm * d * g;
    }
};
struct SoftMarginBackward {
    template <std::floating_point C>
    C operator()(C g, C x, C y, C norm) const {
        const C z = std::exp(-x * y);
        return -norm * y * g * z / (z + 1);
    }
};
struct CrossEntropyBackward {
    template <std::floating_point C>
    C operator()(C g, C x, C y, C norm, C weight) const {
        return g * (x - y) / std::fmax((1 - x) * x, C(1e-12)) * weight * norm;
    }
};

/// 1 / number of elements where the loss was a mean.
PointwiseOperand normOf(const OpCall& call) {
    PointwiseOperand norm;
    norm.real = reductionOf(call) == Reduction::Mean ? 1.0 / static_cast<double>(call.tensor(1).numel()) : 1.0;
    return norm;
}

/// Kernel of a derivative (grad_output, self, target, ...); further operands are the arguments I...
template <class F, std::size_t... I>
void lossBackward(OpCall& call) {
    pointwiseApply<F>(
        call.out(),
        std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2), normOf(call), pointwiseOperand(call, I)...},
        call.tensor(1).dtype);
}

void crossEntropyBackward(OpCall& call) {
    pointwiseApply<CrossEntropyBackward>(
        call.out(), std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2), normOf(call), orOne(call, 3)},
        call.tensor(1).dtype);
}

// --- negative log likelihood -------------------------------------------------------------------------------------------------------------------

/// [N, C], [C], [N, C, H, W]: one target for each place, a class dimension in front of the places within a sample.
struct ClassPlaces {
    Tensor classes;              ///< the scores without the class dimension
    std::int64_t count, stride;  ///< of the class dimension

    explicit ClassPlaces(const Tensor& scores) : classes(scores) {
        if (scores.rank() == 0) failShape("self", shapeText(scores.sizes), "a dimension of classes");
        const std::size_t d = scores.rank() == 1 ? 0 : 1;
        count = scores.sizes[d];
        stride = scores.strides[d];
        classes.sizes = without(scores.sizes, static_cast<std::int64_t>(d));
        classes.strides = without(scores.strides, static_cast<std::int64_t>(d));
    }
};

/// Class of a place; -1 where it is ignored.
std::int64_t classAt(const Tensor& target, std::int64_t offset, std::int64_t classes, std::int64_t ignored) {
    const std::int64_t c = readInteger(target, offset);
    if (c == ignored) return -1;
    if (c < 0 || c >= classes)
        failExec("INDEX_OUT_OF_RANGE",
                 {{"value", std::to_string(c)}, {"pos", std::to_string(offset)}, {"arg", "target"}, {"limit", std::to_string(classes)}});
    return c;
}

/// Weight of a class: of a tensor of `classes` weights, or 1.
class Weights {
public:
    Weights(const Tensor* weight, std::int64_t classes) : weight_(weight) {
        if (weight) requireSizes("weight", *weight, {classes});
    }
    double of(std::int64_t c) const { return weight_ ? readDouble(*weight_, c * weight_->strides[0]) : 1.0; }

private:
    const Tensor* weight_;
};

/// nll_loss_forward(self, target, weight, reduction, ignore_index): loss and the sum of the weights that took part.
void nllForward(OpCall& call) {
    const Tensor &self = call.tensor(0), &target = call.tensor(1), &out = call.out(0), &total = call.out(1);
    const ClassPlaces places(self);
    const Weights weight(call.optionalTensor(2), places.count);
    const std::int64_t ignored = call.integer(4);
    const Reduction how = reductionOf(call);
    const bool each = how == Reduction::None && self.rank() > 1;
    PairwiseTree<double, Plus> losses, weights;
    StridedLoop<3>(places.classes.sizes, {&places.classes, &target, each ? &out : &target}, LoopOrder::Logical).forEach([&](const auto& at) {
        const std::int64_t c = classAt(target, at[1], places.count, ignored);
        const double w = c < 0 ? 0 : weight.of(c), loss = c < 0 ? 0 : -w * readDouble(self, at[0] + c * places.stride);
        if (each) writeDouble(out, at[2], loss);
        losses.add(loss);
        weights.add(w);
    });
    const double sum = losses.result(0), weightSum = weights.result(0);
    writeDouble(total, 0, each ? 0 : weightSum);
    if (!each) writeDouble(out, 0, how == Reduction::Mean ? sum / weightSum : sum);
}

/// nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight).
void nllBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &target = call.tensor(2), &out = call.out();
    requireSizes("result", out, call.tensor(1).sizes);
    const ClassPlaces places(out);
    const Weights weight(call.optionalTensor(3), places.count);
    const std::int64_t ignored = call.integer(5);
    const Tensor& total = call.tensor(6);
    if (total.numel() != 1) failShape("total_weight", shapeText(total.sizes), "[]");
    const double scale = reductionOf(call) == Reduction::Mean ? 1 / readDouble(total) : 1;
    fillScalar(out, 0.0);
    StridedLoop<3>(places.classes.sizes, {&places.classes, &target, &grad}, LoopOrder::Logical).forEach([&](const auto& at) {
        const std::int64_t c = classAt(target, at[1], places.count, ignored);
        if (c >= 0) writeDouble(out, at[0] + c * places.stride, -weight.of(c) * readDouble(grad, at[2]) * scale);
    });
}

/// Output: a number, or one for each target; the total is a number.
std::vector<TensorType> nllTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const ClassPlaces places(self);
    TensorType number;
    number.dtype = self.dtype;
    number.device = self.device;
    number.strides.emplace();
    TensorType loss = number;
    if (reductionOf(call) == Reduction::None && self.rank() > 1) {
        loss.sizes.assign(places.classes.sizes.begin(), places.classes.sizes.end());
        loss.strides = TensorType::contiguousStrides(loss.sizes);
    }
    return {loss, number};
}

}  // namespace

void registerLosses(KernelTable& t) {
    constexpr auto reduction = ToleranceClass::Reduction, rounded = ToleranceClass::Rounded, transcendental = ToleranceClass::Transcendental;
    auto addLoss = [&](const char* op, KernelFn run) { t.add(op, run, reduction).workspace = lossWorkspace; };
    addLoss("aten::mse_loss", loss<SquaredError, 0, 1>);
    addLoss("aten::smooth_l1_loss", loss<SmoothL1, 0, 1, 3>);
    addLoss("aten::huber_loss", loss<Huber, 0, 1, 3>);
    addLoss("aten::soft_margin_loss", loss<SoftMargin, 0, 1>);
    addLoss("aten::binary_cross_entropy", crossEntropy);
    addLoss("aten::binary_cross_entropy_with_logits", crossEntropyOfLogits);
    t.add("aten::mse_loss_backward", lossBackward<SquaredErrorBackward>, rounded);
    t.add("aten::smooth_l1_loss_backward", lossBackward<SmoothL1Backward, 4>, rounded);
    t.add("aten::huber_loss_backward", lossBackward<HuberBackward, 4>, rounded);
    t.add("aten::soft_margin_loss_backward", lossBackward<SoftMarginBackward>, transcendental);
    t.add("aten::binary_cross_entropy_backward", crossEntropyBackward, rounded);
    for (const char* op : {"aten::nll_loss_forward", "aten::nll_loss2d_forward"}) t.add(op, nllForward, reduction).resultTypes = nllTypes;
    for (const char* op : {"aten::nll_loss_backward", "aten::nll_loss2d_backward"}) t.add(op, nllBackward, rounded);
}

}  // namespace aliascope::exec
