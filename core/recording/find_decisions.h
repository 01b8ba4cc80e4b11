#pragma once
// What the language for finding (core/query) asks of decisions.

#include <string>

#include "core/query/find.h"
#include "core/recording/recording.h"

namespace aliascope {

/// Whether a text of the decision fits, where the language asks for that field of it.
bool decisionFits(const DecisionRow& row, const std::string& pass, query::Field field, const query::Subject::Fits& fits);
/// Whether the decision is one of which `decision(...)` speaks; false for other facts.
bool decisionHolds(const DecisionRow& row, const std::string& pass, const query::Fact& fact);
/// `pass`: the pass of the decision's stage. Of facts, `decision(...)` is asked of the row itself; `bytes` is the larger of reported and cloned.
bool decisionMatches(const query::Find& what, const DecisionRow& row, const std::string& pass);

}  // namespace aliascope
