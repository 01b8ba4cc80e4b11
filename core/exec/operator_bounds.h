#pragma once
// Bounds per operator in a comparison of stages (executor.md 5.3): they hold between two runs of one operator on equal operands. What was computed
// from values that differ already is judged by the bound for whole graphs. Internal to core/exec.

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/exec/compare.h"

namespace aliascope::exec {

class OperatorBounds {
public:
    /// `rows`: of the comparison, their verdicts by digests; they must outlive this.
    OperatorBounds(const ComparedStage& earlier, const ComparedStage& later, const std::vector<ComparedValue>& rows, const OpRegistry& ops);
    ~OperatorBounds();

    /// Nothing when the two values do not come from the same operator on equal operands, or something writes to an operand's memory.
    std::optional<ElementBound> of(const ComparedValue& row);

    /// l2 norm of what rounding may do to a value of the later stage that is a sum, or a view of one; 0 when it is none.
    double roundingOf(memory::Site site) const;

private:
    struct Side;
    struct Key {
        std::uint32_t body = 0, node = 0, callPath = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    static Key keyOf(const memory::Site& site) { return {site.body, site.node.value, site.callPath}; }
    /// Digests of the operands, in order; nothing when one differs or has no counterpart.
    std::optional<std::vector<const Digest*>> equalOperands(const memory::Site& a, const memory::Site& b);

    const OpRegistry& ops_;
    std::unique_ptr<Side> earlier_, later_;
    std::map<Key, std::vector<const ComparedValue*>> rows_;  ///< by node of the later stage, its own components
    std::map<std::pair<Key, int>, const Digest*> digests_;   ///< of the later stage
};

}  // namespace aliascope::exec
