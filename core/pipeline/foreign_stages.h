#pragma once
// Stages that another compiler wrote down (PyTorch's `before_post_grad_graph`, numbered dumps): several graphs of one program become stages of one
// lane. Nothing says which node of a later graph continues which of an earlier one, so they are matched, each with a confidence between 0 and 1.

#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"

namespace aliascope {

struct NodeMatch {
    NodeId before, after;
    double confidence = 0;  ///< 1 = same name, operator, operands and source line
};

/// Pairs nodes of two graphs: by name and operator, then by operator and matched operands, then by operator and source line in order, inputs by their
/// place, and at last by name and matched operands whatever the operator. Each node is in at most one pair; pairs come in the order of `after`.
/// Near-linear.
std::vector<NodeMatch> matchNodes(const Graph& before, const Graph& after);

/// `target` with ids that continue those of `before`: a matched node has the id of its partner, others have ids that `before` never used. A node
/// carries its confidence as meta `match`. Bodies of sub-graphs are continued by their attribute.
Graph continued(const Graph& before, const Graph& target, const std::vector<NodeMatch>& matches);

struct ForeignStage {
    std::string name;
    const Graph* graph = nullptr;
};

/// Plays the stages to an observer as if a pipeline had made them. Stages that equal the one before are told as unchanged. Names that repeat get
/// `#2`. Errors are those of the observer.
Status replayForeign(const std::vector<ForeignStage>& stages, PassObserver& observer, const CancelToken& cancel = {});

}  // namespace aliascope
