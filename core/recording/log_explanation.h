#pragma once
// What a line of PyTorch's log about re-inplacing says of a recorded lane: the calls that it fits, base indices as arguments of the operator, and a
// sentence (ui.md 2.6). PyTorch names the operator in that line, not the node, so that one line may fit several calls.
// Thread-safety: as Recording.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/reinplace_log.h"
#include "core/recording/recording.h"

namespace aliascope {

struct LogExplanation {
    std::vector<std::string> attempted, cloned, missed;  ///< argument names; `base 0 (x, y)` where the line gives an index
    std::optional<std::int64_t> bytes;                   ///< numel x item size of the missed values, as PyTorch counts
    std::string sentence;                                ///< says plainly when all is well
    std::vector<std::string> calls;                      ///< names of the nodes that the line fits, in program order
    std::vector<std::int64_t> decisions;                 ///< ids of the decisions about them: what was cloned first
    bool agrees = false;                                 ///< the recorded verdicts of `calls` are those of the line
};

/// Calls by name, by original name, by operator, else by their arguments and verdicts; none of them when nothing fits. Only decisions of
/// re-inplacing.
LogExplanation explainLogLine(const Recording& recording, std::int64_t lane, const LogLine& line);

}  // namespace aliascope
