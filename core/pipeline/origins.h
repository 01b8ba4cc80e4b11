#pragma once
// From which node of the graph as opened does a node stem? Internal to core/pipeline.
//
// Ids are stable, so a node that was opened is its own origin. A node that a pass made stems from the first node on the `before` side of the
// rewrite that made it (a wrapper from the call that it wraps, a decomposed call from its wrapper, and so on to the opened graph).

#include <unordered_map>

#include "core/pipeline/pass.h"

namespace aliascope {

class Origins {
public:
    explicit Origins(const Graph& opened);

    /// Takes rewrites `from`.. of a pass into account, in order; a rewrite that did not happen is passed over.
    void learn(const std::vector<Rewrite>& rewrites, std::size_t from = 0);
    /// Invalid when nothing is known.
    NodeRef of(NodeId id) const;

private:
    std::vector<Name> opened_;  ///< by id: name as opened; empty = not there
    std::unordered_map<NodeId, NodeRef> made_;
};

}  // namespace aliascope
