#pragma once
// Calls and names of Python that are values, not nodes (formats.md 5.4).

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope {

/// `device(type='cuda', index=0)`, `slice(a, b, c)`, `range(…)`, `torch.Size([…])`, `torch.Tensor(size=…)`, symbolic functions of constants,
/// and the wrappers of Dialect::Exact (`Sym('s77')`, `Opaque('…')`). `text` is the whole call. Nothing for a real call.
std::optional<Value> specialValue(std::string_view path, const std::vector<Value>& args, const std::vector<Keyword>& kwargs, std::string_view text);
/// `inf`, `nan`, `Ellipsis`, and names of Python's types.
std::optional<Value> builtinValue(std::string_view name);

}  // namespace aliascope
