#pragma once
// One lane of a session as one HTML file (ui.md 5): no network, no other files, light and dark, readable without its script.
// Equal sessions give equal bytes. Thread-safety: a function without state.

#include <string>

#include "core/ir/op_registry.h"
#include "core/recording/recording.h"
#include "core/support/cancel.h"

namespace aliascope::report {

struct ReportOptions {
    bool pictures = true;           ///< neighbourhood and byte map of a Why card
    std::size_t cards = 200;        ///< Why cards, findings first; the rest stays in the table
    std::size_t pictureNodes = 40;  ///< of one neighbourhood
    std::size_t diffLines = 400;    ///< of one stage
    std::string reproduce;          ///< command lines that give this session, one a line; empty = as the session tells
    CancelToken cancel;
    Progress progress;  ///< sections done; may be empty
};

/// Errors: those of Recording::graph for stages that the report has to rebuild; CANCELLED.
Result<std::string> htmlReport(const Recording& recording, const GraphRow& graph, const LaneRow& lane, const OpRegistry& ops,
                               const ReportOptions& options = {});

}  // namespace aliascope::report
