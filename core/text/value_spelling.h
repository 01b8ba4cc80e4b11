#pragma once
// Which texts read as which kind of value; the printer and the expression parser agree through these.

#include <string_view>

namespace aliascope {

/// A dotted constant: `torch.float32`, `torch.contiguous_format`, `torch.distributed.ReduceOp.SUM`; not an operator.
bool isConstantSpelling(std::string_view path);
/// `torch.ops.…`, `operator.…`: a dotted path that names an operator when it stands as an argument.
bool isOpSpelling(std::string_view path);
/// An int beyond int64, with or without `-`.
bool isBigIntSpelling(std::string_view text);
/// `1j`, `-1j`, `(1+2j)`.
bool isComplexSpelling(std::string_view text);

}  // namespace aliascope
