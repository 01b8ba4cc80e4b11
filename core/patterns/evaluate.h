#pragma once
// Running an expression of the pattern language as a program: searches of traced rules on their examples, replacements on the tensors of a match.
//
// Functions: matmul, bmm, transpose, permute, view, expand, expand_as, add, mul, div, softmax, dropout, cast, where, masked_fill, full, eq,
// unsqueeze, squeeze, sdpa, same (its operand); of numbers sqrt, dim, shape, dtype, lowest, scale_of; every operator by its dotted name
// (`aten.relu`).

#include <map>

#include "core/patterns/language.h"
#include "core/patterns/program.h"

namespace aliascope::patterns {

/// What captures (`$q`) and named nodes (`%s`) stand for; the operator of a matched node is `op of %s`.
using Environment = std::map<std::string, Value>;

/// Adds the expression to the program. `%names` become part of `environment`. Throws TraceError.
Value evaluate(const Expr& e, Environment& environment, Program& program);

/// Canonical operator or packet of a dotted name: `aten.mul.Tensor` -> `aten::mul.Tensor`, `aten.relu` -> `aten::relu`, `hop.cond` -> `hop::cond`.
Name operatorOf(const std::string& dotted);

}  // namespace aliascope::patterns
