#pragma once
// Values of constants that a dump states elsewhere. ATen graphs call `self._tensor_constant0` and leave its value out (executor.md 1.2 c); the
// Dynamo stage of the same compilation, when it lies in the same folder, makes the same tensor from numbers: `torch.tensor([1, 3], device = 'cuda')`.

#include <string>
#include <vector>

#include "core/exec/tensor_files.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::exec {

struct LiteralConstant {
    TensorBytes value;   ///< its name is the attribute path of the constant
    std::string source;  ///< file name of the graph that states it
};

/// Looks through the other stages beside the file `path` for one that makes as many tensors from numbers as `opened` has `_tensor_constant`s, of the same
/// types in the same order. Empty when there is none. Files above 4 MiB, and more than 64 of them, are not looked at.
std::vector<LiteralConstant> literalConstants(const std::string& path, const Graph& opened, const OpRegistry& ops);

}  // namespace aliascope::exec
