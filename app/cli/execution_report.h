#pragma once
// How runs of stages are told: a table of stages, and the JSON of `exec`.

#include "app/cli/execution.h"

namespace aliascope::cli {

/// One row per stage: time, peak, verdict against the first, where a difference begins.
Table executionTable(Command& c, const Execution& execution);
/// stages[], digests[] and written[] (where asked for), memory[], comparisons[], inputs[]. `lastOnly`: digests of the last stage alone.
Json executionJson(Command& c, const StageRuns& runs, const Execution& execution, bool lastOnly, bool withDigests);

}  // namespace aliascope::cli
