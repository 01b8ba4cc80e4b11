#pragma once
// Making call nodes the way PyTorch's passes do: named after the operator (`as_strided_default`, `slice_tensor`), typed, with the provenance of
// the node that they stand for.

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

/// The name torch.fx gives a call of `canonical` that a pass makes: `aten::clone` -> `clone_default`, `aten::slice.Tensor` -> `slice_tensor`.
std::string freshCallName(Name canonical);
/// A call_function node of `canonical`, not yet in a graph.
Node newCall(Name canonical, std::vector<Value> args, std::vector<Keyword> kwargs = {});

/// Inserts calls before one node.
class NewNodes {
public:
    NewNodes(Graph& g, const OpRegistry& ops, NodeId before) : g_(g), ops_(ops), before_(before) {}
    /// The new node; its type is inferred.
    NodeId call(Name canonical, std::vector<Value> args, std::vector<Keyword> kwargs = {});

private:
    Graph& g_;
    const OpRegistry& ops_;
    NodeId before_;
};

}  // namespace aliascope
