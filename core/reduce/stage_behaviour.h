#pragma once
// What stages of a pipeline do when they are executed, compared with the graph as opened, without a recording. Private to core/reduce.

#include <memory>
#include <string>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/pipeline/pipeline.h"

namespace aliascope {

class StageBehaviour {
public:
    StageBehaviour(const OpRegistry& ops, std::uint64_t seed, bool standIn, CancelToken cancel);
    ~StageBehaviour();
    StageBehaviour(StageBehaviour&&) noexcept;

    /// Some stage named `stage` (empty = any, `last`) gives other results, or leaves other values in the inputs, than `g`. False when `g` does not
    /// run.
    bool differs(const Graph& g, const Pipeline& pipeline, const std::string& stage) const;
    /// Codes that only an execution finds: STALE_READ, UNDEFINED_READ.
    static bool isExecuted(const std::string& code);
    /// Some stage shows the finding and `g` does not.
    bool finds(const Graph& g, const Pipeline& pipeline, const std::string& code) const;

private:
    struct Machine;
    std::unique_ptr<Machine> machine_;
};

}  // namespace aliascope
