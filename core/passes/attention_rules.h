#pragma once
// Rules made of patterns: PyTorch's attention patterns and those of users (patterns.md), for a set that is traversed once.

#include <memory>
#include <string>
#include <vector>

#include "core/passes/rule_set.h"
#include "core/patterns/pattern_set.h"

namespace aliascope {

/// The attention patterns that are part of the program, in the form of the mode; made on first use and shared.
const patterns::PatternSet& attentionPatterns(bool extended);

/// The patterns of a user's file. Errors: PATTERN_SYNTAX, EMPTY_PATTERN, REPLACEMENT_TRACE.
Result<std::shared_ptr<const patterns::PatternSet>> userPatterns(const std::string& path, const OpRegistry& ops, bool extended);

/// One entry per root operator. `explain` records why what nearly matched did not. The set must outlive the rules.
void addPatternRules(RuleSet& rules, const std::string& name, const patterns::PatternSet& set, bool tf32, bool explain);

/// The graph has a backward part: gradients of its outputs come in.
bool isJointGraph(const Graph& g);

}  // namespace aliascope
