#pragma once
// Python's arithmetic on numbers, `getitem`, and sizes of tensors: what dynamic shapes are computed with (executor.md 2.3, symint).

#include "core/exec/tensor.h"

namespace aliascope::exec {

/// `operator::…`, `math::…`, `torch::sym_…`, `aten::sym_…` and their like, which `evaluateSymbolic` knows or refuses.
bool isSymbolic(Name op);
/// The operator of tensors that `operator::add` and its like stand for when an operand is a tensor; empty when there is none.
Name tensorOperator(Name op);
/// Throws ExecError: UNSUPPORTED_OP, INDEX_OUT_OF_RANGE, DIVISION_BY_ZERO. Integers overflow to an error.
RuntimeValue evaluateSymbolic(Name op, const std::vector<RuntimeValue>& args);

}  // namespace aliascope::exec
