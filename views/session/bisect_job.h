#pragma once
// The search for the pass, or the rewrite, after which a program gives something else, from the window (ui.md 2.9).

#include <QString>
#include <optional>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/error_report.h"
#include "views/session/job_queue.h"
#include "views/session/selection.h"

namespace aliascope {

struct BisectRow {
    int stage = 0;
    bool good = false;
    QString text;  ///< `5 reinplace, 3 rewrites: differs at add`
};

struct BisectReport {
    std::optional<ErrorReport> error;
    bool cancelled = false;
    std::vector<BisectRow> probes;
    int stage = 0;      ///< the first that differs; 0 = none
    Uid node = kNoUid;  ///< after the rewrite that was found
    QString sentence;   ///< what was found
    QString command;    ///< that asks the same of the command line
};

/// Job threads only. `probed` is called there for every probe. Probes are kept in the session where it can be written.
BisectReport bisect(const std::shared_ptr<Recording>& recording, std::int64_t lane, const std::shared_ptr<const OpRegistry>& ops, bool rewrites,
                    const JobContext& job, const std::function<void(const BisectRow&)>& probed);

}  // namespace aliascope
