#pragma once
// What the language for finding (core/query) asks of decisions.

#include <string>

#include "core/query/find.h"
#include "core/recording/recording.h"

namespace aliascope {

/// `pass`: the pass of the decision's stage. Of facts, `decision(...)` is asked of the row itself; `bytes` is the larger of reported and cloned.
bool decisionMatches(const query::Find& what, const DecisionRow& row, const std::string& pass);

}  // namespace aliascope
