#pragma once
// Type promotion as PyTorch does it (executor.md 2.2): tensors with dimensions decide; 0-d tensors and Python numbers count only with a higher
// category (bool < integer < float < complex). Private to core/ops.

#include <optional>

#include "core/ir/type.h"
#include "core/ir/value.h"

namespace aliascope {

class Promotion {
public:
    void add(const TensorType& t);
    /// A Python number, or a symbol when `v` is a node of symbolic type `sym`.
    void addNumber(const Value& v, const SymInt* sym = nullptr);
    /// Unknown when nothing was added, or when a dtype outside the table took part.
    DType result() const;

private:
    DType dimensioned_ = DType::Unknown, zeroDim_ = DType::Unknown, number_ = DType::Unknown;
    bool unknown_ = false;
};

DType promoteTypes(DType a, DType b);
/// Integers and booleans become f32; everything else stays.
DType floatingFor(DType dtype);
/// Booleans and integers become i64 (sums and products).
DType accumulationFor(DType dtype);
/// `c64` -> `f32`; real dtypes stay.
DType realFor(DType dtype);

}  // namespace aliascope
