#pragma once
// The reference of a comparison (executor.md 5.2): a graph run in doubles without rounding in between. Integers and bools that were made of floats
// (comparisons, casts, positions), and random numbers, are those of the native run: otherwise the two would part where a rounding decides.
// Thread-safety: none.

#include <map>

#include "core/exec/inputs.h"
#include "core/exec/run_values.h"

namespace aliascope::exec {

/// Inputs and constants with every float as f64. Tensors that share storage share it afterwards.
StageInputs inDoubles(const StageInputs& inputs, Backend& backend);

/// Whether ExecOptions::decided may be asked for what the node gives.
bool mayBeDecided(const OpRegistry& ops, const Node& n, const Tensor& value);

class DecidedValues {
public:
    explicit DecidedValues(KeptValues values) : values_(std::move(values)) {}
    /// As ExecOptions::decided.
    bool give(const memory::Site& site, int out, const Tensor& into, Backend& backend);
    /// Nodes at which the reference would have decided otherwise, and at how many elements.
    const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>& otherwise() const { return otherwise_; }

private:
    KeptValues values_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> otherwise_;  ///< by body and node
};

}  // namespace aliascope::exec
