#pragma once
// Delta debugging of graphs: the smallest graph found that still shows a property. Results are dropped, calls are taken out (their users read an
// operand instead, or a fresh input), arguments are made plain, sizes small, symbols numbers; bodies of higher-order operators likewise.
//
// Every candidate is verified before it is asked about, so that what remains is a graph that could have been opened. The result is minimal in the
// sense of delta debugging: no single step that was tried makes it smaller; a smaller one may exist.
//
// Thread-safety: none shared; a call works on clones of `g`.

#include <cstdint>
#include <functional>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/cancel.h"

namespace aliascope {

struct ReduceOptions {
    CancelToken cancel;
    Progress progress;
    std::uint64_t mostTries = 0;  ///< candidates that are asked about; 0 = no limit
    double mostSeconds = 0;       ///< 0 = no limit
};

struct Reduction {
    Graph graph;
    std::uint64_t tries = 0;  ///< candidates that passed the verifier and were asked about
    std::uint64_t taken = 0;
    bool complete = true;  ///< false: cancelled, or out of tries or time
};

/// `keeps` says whether a graph shows the property; `g` itself is taken to. It must not depend on names. Asked O(n log n) times for n nodes where
/// chunks of them fall away, up to O(n^2) where hardly anything does.
Reduction reduceGraph(const Graph& g, const OpRegistry& ops, const std::function<bool(const Graph&)>& keeps, const ReduceOptions& options = {});

}  // namespace aliascope
