#pragma once
// Rules of the main joint set that need no pattern language (canonicalize.md 5.5), for the pass `joint-patterns`.
//
// Extended mode narrows two of them: two conversions become one only where the first loses nothing.

#include "core/passes/rule_set.h"

namespace aliascope {

/// iota device, double convert, bmm to mm, full with scatter, in PyTorch's order of registration. They come first in the set.
void addGraphRules(RuleSet& set);
/// Indexing by randperm: its positions are in bounds and differ. They come last in the set.
void addRandpermRules(RuleSet& set);

}  // namespace aliascope
