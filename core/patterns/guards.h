#pragma once
// Conditions of rules, decided on the graph (patterns.md 6, 8). Three-valued: what cannot be decided is a refusal (UNDECIDED).
//
// Functions: shape, dim, dtype, device, stride, rank, axis. Predicates: contiguous, uniform, broadcastable, perm, is_last2_swap, merges, splits,
// neginf_or_lowest, train, flag, precision; of attention: attention, checked_attention, mask, checked_mask, plain_number, off_cuda, zero_or_one,
// rows_kept, lower_triangle. The ones of attention that PyTorch does not check hold in reference mode.

#include <map>
#include <optional>

#include "core/patterns/match.h"

namespace aliascope::patterns {

struct GuardFlags {
    bool extended = false;
    bool tf32 = false;      ///< TF32 products are allowed
    bool training = false;  ///< the graph has a backward part
};

/// What a guard may speak of.
struct GuardScope {
    const Graph& g;
    std::map<std::string, Value> values;  ///< `$name` and `%name`
    NodeId root;
    GuardFlags flags;
};

/// Nothing when all hold; else why the first does not.
std::optional<Refusal> checkGuards(const std::vector<Guard>& guards, const GuardScope& scope);

/// Whether the language knows the predicate; texts are checked when they are read.
bool isPredicate(const std::string& name);

}  // namespace aliascope::patterns
