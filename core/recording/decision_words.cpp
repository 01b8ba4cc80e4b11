#include "core/recording/decision_words.h"

#include "core/support/reasons.h"

namespace aliascope {

std::string verdictWord(const DecisionRow& row) {
    if (row.code == "SELF_COPY") return "no-op left";
    if (row.verdict == "in-place") return "in place";
    if (row.verdict == "not-attempted") return "not attempted";
    if (row.verdict == "clone") return row.need.empty() || row.need == "none" ? "unknown" : row.need;
    return row.verdict;
}

std::string reasonName(const std::string& code) {
    const Reason* reason = findReason(code);
    return reason && !reason->name.empty() ? std::string(reason->name) : code;
}

bool isFinding(const DecisionRow& row) { return row.verdict == "clone" && row.need != "needed"; }

std::string shortOperator(std::string text) {
    if (text.starts_with("torch.ops.")) text.erase(0, 10);
    if (const auto colons = text.find("::"); colons != std::string::npos) text.replace(colons, 2, ".");
    if (text.ends_with(".default")) text.erase(text.size() - 8);
    return text;
}

}  // namespace aliascope
