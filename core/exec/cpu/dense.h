#pragma once
// Whole tensors row-major in the type that a kernel computes in: the tensor's own memory where it is that already, else a copy. For kernels that
// visit elements many times (products, convolutions, pools, norms), where a conversion up front is the smaller part of the work.

#include <memory>

#include "core/exec/cpu/strided.h"

namespace aliascope::exec {

template <class C>
inline constexpr DType kDTypeOf = std::is_same_v<C, float>    ? DType::F32
                                  : std::is_same_v<C, double> ? DType::F64
                                                              : DType::I64;

template <class C>
bool isDense(const Tensor& t) {
    return t.dtype == kDTypeOf<C> && t.isContiguous();
}

/// Elements to read. The tensor outlives it.
template <class C>
class Dense {
public:
    explicit Dense(const Tensor& t) {
        if (isDense<C>(t)) {
            data_ = t.as<C>();
            return;
        }
        buffer_ = std::make_unique_for_overwrite<C[]>(static_cast<std::size_t>(t.numel()));
        load(t, buffer_.get());
        data_ = buffer_.get();
    }

    const C* data() const { return data_; }
    const C& operator[](std::int64_t i) const { return data_[i]; }

    static void load(const Tensor& t, C* to) {
        const StridedLoop<1> loop(t.sizes, {t.strides});
        loop.forEachRow([&](const auto& at) {
            for (std::int64_t i = 0; i < loop.rowSize(); i += kBlock) {
                const std::int64_t n = std::min(kBlock, loop.rowSize() - i);
                const C* from = loadBlock<C>(t, at[0] + i * loop.rowStrides()[0], loop.rowStrides()[0], n, to);
                if (from != to) std::copy_n(from, n, to);
                to += n;
            }
        });
    }

private:
    std::unique_ptr<C[]> buffer_;
    const C* data_ = nullptr;
};

/// Elements to write; `store` puts them into the tensor.
template <class C>
class DenseResult {
public:
    explicit DenseResult(const Tensor& t) : tensor_(t) {
        if (isDense<C>(t)) {
            data_ = t.as<C>();
            return;
        }
        buffer_ = std::make_unique_for_overwrite<C[]>(static_cast<std::size_t>(t.numel()));
        data_ = buffer_.get();
    }
    DenseResult(const Tensor& t, C fill) : DenseResult(t) { std::fill_n(data_, tensor_.numel(), fill); }

    C* data() { return data_; }
    C& operator[](std::int64_t i) { return data_[i]; }

    void store() {
        if (!buffer_) return;
        const C* from = data_;
        const StridedLoop<1> loop(tensor_.sizes, {tensor_.strides});
        loop.forEachRow([&](const auto& at) {
            for (std::int64_t i = 0; i < loop.rowSize(); i += kBlock) {
                const std::int64_t n = std::min(kBlock, loop.rowSize() - i);
                storeBlock<C>(tensor_, at[0] + i * loop.rowStrides()[0], loop.rowStrides()[0], n, from);
                from += n;
            }
        });
    }

private:
    Tensor tensor_;
    std::unique_ptr<C[]> buffer_;
    C* data_ = nullptr;
};

/// Calls `f(DTypeTag<C>())` with the type that sums over elements of `d` are kept in: f64 for floats of the reference (executor.md 7.7), f32 for
/// those of the fast backend that are no f64, i64 for integers and bool.
template <class F>
decltype(auto) dispatchSums(const OpCall& call, DType d, F&& f) {
    if (call.precision == Precision::Reference && info(d).floating) {
        dispatchFloating(d, [](auto) {});
        return f(DTypeTag<double>());
    }
    return dispatchCompute(d, f);
}

/// a + b; integers wrap around.
template <class C>
C wrappingAdd(C a, C b) {
    if constexpr (std::is_integral_v<C>)
        return static_cast<C>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <class C>
C wrappingMultiply(C a, C b) {
    if constexpr (std::is_integral_v<C>)
        return static_cast<C>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return a * b;
}

/// Calls `f(DTypeTag<U>())` with an unsigned integer as wide as elements of `d`: for kernels that only move them.
template <class F>
decltype(auto) dispatchWidth(DType d, F&& f) {
    switch (itemSize(d)) {
        case 1:
            return f(DTypeTag<std::uint8_t>());
        case 2:
            return f(DTypeTag<std::uint16_t>());
        case 4:
            return f(DTypeTag<std::uint32_t>());
        case 8:
            return f(DTypeTag<std::uint64_t>());
        default:
            failDType(d);
    }
}

}  // namespace aliascope::exec
