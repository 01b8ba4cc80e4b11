#pragma once
// Could a copy have been avoided? (reason-codes.md 1, `need`.) A copy is `avoidable` when another bundled pipeline, run on the same graph, writes
// every argument that the decision speaks of in place and ends with fewer clones: keeping a clone of the user's instead of making one avoids
// nothing. Whether the results are equal only an execution can tell: "avoidable, not yet executed".
//
// The other pipelines run when the first copy is judged, each at most once, on clones of the graph as opened.
// Thread-safety: none; used on the thread that runs the pipeline.

#include <map>
#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"

namespace aliascope {

class NeedJudge {
public:
    /// `opened` is cloned. `own` is the name of the pipeline that runs, empty for a text; it is not compared with itself.
    NeedJudge(const Graph& opened, std::string own, const OpRegistry& ops, CancelToken cancel);
    ~NeedJudge();

    /// Sets `need` and `avoidedBy` of decisions with verdict `clone` and need `unknown`. `g` is the graph after the stage that decided.
    void judge(const Graph& g, std::vector<Decision>& decisions);

private:
    /// (origin, argument) -> written in place in every row about it.
    using Written = std::map<std::pair<NodeId, std::string>, bool>;
    struct Other {
        std::string pipeline;
        Written written;
        std::size_t clones = 0;  ///< in its last graph
    };
    class Collector;

    void compare();

    Graph opened_;
    std::string own_;
    const OpRegistry& ops_;
    CancelToken cancel_;
    bool compared_ = false;
    std::vector<Other> others_;
};

}  // namespace aliascope
