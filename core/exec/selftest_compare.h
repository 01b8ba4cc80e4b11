#pragma once
// Recorded elements against computed ones. Internal to the self-test.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/kernel.h"

namespace aliascope::exec {

/// What the bounds of executor.md 5.3 depend on besides the element.
struct CompareScale {
    ToleranceClass tolerance = ToleranceClass::Exact;
    double largest = 0;            ///< largest finite absolute value among the operands
    double terms = 1;              ///< terms that one result may sum
    double number = 0;             ///< largest Python float: PyTorch's CPU kernels round it to the tensors' type
    bool special = false;          ///< a special function: PyTorch's f32 approximations are off by more than elementary ones
    int operands = 0;              ///< arguments of the call: with more than two there are roundings in between
    DType narrowest = DType::F64;  ///< least exact float among operands and results: PyTorch's CPU kernels round to it in between
};

/// Elements of one tensor, row-major.
struct HostElements {
    DType dtype = DType::Unknown;
    std::vector<std::byte> bytes;
    std::int64_t count() const;
    double number(std::int64_t i) const;
    std::int64_t integer(std::int64_t i) const;
};

/// The first element out of bounds, in words; nothing when all fit. Same dtype and count.
std::optional<std::string> firstDifference(const HostElements& got, const HostElements& want, const CompareScale& scale);

/// Two lists of positions along dimension `dim` of `self` pick equal elements: which of equal ones a sort or topk takes is open.
bool picksSame(const HostElements& self, const Shape& sizes, std::size_t dim, const HostElements& a, const HostElements& b);

}  // namespace aliascope::exec
