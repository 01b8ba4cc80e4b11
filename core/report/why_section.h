#pragma once
// The Why cards of a report with their two pictures. Private to core/report.

#include <string>
#include <vector>

#include "core/report/html_report.h"

namespace aliascope::report {

/// `decisions` in the order of the cards; each has the anchor `why-ID`.
Result<std::string> whySection(const Recording& recording, const LaneRow& lane, const OpRegistry& ops, const std::vector<DecisionRow>& decisions,
                               const ReportOptions& options);

}  // namespace aliascope::report
