#pragma once
// What is open, which stage is current, what is selected: the one object that all panels share. Everything shown comes from the recording and
// is read on job threads; the UI thread never opens the database (ui.md 3.1, 7.3).
// Thread-safety: UI thread only.

#include <QObject>
#include <QTemporaryDir>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "views/session/bisect_job.h"
#include "views/session/bookmarks.h"
#include "views/session/job_queue.h"
#include "views/session/opening.h"
#include "views/session/pipeline_draft.h"
#include "views/session/run_job.h"
#include "views/session/selection.h"
#include "views/session/stage_text.h"
#include "views/session/stage_view.h"
#include "views/session/storage_pins.h"

namespace aliascope {

class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    JobQueue& jobs() { return jobs_; }

    // --- opening ------------------------------------------------------------------------------------------------------------------------
    /// Reads, runs the pipeline, records, shows. A file with several graphs ends in importChoice(); a newer request supersedes an older one.
    void open(const OpenRequest& request);
    /// Answers importChoice() with an index into the document's units. Nothing is read again.
    void openUnit(std::size_t unit);
    /// The document of several graphs from which openUnit() takes one, and another later on; null when what is open has one graph.
    std::shared_ptr<const Document> pendingDocument() const { return pending_ ? pending_->document : nullptr; }
    /// Runs a further pipeline over the graph of the current lane; it becomes the current lane.
    void runPipeline(const QString& pipeline);
    /// Runs stages of the current lane and records what comes out; ends in runFinished(). One at a time: false while one runs.
    bool runStages(const RunRequest& request);
    /// Searches the pass (or the rewrite too) after which the current lane differs; ends in bisectFinished(). False while a run is in progress.
    bool bisect(bool rewrites);
    /// The job of the run in progress; 0 = none.
    int runningJob() const { return runningJob_; }
    /// Copies the session file; afterwards the copy is the open one.
    void saveAs(const QString& path);
    void close();

    // --- what is open --------------------------------------------------------------------------------------------------------------------
    bool isOpen() const { return data_.recording != nullptr; }
    /// Recorded into a temporary file that goes with the program.
    bool isTemporary() const { return temporary_; }
    QString title() const { return title_; }
    QString sourcePath() const { return source_; }  ///< what was opened, as the user named it
    QString sessionPath() const;
    QString commandFile() const;  ///< FILE of a command line that shows the same: the session, or what was opened
    QStringList opsFiles() const { return opsFiles_; }
    const LaneData& data() const { return data_; }
    const LaneRow* lane() const;
    const StageRow* stageRow(int idx) const;

    void setLane(std::int64_t lane);
    void setStage(int idx);
    int stage() const { return stage_; }
    /// Direction +1 or -1; false at the end of the list.
    bool step(int direction, bool changedOnly);
    /// The stage on screen; during a step that is not read yet still the one before. Null when nothing is open.
    const StageViewPtr& view() const { return view_; }

    void setDrawing(const DrawingOptions& options);
    void toggleGroup(const QString& title);
    const DrawingOptions& drawing() const { return drawing_; }

    // --- selection -----------------------------------------------------------------------------------------------------------------------
    const Selection& selection() const { return selection_; }
    void select(const Selection& selection, Origin origin);
    void selectNode(Uid uid, Origin origin);
    void selectStorage(int storage, Origin origin);
    void selectDecision(const DecisionRow& decision, Origin origin);
    /// The pipeline of the lane as it is being edited, with its undo.
    PipelineDraft& draft() { return draft_; }
    const PipelineDraft& draft() const { return draft_; }
    /// Pinned nodes stay marked while stepping.
    const std::unordered_set<Uid>& pins() const { return pins_; }
    void togglePin(Uid uid);
    /// The node under the pointer, which views outline once it has rested there; kNoUid = none, at once. Never selects or scrolls.
    void setPreview(Uid uid);
    Uid preview() const { return preview_; }
    /// Storages with a colour of their own, and marked places: kept in the session file, with undo.
    StoragePins& storagePins() { return storagePins_; }
    Bookmarks& bookmarks() { return bookmarks_; }
    /// Gives slot 0..5 to the storage of the selection, or takes it away. False when nothing with a storage is selected.
    bool pinStorage(int slot);
    /// Marks the selected node in this stage, or the stage; true when it is marked now.
    bool toggleBookmark();
    /// To the stage of a lane, then to the node.
    void goTo(std::int64_t lane, int stage, Uid uid);
    void clearSelection(Origin origin) { select({}, origin); }
    /// Browser-like history of (stage, selection).
    bool goBack();
    bool goForward();

