// Kernels of the CPU backend against what the library or the memory gives at best.

#include <benchmark/benchmark.h>
#include <cblas.h>

#include <chrono>

#include "core/exec/backend.h"
#include "core/exec/executor.h"

namespace {

using namespace aliascope;
using namespace aliascope::exec;

Backend& fastCpu() {
    static const std::unique_ptr<Backend> backend = makeCpuBackend(Precision::Fast);
    return *backend;
}

Tensor filled(DType dtype, const Shape& sizes, const Shape& strides) {
    TensorType type;
    type.dtype = dtype;
    type.device = "cpu"_n;
    type.sizes.assign(sizes.begin(), sizes.end());
    type.strides.emplace(strides.begin(), strides.end());
    Tensor t = makeTensor(fastCpu(), type);
    Tensor ramp = t;
    if (dtype == DType::F32)
        for (std::int64_t i = 0; i < t.numel(); ++i) ramp.as<float>()[i] = static_cast<float>(i % 251) / 251;
    else if (t.storage->data)
        std::fill_n(t.storage->data, t.storage->bytes, std::byte{0x3E});
    return t;
}

double secondsOf(const std::function<void()>& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// mm of two n x n matrices, the second one as it lies or transposed; `ratio` is its time over OpenBLAS called directly.
void matrixProduct(benchmark::State& state) {
    const std::int64_t n = state.range(0);
    const bool transposedWeight = state.range(1) != 0;
    const OpDef& op = *OpRegistry::builtin().find("aten::mm"_n);
    OpCall call;
    call.op = &op;
    call.name = op.canonical;
    call.precision = Precision::Fast;
    call.args = {filled(DType::F32, {n, n}, {n, 1}), filled(DType::F32, {n, n}, transposedWeight ? Shape{1, n} : Shape{n, 1})};
    call.outputs = {filled(DType::F32, {n, n}, {n, 1})};
    const Kernel& kernel = *fastCpu().kernel(op.canonical);
    const auto size = static_cast<blasint>(n);
    const auto direct = [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, transposedWeight ? CblasTrans : CblasNoTrans, size, size, size, 1,
                    call.args[0].tensor()->as<float>(), size, call.args[1].tensor()->as<float>(), size, 0, call.out().as<float>(), size);
    };
    direct();  // starts the library's threads
    double ours = 0, library = 0;
    for (auto _ : state) {
        ours += secondsOf([&] { fastCpu().launch(kernel, call); });
        library += secondsOf(direct);
    }
    state.counters["ratio"] = ours / library;
    state.counters["GFLOP/s"] =
        2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(state.iterations()) / ours;
}
BENCHMARK(matrixProduct)->Args({256, 0})->Args({1024, 0})->Args({1024, 1})->Unit(benchmark::kMillisecond);

/// Rows of a table by index; `GB/s` read.
void embeddingRows(benchmark::State& state) {
    const std::int64_t rows = 8192, width = state.range(0);
    const OpDef& op = *OpRegistry::builtin().find("aten::embedding"_n);
    OpCall call;
    call.op = &op;
    call.name = op.canonical;
    Tensor index = filled(DType::I64, {rows}, {1});
    for (std::int64_t i = 0; i < rows; ++i) index.as<std::int64_t>()[i] = i * 7919 % rows;
    call.args = {filled(DType::F32, {rows, width}, {width, 1}), index, std::int64_t{-1}, false, false};
    call.outputs = {filled(DType::F32, {rows, width}, {width, 1})};
    const Kernel& kernel = *fastCpu().kernel(op.canonical);
    for (auto _ : state) fastCpu().launch(kernel, call);
    state.SetBytesProcessed(state.iterations() * rows * width * 4);
}
BENCHMARK(embeddingRows)->Arg(64)->Arg(768)->Unit(benchmark::kMillisecond);

/// One attention of `heads` heads over sequences of 512.
void attention(benchmark::State& state) {
    const std::int64_t heads = state.range(0), length = 512, width = 64;
    const OpDef& op = *OpRegistry::builtin().find("aten::_scaled_dot_product_flash_attention_for_cpu"_n);
    OpCall call;
    call.op = &op;
    call.name = op.canonical;
    call.precision = Precision::Fast;
    const Shape sizes = {1, heads, length, width}, strides = {heads * length * width, length * width, width, 1};
    call.args = {filled(DType::F32, sizes, strides),
                 filled(DType::F32, sizes, strides),
                 filled(DType::F32, sizes, strides),
                 0.0,
                 true,
                 RuntimeValue(),
                 RuntimeValue()};
    call.outputs = {filled(DType::F32, sizes, strides), filled(DType::F32, {1, heads, length}, {heads * length, length, 1})};
    const Kernel& kernel = *fastCpu().kernel(op.canonical);
    for (auto _ : state) fastCpu().launch(kernel, call);
}
BENCHMARK(attention)->Arg(12)->Unit(benchmark::kMillisecond);

/// A digest; `ns_per_element` is what counts.
void digest(benchmark::State& state, DType dtype) {
    const Tensor t = filled(dtype, {state.range(0)}, {1});
    double seconds = 0;
    for (auto _ : state) seconds += secondsOf([&] { benchmark::DoNotOptimize(fastCpu().digest(t)); });
    state.counters["ns_per_element"] = seconds * 1e9 / static_cast<double>(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(digest, f32, DType::F32)->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 23)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digest, bf16, DType::BF16)->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 23)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digest, i64, DType::I64)->Arg(1 << 16)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
