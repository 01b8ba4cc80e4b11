#pragma once
// From a file to a session file, on a job thread: read, run a pipeline, record. What views show afterwards is read back from the session.

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/recording/recorder.h"
#include "core/recording/recording.h"
#include "core/text/document.h"
#include "views/session/error_report.h"
#include "views/session/job_queue.h"
#include "views/session/stage_view.h"

namespace aliascope {

struct OpenRequest {
    QString path;         ///< file, or `:/samples/…` of the program itself; empty for pasted text
    QString text;         ///< pasted text, when path is empty
    QString title;        ///< shown in the window; empty = file name
    QStringList ops;      ///< further operator files
    QString pipeline;     ///< named pipeline or pipeline text; empty = `best`
    QString graph;        ///< unit of a file with several graphs (`2`); empty = ask when there are several
    QString stage, node;  ///< where to stand afterwards; empty = as left, or the last changed stage
};

/// What reading gave: a session file, or graphs.
struct ReadOutcome {
    OpenRequest request;
    std::shared_ptr<const OpRegistry> ops;
    QString sessionPath;  ///< the path, when the file is a session
    std::shared_ptr<const Document> document;
    std::optional<ErrorReport> error;
    bool cancelled = false;
};

/// Everything about one lane that lists show.
struct LaneData {
    std::shared_ptr<Recording> recording;
    std::vector<GraphRow> graphs;
    std::vector<LaneRow> lanes;
    std::int64_t lane = 0;
    std::vector<StageRow> stages;
    std::shared_ptr<const std::vector<DecisionRow>> decisions;
    std::shared_ptr<const std::vector<DiagnosticRow>> diagnostics;
    std::unordered_map<Uid, std::int64_t> copies;  ///< clones that passes put in -> the decision that left the copy
    int wantedStage = 0;                           ///< from the request; 0 = none
    QString stageError;                            ///< the stage that was asked for and is not there
};

/// Decisions about a node, or about the copy that it is; what was copied first, then what is in place, then notes.
std::vector<const DecisionRow*> decisionsAbout(const LaneData& data, Uid uid);
/// The clone that a decision left in `view`; kNoUid when there is none.
Uid copyOf(const LaneData& data, std::int64_t decision, const StageView& view);

struct RecordOutcome {
    std::optional<LaneData> data;
    std::optional<ErrorReport> error;  ///< with `data`: a pass failed, the stages before it are good
    bool cancelled = false;
};

/// Graphs that can be opened on their own: bodies of higher-order operators are left out. Indices into document.units.
std::vector<std::size_t> openableUnits(const Document& document);

/// Why a file of operator schemas cannot be used; nothing when it can.
std::optional<ErrorReport> operatorsRefused(const QString& file);

ReadOutcome readInput(const OpenRequest& request, const JobContext& job);
/// Runs `pipeline` over the unit and records it in a new session at `sessionPath`, then opens that. The stages that the file has of the same
/// compilation become lanes of their own (foreign_lanes.h); graphs of other compilations are left out.
RecordOutcome recordUnit(const ReadOutcome& input, std::size_t unit, const QString& sessionPath, const JobContext& job);
/// Another pipeline over the graph of an open lane, recorded as a further lane of the same session.
RecordOutcome recordLane(const LaneData& open, const QString& pipeline, const std::shared_ptr<const OpRegistry>& ops, const JobContext& job);
/// `lane` 0 = the last one; `stage` as the command line takes it, empty = none wanted. Cancelled: without data.
RecordOutcome openRecording(const QString& path, std::int64_t lane, const QString& stage, const CancelToken& cancel = {});
/// What is read when `cancel` says so is of no use.
LaneData readLane(const std::shared_ptr<Recording>& recording, std::int64_t lane, const QString& stage, const CancelToken& cancel = {});

}  // namespace aliascope
