#pragma once
// One element of a tensor, and elementwise operators on it: what constant folding computes with (canonicalize.md 5.2). Values are rounded to their
// dtype after every operation; f16, bf16 and f32 are computed in f32, as PyTorch does; integers wrap.

#include <functional>
#include <optional>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/op_registry.h"
#include "core/ir/value.h"

namespace aliascope {

struct Scalar {
    DType dtype = DType::Unknown;  ///< a real number, an integer or a boolean
    bool number = false;           ///< a Python number: it takes the dtype of the tensors that it meets
    std::int64_t integer = 0;      ///< of integers and booleans
    double real = 0;               ///< of floating dtypes

    bool floating() const { return info(dtype).floating; }
    double toDouble() const { return floating() ? real : static_cast<double>(integer); }
    /// As `.item()` gives it: a boolean, an integer or a float.
    Value item() const;
};

/// A number of a call, with the dtype that Python's own type has (i64, f64, b8); nothing for other values.
std::optional<Scalar> scalarOf(const Value& number);
/// The element after a conversion; nothing where PyTorch leaves the result open (NaN or a number out of range to an integer), and for dtypes that are
/// no real number, integer or boolean.
std::optional<Scalar> converted(const Scalar& s, DType dtype);
/// The element whose bytes are those of `s`; nothing when the sizes differ.
std::optional<Scalar> reinterpreted(const Scalar& s, DType dtype);

/// Result of an elementwise call, rounded to `result`. `operand(v)` gives the element of a node or number of the call. Nothing when the operator is
/// not among those that can be computed here, or its result is left open (division of integers by 0).
std::optional<Scalar> evaluateElementwise(const BoundCall& call, DType result, const std::function<std::optional<Scalar>(const Value&)>& operand);

}  // namespace aliascope
