// Optimiser steps over lists of tensors. The other operators on lists run as their single counterparts.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

/// Parameters of a step of Adam, as _fused_adam's schema orders them.
struct AdamStep {
    double lr, beta1, beta2, weightDecay, eps;
    bool amsgrad, maximize;
    bool decoupled;  ///< AdamW's weight decay
    double gradScale = 1;
    bool skip = false;  ///< infinite gradients were found
};

double numberAt(const OpCall& call, std::string_view param) {
    const RuntimeValue& v = call.arg(param);
    if (const Tensor* t = v.tensor()) {
        if (t->numel() != 1) failShape(param, shapeText(t->sizes), "[]");
        return readDouble(*t);
    }
    if (auto number = v.number()) return *number;
    failUnsupported(std::string(param) + " is no number");
}

AdamStep stepOf(const OpCall& call) {
    AdamStep s{numberAt(call, "lr"),
               numberAt(call, "beta1"),
               numberAt(call, "beta2"),
               numberAt(call, "weight_decay"),
               numberAt(call, "eps"),
               call.arg("amsgrad").boolean().value_or(false),
               call.arg("maximize").boolean().value_or(false),
               call.name.view().starts_with("aten::_fused_adamw")};
    if (!call.arg("grad_scale").isNone()) s.gradScale = numberAt(call, "grad_scale");
    if (!call.arg("found_inf").isNone()) s.skip = numberAt(call, "found_inf") == 1;
    return s;
}

/// Tensors of one parameter: itself, gradient, the two averages, the largest second average (amsgrad).
using AdamTensors = std::array<const Tensor*, 5>;

/// In f64, as PyTorch's kernel computes with coefficients that are doubles; each tensor is rounded when it is written.
void updateParameter(const AdamStep& s, const AdamTensors& t, double step) {
    const Tensor *parameter = t[0], *gradient = t[1], *average = t[2], *square = t[3], *largest = t[4];
    const double stepSize = s.lr / (1 - std::pow(s.beta1, step)), rootCorrection = std::sqrt(1 - std::pow(s.beta2, step));
    StridedLoop<5>(parameter->sizes, {parameter, gradient, average, square, s.amsgrad ? largest : square}).forEach([&](const auto& at) {
        auto read = [&](std::size_t k) { return readDouble(*t[k], at[k]); };
        double p = read(0), g = read(1);
        if (s.gradScale != 1) {
            g /= s.gradScale;
            writeDouble(*gradient, at[1], g);
        }
        if (s.maximize) g = -g;
        if (s.decoupled)
            p -= s.lr * s.weightDecay * p;
        else
            g += p * s.weightDecay;
        const double m = s.beta1 * read(2) + (1 - s.beta1) * g, v = s.beta2 * read(3) + (1 - s.beta2) * g * g;
        double scale = v;
        if (s.amsgrad) {
            scale = std::max(read(4), v);
            writeDouble(*largest, at[4], scale);
        }
        writeDouble(*average, at[2], m);
        writeDouble(*square, at[3], v);
        writeDouble(*parameter, at[0], p - stepSize * m / (std::sqrt(scale) / rootCorrection + s.eps));
    });
}

/// Updates lists[0..4] (parameters, gradients, averages, squares, largest squares) in place.
void updateAll(const OpCall& call, const std::array<std::vector<Tensor>, 5>& lists) {
    const AdamStep s = stepOf(call);
    const std::vector<Tensor> steps = call.tensors(5);
    const std::size_t n = lists[0].size();
    for (std::size_t k = 1; k < 5; ++k)
        if (lists[k].size() != n && (k < 4 || s.amsgrad))
            failShape("list " + std::to_string(k), std::to_string(lists[k].size()) + " tensors", std::to_string(n));
    if (steps.size() != n) failShape("state_steps", std::to_string(steps.size()) + " tensors", std::to_string(n));
    if (s.skip) return;
    for (std::size_t i = 0; i < n; ++i) {
        const AdamTensors t{&lists[0][i], &lists[1][i], &lists[2][i], &lists[3][i], s.amsgrad ? &lists[4][i] : nullptr};
        for (std::size_t k = 1; k < (s.amsgrad ? 5U : 4U); ++k) requireSizes("list " + std::to_string(k), *t[k], t[0]->sizes);
        if (steps[i].numel() != 1) failShape("state_steps", shapeText(steps[i].sizes), "[]");
        updateParameter(s, t, readDouble(steps[i]));
    }
}

void adamInPlace(OpCall& call) { updateAll(call, {call.tensors(0), call.tensors(1), call.tensors(2), call.tensors(3), call.tensors(4)}); }

/// The functional form: copies of the five lists, updated.
void adam(OpCall& call) {
    std::array<std::vector<Tensor>, 5> lists;
    std::size_t next = 0;
    for (std::size_t k = 0; k < 5; ++k)
        for (const Tensor& from : call.tensors(k)) {
            copyElements(call.out(next), from);
            lists[k].push_back(call.out(next++));
        }
    updateAll(call, lists);
}

}  // namespace

void registerForeach(KernelTable& t) {
    for (const char* name : {"aten::_fused_adam", "aten::_fused_adamw"})
        for (const char* overload : {"", ".tensor_lr"}) {
            t.add(std::string(name) + "_" + overload, adamInPlace, ToleranceClass::Reduction);
            t.add(std::string(name) + overload, adam, ToleranceClass::Reduction);
        }
}

}  // namespace aliascope::exec
