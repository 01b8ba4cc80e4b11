#pragma once
// Mean and variance, and results that a caller may not want.

#include <optional>

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {

struct Moments {
    double mean = 0, squares = 0;  ///< squares: sum of squared differences from the mean
    std::int64_t count = 0;
    double variance(std::int64_t correction) const { return squares / static_cast<double>(std::max<std::int64_t>(0, count - correction)); }
};

/// Two passes over `rows` rows of `count` elements, `rowStride` apart.
template <class C>
Moments momentsOf(const C* x, std::int64_t count, std::int64_t rows = 1, std::int64_t rowStride = 0) {
    Moments m;
    m.count = count * rows;
    double sum = 0;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[r * rowStride + i]);
    m.mean = sum / static_cast<double>(m.count);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < count; ++i) {
            const double d = static_cast<double>(x[r * rowStride + i]) - m.mean;
            m.squares += d * d;
        }
    return m;
}

inline void checkGradient(const Tensor& grad, const Shape& sizes) {
    if (grad.sizes != sizes) failShape("grad_output", shapeText(grad.sizes), shapeText(sizes));
}

inline void checkStatistics(const Tensor& t, std::int64_t count, std::string_view argument) {
    if (t.numel() != count) failShape(argument, shapeText(t.sizes), std::to_string(count) + " elements");
}

/// A result that is None when the call's output mask says so.
template <class C>
class OptionalResult {
public:
    explicit OptionalResult(const Tensor& t) {
        if (t.storage) result_.emplace(t);
    }
    explicit operator bool() const { return result_.has_value(); }
    C& operator[](std::int64_t i) { return (*result_)[i]; }
    void store() {
        if (result_) result_->store();
    }

private:
    std::optional<DenseResult<C>> result_;
};

/// Sums into a result, unless it is None.
template <class C>
void storeSums(const Tensor& t, const std::vector<double>& sums) {
    OptionalResult<C> out(t);
    if (!out) return;
    for (std::size_t i = 0; i < sums.size(); ++i) out[static_cast<std::int64_t>(i)] = static_cast<C>(sums[i]);
    out.store();
}

}  // namespace aliascope::exec
