#pragma once
// Argument lists as text and back, for whoever stores nodes: `printArguments` and `parseArguments` are exact inverses for every kind of value.

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace aliascope {

struct Call {
    std::vector<Value> args;
    std::vector<Keyword> kwargs;
};

/// `(a, [b, 2], dim = 1)`: names of nodes bare, strings quoted, operators as `torch.ops.ns.name.overload`, devices as
/// `device(type='cuda', index=0)`, symbolic expressions as `Sym('s77*2')`, what Python cannot say as `Opaque('…')`.
std::string printArguments(const Graph& g, const Node& node);
/// Reads such a text; names are looked up among the nodes of `g`, other names are symbols. Errors: R014, R015, R016, R050, with the column in `text`.
Result<Call> parseArguments(std::string_view text, const Graph& g);

}  // namespace aliascope
