// Batch norms and their gradient: per channel (dimension 1) over everything else.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/normalize_statistics.h"

namespace aliascope::exec {
namespace {

/// Sizes as batch, channels, elements of a plane.
struct Channels {
    std::int64_t batch, channels, plane;
    explicit Channels(const Tensor& t) {
        if (t.rank() < 2) failShape("input", shapeText(t.sizes), "2 or more dimensions");
        batch = t.sizes[0];
        channels = t.sizes[1];
        plane = 1;
        for (std::size_t d = 2; d < t.rank(); ++d) plane *= t.sizes[d];
    }
    std::int64_t at(std::int64_t n, std::int64_t c) const { return (n * channels + c) * plane; }
};

const Tensor* checked(const Tensor* t, const Channels& s, std::string_view argument) {
    if (t && t->numel() != s.channels) failShape(argument, shapeText(t->sizes), std::to_string(s.channels) + " elements");
    return t;
}

std::vector<double> numbers(const Tensor* t, const Channels& s, double otherwise) {
    std::vector<double> out(static_cast<std::size_t>(s.channels), otherwise);
    if (t) {
        const Dense<double> values(*t);
        std::copy_n(values.data(), s.channels, out.begin());
    }
    return out;
}

/// What a call of the family says.
struct BatchNorm {
    const Tensor* input = nullptr;
    const Tensor *weight = nullptr, *bias = nullptr, *runningMean = nullptr, *runningVar = nullptr;
    bool training = false;
    double momentum = 0, eps = 0;
    const Tensor *newMean = nullptr, *newVar = nullptr;  ///< where running statistics go after the call; null = nowhere
};

template <class C>
void run(const BatchNorm& b, const Tensor& out, const Tensor& savedMean, const Tensor& savedInverse) {
    const Channels s(*b.input);
    const std::vector<double> weight = numbers(checked(b.weight, s, "weight"), s, 1), bias = numbers(checked(b.bias, s, "bias"), s, 0);
    std::vector<double> mean = numbers(checked(b.runningMean, s, "running_mean"), s, 0), var = numbers(checked(b.runningVar, s, "running_var"), s, 1);
    std::vector<double> newMean = mean, newVar = var, inverse(mean.size());
    const Dense<C> x(*b.input);
    DenseResult<C> y(out);
    for (std::int64_t c = 0; c < s.channels; ++c) {
        const auto k = static_cast<std::size_t>(c);
        if (b.training) {
            const Moments m = momentsOf(x.data() + s.at(0, c), s.plane, s.batch, s.channels * s.plane);
            mean[k] = m.mean;
            var[k] = m.variance(0);
            newMean[k] = b.momentum * m.mean + (1 - b.momentum) * newMean[k];
            newVar[k] = b.momentum * m.variance(1) + (1 - b.momentum) * newVar[k];
        }
        inverse[k] = 1 / std::sqrt(var[k] + b.eps);
        for (std::int64_t n = 0; n < s.batch; ++n)
            for (std::int64_t i = s.at(n, c); i < s.at(n, c) + s.plane; ++i)
                y[i] = static_cast<C>((static_cast<double>(x[i]) - mean[k]) * inverse[k] * weight[k] + bias[k]);
    }
    y.store();
    if (savedMean.storage && savedMean.numel() == s.channels) storeSums<C>(savedMean, mean);
    if (savedInverse.storage && savedInverse.numel() == s.channels) storeSums<C>(savedInverse, inverse);
    if (b.newMean) storeSums<double>(*b.newMean, newMean);
    if (b.newVar) storeSums<double>(*b.newVar, newVar);
}

void run(OpCall& call, const BatchNorm& b) {
    dispatchSums(call, b.input->dtype, [&](auto tag) { run<typename decltype(tag)::type>(b, call.out(), call.out(1), call.out(2)); });
}

/// native_batch_norm and _native_batch_norm_legit(input, weight, bias, running_mean, running_var, training, momentum, eps): running statistics are
/// written in place by the first, given back by the functional form.
void batchNorm(OpCall& call) {
    BatchNorm b{&call.tensor(0),        call.optionalTensor(1), call.optionalTensor(2), call.optionalTensor(3),
                call.optionalTensor(4), call.flag(5),           call.number(6),         call.number(7)};
    if (b.training) b.newMean = b.runningMean, b.newVar = b.runningVar;
    if (call.outputs.size() == 5) b.newMean = &call.out(3), b.newVar = &call.out(4);
    run(call, b);
}

void batchNormNoStats(OpCall& call) {
    run(call, {&call.tensor(0), call.optionalTensor(1), call.optionalTensor(2), nullptr, nullptr, true, call.number(4), call.number(5)});
}

void batchNormNoTraining(OpCall& call) {
    run(call,
        {&call.tensor(0), call.optionalTensor(1), call.optionalTensor(2), &call.tensor(3), &call.tensor(4), false, call.number(5), call.number(6)});
}

/// _batch_norm_with_update_functional(input, weight, bias, running_mean, running_var, momentum, eps): always training; the reserve is empty.
void batchNormWithUpdate(OpCall& call) {
    BatchNorm b{&call.tensor(0), call.optionalTensor(1), call.optionalTensor(2), &call.tensor(3), &call.tensor(4), true,
                call.number(5),  call.number(6)};
    b.newMean = &call.out(4);
    b.newVar = &call.out(5);
    run(call, b);
}

struct BatchNormBackward {
    const Tensor *weight, *mean, *inverse;  ///< inverse: of the deviation
    bool varianceGiven;                     ///< `inverse` holds a variance
    bool training;
    double eps;
};

template <class C>
void runBackward(OpCall& call, const Tensor& grad, const Tensor& input, const BatchNormBackward& b) {
    const Channels s(input);
    checkGradient(grad, input.sizes);
    const std::vector<double> weight = numbers(checked(b.weight, s, "weight"), s, 1);
    const std::vector<double> mean = numbers(checked(b.mean, s, "mean"), s, 0), given = numbers(checked(b.inverse, s, "invstd"), s, 1);
    const Dense<C> g(grad), x(input);
    OptionalResult<C> dx(call.out(0));
    std::vector<double> dw(mean.size(), 0), db(mean.size(), 0);
    const double count = static_cast<double>(s.batch * s.plane);
    for (std::int64_t c = 0; c < s.channels; ++c) {
        const auto k = static_cast<std::size_t>(c);
        const double inverse = b.varianceGiven ? 1 / std::sqrt(given[k] + b.eps) : given[k];
        for (std::int64_t n = 0; n < s.batch; ++n)
            for (std::int64_t i = s.at(n, c); i < s.at(n, c) + s.plane; ++i) {
                dw[k] += static_cast<double>(g[i]) * (static_cast<double>(x[i]) - mean[k]) * inverse;
                db[k] += static_cast<double>(g[i]);
            }
        if (!dx) continue;
        for (std::int64_t n = 0; n < s.batch; ++n)
            for (std::int64_t i = s.at(n, c); i < s.at(n, c) + s.plane; ++i) {
                const double hat = (static_cast<double>(x[i]) - mean[k]) * inverse;
                const double through = b.training ? (db[k] + hat * dw[k]) / count : 0;
                dx[i] = static_cast<C>((static_cast<double>(g[i]) - through) * inverse * weight[k]);
            }
    }
    dx.store();
    storeSums<C>(call.out(1), dw);
    storeSums<C>(call.out(2), db);
}

/// native_batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask), and
/// batch_norm_backward, whose parameters are the same as far as they matter.
void batchNormBackward(OpCall& call) {
    const bool training = call.flag(7);
    const BatchNormBackward b{
        call.optionalTensor(2), call.optionalTensor(training ? 5 : 3), call.optionalTensor(training ? 6 : 4), !training, training, call.number(8)};
    dispatchSums(call, call.tensor(0).dtype, [&](auto tag) { runBackward<typename decltype(tag)::type>(call, call.tensor(0), call.tensor(1), b); });
}

}  // namespace

void registerBatchNorm(KernelTable& table) {
    const auto add = [&](const char* op, KernelFn run) { table.add(op, run, ToleranceClass::Reduction); };
    for (const char* op : {"aten::native_batch_norm", "aten::_native_batch_norm_legit_functional"}) add(op, batchNorm);
    add("aten::_native_batch_norm_legit.no_stats", batchNormNoStats);
    add("aten::_native_batch_norm_legit_no_training", batchNormNoTraining);
    add("aten::_batch_norm_with_update_functional", batchNormWithUpdate);
    for (const char* op : {"aten::native_batch_norm_backward", "aten::batch_norm_backward"}) add(op, batchNormBackward);
}

}  // namespace aliascope::exec
