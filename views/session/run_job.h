#pragma once
// Running stages from the window: on a job thread, through the executor of core, into the session file (ui.md 2.12). Also the history that the
// session keeps of it.

#include <QString>
#include <optional>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/error_report.h"
#include "views/session/job_queue.h"
#include "views/session/selection.h"

namespace aliascope {

struct RunRequest {
    QString device = QStringLiteral("cpu");  ///< `cpu`, `cpu-ref`
    std::vector<int> stages;                 ///< empty = all; what is compared is compared with the first
    QString inputs;                          ///< file of tensors; empty = random
    quint64 seed = 0;
    bool castInputs = false;
    bool memory = true, numerics = true, time = true;  ///< what is recorded
    int repeat = 1;
    double limitSeconds = 0;           ///< 0 = none
    bool standIn = false;              ///< unknown operators are stood in for
    bool findStaleReads = false;       ///< the sanitizer watches every read
    bool doubles = false;              ///< differences are judged by their errors against the first stage in doubles
    std::optional<double> rtol, atol;  ///< instead of the policy

    friend bool operator==(const RunRequest&, const RunRequest&) = default;
};

struct RunReport {
    std::optional<ErrorReport> error;  ///< nothing could run, or nothing could be recorded
    bool cancelled = false, failed = false;
    int stages = 0;  ///< that ran to their end
    int compared = 0, differing = 0;
    bool recorded = false;
};

/// Job threads only. The recording may be read meanwhile.
RunReport runStages(const std::shared_ptr<Recording>& recording, std::int64_t lane, const std::shared_ptr<const OpRegistry>& ops,
                    const RunRequest& request, const JobContext& job);

/// A message of a run, or the run itself when `message` is empty.
struct RunHistoryRow {
    RunRow run;
    QString verdict;        ///< against the first stage: `same`, `differs`, …; empty = not compared
    QString code, message;  ///< what went wrong, or what was found
    QString severity;       ///< of the message
    Uid node = kNoUid;      ///< that the message names
};

/// Newest run first, its messages after it. Predictions are left out.
std::vector<RunHistoryRow> runHistory(const Recording& recording, std::int64_t lane);

}  // namespace aliascope
