#pragma once
// Words for decisions, the same in every verb, panel and report.

#include <string>

#include "core/recording/recording.h"

namespace aliascope {

/// `in place`, `needed`, `avoidable`, `unknown`, `not attempted`, `no-op left`, or the verdict itself.
std::string verdictWord(const DecisionRow& row);
/// `LATER_READ` of RI30.READ; the code where it is a name itself.
std::string reasonName(const std::string& code);
/// A copy is left that nobody has shown to be needed.
bool isFinding(const DecisionRow& row);
/// `torch.ops.mylib.cache.default` -> `mylib.cache`.
std::string shortOperator(std::string text);

}  // namespace aliascope
