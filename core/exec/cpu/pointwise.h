#pragma once
// Engine of elementwise kernels. An operator is a functor over values of the compute type; `pointwise<F, Rule, I...>` is its kernel, whose
// operands are the arguments I... of the call: tensors, broadcast and converted, or Python numbers. The loop is compiled once per compute type
// and operand count; an operator adds only its inner loop, which is plain enough to be vectorised.

#include <array>
#include <concepts>

#include "core/exec/cpu/strided.h"

namespace aliascope::exec {

/// Type in which the operands meet (executor.md 2.2).
enum class MeetRule : std::uint8_t {
    Promoted,  ///< promotion over tensors and the numbers that count
    Floating,  ///< the same, integers become f32
    Compared,  ///< promoted; numbers are rounded to that type first
    First,     ///< type of the first operand
};

/// Operand of an elementwise loop.
struct PointwiseOperand {
    const Tensor* tensor = nullptr;  ///< null: a number
    std::int64_t integer = 0;
    double real = 0;
    bool roundsToMeet = false;  ///< is converted to the meeting type before it is computed with
};

/// Argument `i` as an operand. UNSUPPORTED_OP when it is neither tensor nor number.
PointwiseOperand pointwiseOperand(const OpCall& call, std::size_t i);
PointwiseOperand pointwiseOperand(const Tensor& t);
/// Meeting type of arguments `indices` of the call.
DType meetingType(const OpCall& call, const std::size_t* indices, std::size_t count, MeetRule rule);
/// Says for each operand whether the meeting type rounds it.
void markRounding(PointwiseOperand* operands, std::size_t count, DType meet, MeetRule rule);

template <class C, std::size_t N>
using RowFn = void (*)(const std::array<const C*, N>& in, C* out, std::int64_t n);

/// Elements of `t` that have been loaded as C become what they are in type `meet`.
template <class C>
void roundBlock(C* values, std::int64_t n, DType meet);
extern template void roundBlock<float>(float*, std::int64_t, DType);
extern template void roundBlock<double>(double*, std::int64_t, DType);
extern template void roundBlock<std::int64_t>(std::int64_t*, std::int64_t, DType);

/// out = row(operands), block by block.
template <class C, std::size_t N>
void pointwiseLoop(const Tensor& out, const std::array<PointwiseOperand, N>& operands, DType meet, RowFn<C, N> row) {
    C buffers[N][kBlock], results[kBlock];
    std::array<const Tensor*, N + 1> tensors{&out};
    Tensor scalar;  // numbers stand as 0-d operands
    for (std::size_t k = 0; k < N; ++k) {
        const PointwiseOperand& operand = operands[k];
        tensors[k + 1] = operand.tensor ? operand.tensor : &scalar;
        if (operand.tensor) continue;
        std::fill_n(buffers[k], kBlock, std::is_integral_v<C> ? static_cast<C>(operand.integer) : static_cast<C>(operand.real));
        if (operand.roundsToMeet) roundBlock(buffers[k], kBlock, meet);
    }
    const StridedLoop<N + 1> loop(out.sizes, tensors);
    const auto& strides = loop.rowStrides();
    loop.forEachRow([&](const auto& at) {
        for (std::int64_t i = 0; i < loop.rowSize(); i += kBlock) {
            const std::int64_t n = std::min(kBlock, loop.rowSize() - i);
            std::array<const C*, N> in;
            for (std::size_t k = 0; k < N; ++k) {
                in[k] = buffers[k];
                if (!operands[k].tensor) continue;
                const std::int64_t s = strides[k + 1];
                in[k] = loadBlock(*operands[k].tensor, at[k + 1] + i * s, s, n, buffers[k]);
                if (!operands[k].roundsToMeet) continue;
                if (in[k] != buffers[k]) std::copy_n(in[k], n, buffers[k]);
                roundBlock(buffers[k], n, meet);
                in[k] = buffers[k];
            }
            C* to = resultBlock(out, at[0] + i * strides[0], strides[0], results);
            row(in, to, n);
            storeBlock(out, at[0] + i * strides[0], strides[0], n, to);
        }
    });
}

template <class F, class C, std::size_t N>
void pointwiseRow(const std::array<const C*, N>& in, C* out, std::int64_t n) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(F()(in[K][i]...));
    }
    (std::make_index_sequence<N>());
}

template <class F, class C, std::size_t... K>
constexpr bool callableWith(std::index_sequence<K...>) {
    return std::invocable<F, std::conditional_t<(K < sizeof...(K)), C, C>...>;
}

/// out = F(operands), computed in the type of `meet`; types that F does not accept are refused.
template <class F, std::size_t N>
void pointwiseApply(const Tensor& out, const std::array<PointwiseOperand, N>& operands, DType meet) {
    if (out.numel() == 0) return;
    dispatchCompute(meet, [&](auto tag) {
        using C = typename decltype(tag)::type;
        if constexpr (callableWith<F, C>(std::make_index_sequence<N>()))
            pointwiseLoop<C, N>(out, operands, meet, &pointwiseRow<F, C, N>);
        else
            failDType(meet);
    });
}

/// Kernel of an elementwise operator whose operands are the arguments I...
template <class F, MeetRule Rule, std::size_t... I>
void pointwise(OpCall& call) {
    constexpr std::size_t indices[] = {I...};
    std::array<PointwiseOperand, sizeof...(I)> operands{pointwiseOperand(call, I)...};
    const DType meet = meetingType(call, indices, sizeof...(I), Rule);
    markRounding(operands.data(), operands.size(), meet, Rule);
    pointwiseApply<F>(call.out(), operands, meet);
}

/// Enters an elementwise kernel.
inline void addPointwise(KernelTable& table, std::string_view op, KernelFn run, ToleranceClass tolerance = ToleranceClass::Rounded) {
    table.add(op, run, tolerance).elementwise = true;
}

}  // namespace aliascope::exec