    // --- questions, answered later on the UI thread -------------------------------------------------------------------------------------------
    /// Text of the current stage, on request with the lines that it removed; answered by textReady().
    void requestText(TextForm form, bool withRemoved = false);
    /// `key`: a newer question of the same panel replaces an older one. The job, to cancel it; 0 = no session is open.
    template <class Work, class Done>
    int ask(const QString& key, Work work, Done done) {
        if (!isOpen()) return 0;
        return jobs_.start(
            QString(), key, JobQueue::Kind::Quiet,
            [recording = data_.recording, work = std::move(work)](const JobContext& job) { return work(*recording, job); }, std::move(done));
    }
    const std::shared_ptr<const OpRegistry>& ops() const { return ops_; }

Q_SIGNALS:
    void recordingChanged();      ///< another file, lane or run: lists are read anew
    void stageSelected(int idx);  ///< at once
    void stageChanged();          ///< view() is another one
    void selectionChanged(const aliascope::Selection& selection, aliascope::Origin origin);
    void textReady(aliascope::StageTextPtr text);
    void pinsChanged();
    void previewChanged(aliascope::Uid uid);
    void runsChanged();  ///< runs or comparisons of the lane were recorded
    void runStarted();
    void runFinished(const aliascope::RunReport& report);
    void bisectStarted();
    void bisectProbed(const aliascope::BisectRow& row);
    void bisectFinished(const aliascope::BisectReport& report);
    void importChoice();  ///< pendingDocument() holds several graphs
    void failed(const aliascope::ErrorReport& report);
    void notice(const QString& sentence);  ///< something to know, nothing to do
    void idle();

private:
    struct Place {
        int stage = 0;
        Selection selection;
    };

    void readDone(ReadOutcome outcome);
    void recordUnitOf(const ReadOutcome& outcome, std::size_t unit);
    void recorded(RecordOutcome outcome, const OpenRequest& request);
    void reportPartial(const ReadOutcome& outcome, std::size_t unit);
    void adopt(LaneData data);
    void showStage(int idx);
    void show(StageViewPtr view);
    void stayWhereShown();
    void prefetch();
    void keep(StageViewPtr view);
    StageViewPtr kept(int idx) const;
    void readMarks();
    void writeMarks();
    void remember();
    void applyPlace(const Place& place);
    void arrive();
    int initialStage() const;
    std::vector<int> neighbours() const;
    bool temporaryPath(const QString& title, QString& path);

    JobQueue jobs_;
    std::unique_ptr<QTemporaryDir> folder_;
    int sessionsMade_ = 0;
    int runningJob_ = 0;
    std::optional<ReadOutcome> pending_;
    std::shared_ptr<const OpRegistry> ops_;

    LaneData data_;
    QString title_, source_, wantedNode_;
    QStringList opsFiles_;
    bool temporary_ = false;
    int stage_ = 0;
    StageViewPtr view_;
    DrawingOptions drawing_;
    Selection selection_;
    std::unordered_set<Uid> pins_;
    Uid preview_ = kNoUid, resting_ = kNoUid;  ///< outlined; under the pointer
    QTimer rest_;
    PipelineDraft draft_;
    StoragePins storagePins_;
    Bookmarks bookmarks_;
    bool readingMarks_ = false, writingMarks_ = false, marksChanged_ = false;
    std::optional<NoteRow> wantedPlace_;  ///< on its way: its lane or stage is being read

    std::deque<StageViewPtr> cache_;  // newest first
    std::deque<StageTextPtr> texts_;
    std::vector<int> prefetching_;
    std::optional<std::pair<TextForm, bool>> wantedText_;  // what a pane shows: form, with removed lines
    std::deque<Place> back_, forward_;
};

}  // namespace aliascope
