#pragma once
// Writes a report of a lane, or one of its stages, to a file: by the same code as `aliascope report` and `aliascope export` (ui.md 5).

#include <QString>
#include <memory>
#include <optional>
#include <set>

#include "core/report/reproduce.h"
#include "views/session/error_report.h"
#include "views/session/job_queue.h"

namespace aliascope {

enum class ExportForm : std::uint8_t { Html, Svg, Dot, Graph, Readable };
/// By the end of the name: .svg, .dot and .gv, .txt, .py; anything else is a report.
ExportForm exportFormOf(const QString& path);

struct ExportRequest {
    QString path;
    ExportForm form = ExportForm::Html;
    std::int64_t lane = 0;
    int stage = 0;                      ///< of all forms but the report
    std::optional<std::set<Uid>> only;  ///< of a picture: these nodes
    report::Reproduction from;          ///< of a report
    std::shared_ptr<const OpRegistry> ops;
};

struct ExportOutcome {
    qint64 bytes = 0;
    bool cancelled = false;  ///< then nothing was written
    std::optional<ErrorReport> error;
};

/// The file is there when it is complete; one of that name is replaced then, not before. Job threads only.
ExportOutcome exportTo(const Recording& recording, const ExportRequest& request, const JobContext& job);

}  // namespace aliascope
