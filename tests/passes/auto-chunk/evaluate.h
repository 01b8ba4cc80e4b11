#pragma once
// What a graph gives for fixed inputs, and how far two results are apart.

#include <cmath>

#include "core/exec/executor.h"
#include "tests/passes/pass_fixture.h"

namespace aliascope::testing {

struct Evaluated {
    std::vector<std::vector<double>> outputs;
    std::string error;
};

/// Runs a graph on the CPU: floats are small and of both signs, targets run over the vocabulary and are sometimes ignored, tangents are 0.75.
inline Evaluated evaluate(const Graph& g) {
    static const std::unique_ptr<exec::Backend> cpu = exec::makeCpuBackend(exec::Precision::Reference);
    Evaluated out;
    std::vector<exec::RuntimeValue> inputs;
    std::int64_t next = 0;
    for (NodeId id : g.placeholders()) {
        const TensorType& type = *g[id].tensor();
        TensorType wide = type;
        wide.dtype = type.dtype == DType::I64 ? DType::I64 : DType::F64;
        exec::Tensor plain = exec::makeTensor(*cpu, wide), given = exec::makeTensor(*cpu, type);
        for (std::int64_t i = 0; i < plain.numel(); ++i, ++next) {
            if (type.dtype == DType::I64)
                plain.as<std::int64_t>()[i] = i % 5 == 3 && plain.numel() != 8 ? -100 : (i * 7) % 40;
            else
                plain.as<double>()[i] = type.rank() == 0 ? 0.75 : std::sin(0.7 * static_cast<double>(next) + 0.3);
        }
        cpu->copy(given, plain);
        inputs.emplace_back(given);
    }
    exec::ExecOptions options;
    options.maxBytes = 64 << 20;
    const exec::ExecResult result = exec::execute(g, testOps(), *cpu, inputs, {}, options);
    if (result.error) {
        out.error = result.error->format();
        return out;
    }
    for (const exec::RuntimeValue& v : result.outputs) {
        TensorType wide = v.tensor()->type();
        wide.dtype = DType::F64;
        wide.strides.reset();
        wide.offset.reset();
        const exec::Tensor copy = exec::makeTensor(*cpu, wide);
        cpu->copy(copy, *v.tensor());
        out.outputs.emplace_back(copy.as<double>(), copy.as<double>() + copy.numel());
    }
    return out;
}

/// Relative l2 error of each output; the largest.
inline double errorOf(const Evaluated& a, const Evaluated& b) {
    double worst = 0;
    for (std::size_t k = 0; k < a.outputs.size(); ++k) {
        double error = 0, size = 0;
        for (std::size_t i = 0; i < a.outputs[k].size(); ++i) {
            error += std::pow(a.outputs[k][i] - b.outputs[k][i], 2);
            size += std::pow(a.outputs[k][i], 2);
        }
        worst = std::max(worst, std::sqrt(error / std::max(size, 1e-30)));
    }
    return worst;
}

/// Largest difference of any element, in parts of the largest element of all.
inline double distanceOf(const Evaluated& a, const Evaluated& b) {
    double largest = 1, difference = 0;
    for (std::size_t k = 0; k < a.outputs.size(); ++k)
        for (std::size_t i = 0; i < a.outputs[k].size(); ++i) {
            largest = std::max(largest, std::abs(a.outputs[k][i]));
            difference = std::max(difference, std::abs(a.outputs[k][i] - b.outputs[k][i]));
        }
    return difference / largest;
}

}  // namespace aliascope::testing
