#include "views/session/session.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "views/session/save_job.h"

namespace aliascope {
namespace {

constexpr std::size_t kKeptNodes = 400'000;  // of all kept stages together
constexpr std::size_t kKeptTexts = 12;
constexpr std::size_t kHistory = 200;
constexpr int kRestMs = 80;  // before what the pointer is on is shown in other views

QString fileTitle(const OpenRequest& request) {
    if (!request.title.isEmpty()) return request.title;
    return request.path.isEmpty() ? QObject::tr("pasted graph") : QFileInfo(request.path).fileName();
}

}  // namespace

Session::Session(QObject* parent) : QObject(parent), storagePins_(*draft_.undoStack()), bookmarks_(*draft_.undoStack()) {
    connect(&jobs_, &JobQueue::idle, this, &Session::idle);
    connect(&storagePins_, &StoragePins::changed, this, &Session::writeMarks);
    connect(&bookmarks_, &Bookmarks::changed, this, &Session::writeMarks);
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, [this] { emit previewChanged(preview_ = resting_); });
}

Session::~Session() = default;

// --- opening -----------------------------------------------------------------------------------------------------------------------------

void Session::open(const OpenRequest& request) {
    pending_.reset();
    jobs_.start(
        tr("Opening %1").arg(fileTitle(request)), QStringLiteral("open"), JobQueue::Kind::Visible,
        [request](const JobContext& job) { return readInput(request, job); }, [this](ReadOutcome outcome) { readDone(std::move(outcome)); });
}

void Session::readDone(ReadOutcome outcome) {
    if (outcome.cancelled) {
        emit notice(tr("Opening %1 was stopped.").arg(fileTitle(outcome.request)));
        return;
    }
    if (outcome.error) {
        emit failed(*outcome.error);
        return;
    }
    if (!outcome.sessionPath.isEmpty()) {
        const OpenRequest request = outcome.request;
        ops_ = outcome.ops;
        jobs_.start(
            tr("Opening %1").arg(fileTitle(request)), QStringLiteral("open"), JobQueue::Kind::Visible,
            [request](const JobContext& job) { return openRecording(request.path, 0, request.stage, job.cancelToken()); },
            [this, request](RecordOutcome recordedOutcome) {
                temporary_ = false;
                recorded(std::move(recordedOutcome), request);
            });
        return;
    }
    const std::vector<std::size_t> units = openableUnits(*outcome.document);
    if (units.empty()) {
        ErrorReport report;
        report.what = tr("No graph was found in %1.").arg(fileTitle(outcome.request));
        report.where = outcome.request.path;
        if (!outcome.document->diagnostics.empty()) report = reportOf(outcome.document->diagnostics.front());
        emit failed(report);
        return;
    }
    for (std::size_t unit : units) {
        if (outcome.document->units[unit].id != outcome.request.graph.toStdString()) continue;
        recordUnitOf(outcome, unit);
        if (units.size() > 1) pending_ = std::move(outcome);
        return;
    }
    if (!outcome.request.graph.isEmpty()) {
        ErrorReport report;
        report.what = tr("The file has no graph %1.").arg(outcome.request.graph);
        report.where = outcome.request.path;
        report.todo = tr("The file holds %1, numbered from 1.").arg(units.size() == 1 ? tr("one graph") : tr("%1 graphs").arg(units.size()));
        report.exitCode = 1;
        emit failed(report);
        return;
    }
    if (units.size() == 1) {
        recordUnitOf(outcome, units.front());
        return;
    }
    pending_ = std::move(outcome);
    emit importChoice();
}

void Session::openUnit(std::size_t unit) {
    if (!pending_) return;
    recordUnitOf(*pending_, unit);
}

bool Session::temporaryPath(const QString& title, QString& path) {
    if (!folder_) folder_ = std::make_unique<QTemporaryDir>();
    if (!folder_->isValid()) {
        ErrorReport report;
        report.what = tr("No temporary folder can be made: %1.").arg(folder_->errorString());
        report.todo = tr("Free some space, or set TMPDIR to another folder.");
        report.exitCode = 9;
        emit failed(report);
        return false;
    }
    QString name = title;
    name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("_"));
    path = folder_->filePath(QStringLiteral("%1-%2.aliascope").arg(name.left(60)).arg(++sessionsMade_));
    return true;
}

void Session::recordUnitOf(const ReadOutcome& outcome, std::size_t unit) {
    QString path;
    if (!temporaryPath(fileTitle(outcome.request), path)) return;
    ops_ = outcome.ops;
    jobs_.start(
        tr("Recording %1").arg(fileTitle(outcome.request)), QStringLiteral("open"), JobQueue::Kind::Visible,
        [outcome, unit, path](const JobContext& job) {
            RecordOutcome result = recordUnit(outcome, unit, path, job);
            if (result.data && !outcome.request.stage.isEmpty())
                result.data = readLane(result.data->recording, result.data->lane, outcome.request.stage);
            return result;
        },
        [this, outcome, unit](RecordOutcome result) {
            temporary_ = true;
            const bool whole = !result.error && !result.cancelled;
            recorded(std::move(result), outcome.request);
            if (whole) reportPartial(outcome, unit);
        });
}

/// A graph of which a part could not be read opens all the same; the first reason is shown, the others stand in the log.
void Session::reportPartial(const ReadOutcome& outcome, std::size_t unit) {
    const Unit& read = outcome.document->units[unit];
    const auto first =
        std::find_if(read.diagnostics.begin(), read.diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
    if (first == read.diagnostics.end()) return;
    ErrorReport report = reportOf(*first);
    report.todo = tr("What could be read is shown: %1 nodes. Every message stands in the log.").arg(read.graph.size());
    report.exitCode = 0;
    emit failed(report);
}

void Session::recorded(RecordOutcome outcome, const OpenRequest& request) {
    if (outcome.data) {
        title_ = fileTitle(request);
        source_ = request.path;
        opsFiles_ = request.ops;
        wantedNode_ = request.node;
        drawing_ = {};
        pins_.clear();
        emit pinsChanged();
        back_.clear();
        forward_.clear();
        adopt(std::move(*outcome.data));
        readMarks();
    }
    if (outcome.cancelled)
        emit notice(outcome.data ? tr("Stopped. What was finished so far is shown: %1 of the stages.").arg(data_.stages.size())
                                 : tr("Opening was stopped."));
    if (outcome.error) emit failed(*outcome.error);
    if (!outcome.data) return;
    if (!data_.stageError.isEmpty()) {
        ErrorReport report;
        report.what = tr("There is no stage \"%1\".").arg(data_.stageError);
        report.todo = tr("Stages are numbered from 1, or called by name, \"first\" or \"last\".");
        report.exitCode = 1;
        emit failed(report);
    }
}

void Session::runPipeline(const QString& pipeline) {
    if (!isOpen()) return;
    jobs_.start(
        tr("Running %1").arg(pipeline), QStringLiteral("open"), JobQueue::Kind::Visible,
        [data = data_, pipeline, ops = ops_](const JobContext& job) { return recordLane(data, pipeline, ops, job); },
        [this](RecordOutcome outcome) {
            if (outcome.data) adopt(std::move(*outcome.data));
            if (outcome.error) emit failed(*outcome.error);
        });
}

bool Session::runStages(const RunRequest& request) {
    if (!isOpen() || runningJob_ != 0) return false;
    runningJob_ = jobs_.start(
        request.stages.size() == 1 ? tr("Running stage %1").arg(request.stages.front()) : tr("Running all stages"), QString(),
        JobQueue::Kind::Visible,
        [recording = data_.recording, lane = data_.lane, ops = ops_, request](const JobContext& job) {
            return aliascope::runStages(recording, lane, ops, request, job);
        },
        [this, recording = data_.recording](RunReport report) {
            runningJob_ = 0;
            emit runFinished(report);
            if (report.recorded && recording == data_.recording) emit runsChanged();
        });
    emit runStarted();
    return true;
}

bool Session::bisect(bool rewrites) {
    if (!isOpen() || runningJob_ != 0) return false;
    runningJob_ = jobs_.start(
        tr("Bisecting"), QString(), JobQueue::Kind::Visible,
        [this, recording = data_.recording, lane = data_.lane, ops = ops_, rewrites](const JobContext& job) {
            return aliascope::bisect(recording, lane, ops, rewrites, job, [this](const BisectRow& row) {
                QMetaObject::invokeMethod(
                    this, [this, row] { emit bisectProbed(row); }, Qt::QueuedConnection);
            });
        },
        [this](BisectReport report) {
            runningJob_ = 0;
            emit bisectFinished(report);
        });
    emit bisectStarted();
    return true;
}

void Session::saveAs(const QString& path) {
    if (!isOpen()) return;
    jobs_.start(
        tr("Saving %1").arg(QFileInfo(path).fileName()), QStringLiteral("save"), JobQueue::Kind::Visible,
        [from = sessionPath(), path, lane = data_.lane](const JobContext& job) { return saveSession(from, path, lane, job); },
        [this, path](const RecordOutcome& saved) {
            if (saved.error) emit failed(*saved.error);
            if (saved.cancelled) emit notice(tr("Stopped: nothing was saved."));
            if (!saved.data) return;
            data_.recording = saved.data->recording;
            temporary_ = false;
            title_ = QFileInfo(path).fileName();
            source_ = path;
            emit recordingChanged();
            emit notice(tr("Saved as %1.").arg(path));
        });
}

void Session::close() {
    jobs_.cancelAll();
    pending_.reset();
    data_ = {};
    cache_.clear();
    texts_.clear();
    view_.reset();
    stage_ = 0;
    back_.clear();
    forward_.clear();
    emit recordingChanged();
    emit stageChanged();
    select({}, Origin::Program);
}

// --- what is open -------------------------------------------------------------------------------------------------------------------------

QString Session::sessionPath() const { return data_.recording ? QString::fromStdString(data_.recording->path()) : QString(); }

QString Session::commandFile() const {
    if (!temporary_) return sessionPath();
    return source_.isEmpty() ? QStringLiteral("-") : source_;
}

const LaneRow* Session::lane() const {
    for (const LaneRow& row : data_.lanes)
        if (row.id == data_.lane) return &row;
    return nullptr;
}

const StageRow* Session::stageRow(int idx) const {
    for (const StageRow& row : data_.stages)
        if (row.idx == idx) return &row;
    return nullptr;
}

int Session::initialStage() const {
    if (wantedPlace_ && wantedPlace_->lane == data_.lane && stageRow(wantedPlace_->stage)) return wantedPlace_->stage;
    if (data_.wantedStage > 0) return data_.wantedStage;
    for (auto it = data_.stages.rbegin(); it != data_.stages.rend(); ++it)
        if (it->changed && it->state == "ok") return it->idx;
    return data_.stages.empty() ? 0 : data_.stages.front().idx;
}

void Session::adopt(LaneData data) {
    const bool sameLane = data_.recording && data.recording->path() == data_.recording->path() && data.lane == data_.lane;
    const Selection keptSelection = sameLane ? selection_ : Selection();
    data_ = std::move(data);
    cache_.clear();
    texts_.clear();
    prefetching_.clear();
    view_.reset();
    stage_ = 0;
    selection_ = {};
    const LaneRow* row = lane();
    draft_.load(row && row->kind != "foreign" ? row->pipeline : std::string(), data_.stages);
    emit recordingChanged();
    emit selectionChanged(selection_, Origin::Program);
    setStage(initialStage());
    if (!keptSelection.empty()) select(keptSelection, Origin::Program);
}

void Session::setLane(std::int64_t lane) {
    if (!isOpen() || lane == data_.lane) return;
    jobs_.start(
        tr("Reading lane"), QStringLiteral("lane"), JobQueue::Kind::Visible,
        [recording = data_.recording, lane](const JobContext&) { return readLane(recording, lane, {}); },
        [this](LaneData data) {
            const std::string name = view_ && view_->node(selection_.node) ? view_->node(selection_.node)->name : std::string();
            wantedNode_ = QString::fromStdString(name);
            adopt(std::move(data));
        });
}

void Session::setStage(int idx) {
    if (!stageRow(idx) || idx == stage_) return;
    if (wantedPlace_ && wantedPlace_->stage != idx) wantedPlace_.reset();  // the reader went elsewhere
    if (stage_ > 0) remember();
    showStage(idx);
}

bool Session::step(int direction, bool changedOnly) {
    const auto& stages = data_.stages;
    const auto at = std::find_if(stages.begin(), stages.end(), [&](const StageRow& row) { return row.idx == stage_; });
    if (at == stages.end()) return false;
    for (auto i = std::distance(stages.begin(), at) + direction; i >= 0 && i < std::ssize(stages); i += direction) {
        const StageRow& row = stages[std::size_t(i)];
        if (changedOnly && !row.changed && row.idx != 1 && row.state == "ok") continue;
        setStage(row.idx);
        return true;
    }
    return false;
}

StageViewPtr Session::kept(int idx) const {
    for (const StageViewPtr& view : cache_)
        if (view->stage == idx && view->lane == data_.lane) return view;
    return nullptr;
}

void Session::keep(StageViewPtr view) {
    std::erase_if(cache_, [&](const StageViewPtr& other) { return other->stage == view->stage && other->lane == view->lane; });
    cache_.push_front(std::move(view));
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < cache_.size(); ++i) {
        nodes += cache_[i]->snapshot->nodes.size();
        if (nodes > kKeptNodes && i > 2) {
            cache_.resize(i);
            return;
        }
    }
}

void Session::showStage(int idx) {
    stage_ = idx;
    emit stageSelected(idx);
    const StageViewPtr ready = kept(idx);
    if (ready && ready->options == drawing_) {
        show(ready);
        return;
    }
    jobs_.start(
        tr("Reading stage %1").arg(idx), QStringLiteral("stage"), JobQueue::Kind::Visible,
        [recording = data_.recording, lane = data_.lane, idx, options = drawing_, ready](const JobContext& job) {
            return ready ? redraw(*ready, options, job.cancelToken()) : loadStageView(*recording, lane, idx, options, job.cancelToken());
        },
        [this, idx](StageViewPtr view) {
            if (stage_ != idx) return;
            if (!view) {
                stayWhereShown();
                return;
            }
            if (view->lane == data_.lane) show(std::move(view));
        });
}

/// A step that was cancelled leaves everything at the stage, and in the drawing, that is on the screen.
void Session::stayWhereShown() {
    stage_ = view_ ? view_->stage : 0;
    if (view_) drawing_ = view_->options;
    emit stageSelected(stage_);
    if (view_) show(view_);
}

void Session::show(StageViewPtr view) {
    keep(view);
    view_ = std::move(view);
    emit stageChanged();
    if (!wantedNode_.isEmpty()) {
        const NodeRow* node = view_->nodeNamed(wantedNode_.toStdString());
        if (node) {
            selectNode(node->uid, Origin::Program);
        } else {
            ErrorReport report;
            report.what = tr("There is no node %%1 in stage %2.").arg(wantedNode_).arg(stage_);
            report.todo = tr("Step to another stage, or find it by name.");
            report.exitCode = 1;
            emit failed(report);
        }
        wantedNode_.clear();
    }
    arrive();
    if (wantedText_) requestText(wantedText_->first, wantedText_->second);
    prefetch();
}

std::vector<int> Session::neighbours() const {
    const auto& stages = data_.stages;
    std::vector<int> out;
    const auto at = std::find_if(stages.begin(), stages.end(), [&](const StageRow& row) { return row.idx == stage_; });
    if (at == stages.end()) return out;
    const auto here = std::distance(stages.begin(), at);
    for (int direction : {1, -1}) {
        int changed = 0, any = 0;
        for (auto i = here + direction; i >= 0 && i < std::ssize(stages) && changed < 2; i += direction) {
            const StageRow& row = stages[std::size_t(i)];
            if (!row.changed && ++any > 1) continue;
            changed += row.changed ? 1 : 0;
            out.push_back(row.idx);
        }
    }
    return out;
}

void Session::prefetch() {
    for (int idx : neighbours()) {
        if (kept(idx) || std::find(prefetching_.begin(), prefetching_.end(), idx) != prefetching_.end()) continue;
        prefetching_.push_back(idx);
        jobs_.start(
            QString(), QString(), JobQueue::Kind::Quiet,
            [recording = data_.recording, lane = data_.lane, idx, options = drawing_](const JobContext& job) {
                return loadStageView(*recording, lane, idx, options, job.cancelToken());
            },
            [this, idx, recording = data_.recording](StageViewPtr view) {
                std::erase(prefetching_, idx);
                if (!view || recording != data_.recording || view->lane != data_.lane || kept(idx)) return;
                keep(std::move(view));
                if (view_) keep(view_);
            });
    }
}

void Session::setDrawing(const DrawingOptions& options) {
    if (options == drawing_) return;
    drawing_ = options;
    if (stage_ > 0) showStage(stage_);
}

void Session::toggleGroup(const QString& title) {
    DrawingOptions options = drawing_;
    const std::string key = title.toStdString();
    if (!options.toggled.erase(key)) options.toggled.insert(key);
    setDrawing(options);
}

// --- selection ----------------------------------------------------------------------------------------------------------------------------

void Session::select(const Selection& selection, Origin origin) {
    if (selection == selection_) return;
    if (!selection_.empty()) remember();
    selection_ = selection;
    emit selectionChanged(selection_, origin);
}

void Session::selectNode(Uid uid, Origin origin) {
    Selection next;
    next.node = uid;
    if (uid != kNoUid && view_) {
        if (const NodeRow* node = view_->node(uid)) next.storage = node->storage;
    }
    select(next, origin);
}

void Session::togglePin(Uid uid) {
    if (pins_.erase(uid) == 0) pins_.insert(uid);
    emit pinsChanged();
}

void Session::setPreview(Uid uid) {
    if (uid == resting_) return;
    resting_ = uid;
    if (uid != kNoUid) return rest_.start();
    rest_.stop();
    if (std::exchange(preview_, kNoUid) != kNoUid) emit previewChanged(kNoUid);
}

void Session::selectStorage(int storage, Origin origin) {
    Selection next = selection_;
    next.storage = storage;
    next.decision.reset();
    select(next, origin);
}

void Session::selectDecision(const DecisionRow& decision, Origin origin) {
    Selection next;
    next.decision = decision.id;
    for (const std::optional<Uid>& uid : {decision.uid, decision.originUid}) {
        if (!uid || !view_ || !view_->node(*uid)) continue;
        next.node = *uid;
        next.storage = view_->node(*uid)->storage;
        break;
    }
    if (view_) {
        if (const Uid copy = copyOf(data_, decision.id, *view_); copy != kNoUid) {
            next.node = copy;
            next.storage = view_->node(copy)->storage;
        }
    }
    if (next.node == kNoUid && decision.uid) next.node = *decision.uid;  // not in this stage: views say so
    select(next, origin);
}

void Session::remember() {
    const Place now{stage_, selection_};
    if (!back_.empty() && back_.back().stage == now.stage && back_.back().selection == now.selection) return;
    back_.push_back(now);
    if (back_.size() > kHistory) back_.pop_front();
    forward_.clear();
}

void Session::applyPlace(const Place& place) {
    if (place.stage != stage_) showStage(place.stage);
    if (place.selection == selection_) return;
    selection_ = place.selection;
    emit selectionChanged(selection_, Origin::Program);
}

bool Session::goBack() {
    if (back_.empty()) return false;
    const Place place = back_.back();
    back_.pop_back();
    forward_.push_back({stage_, selection_});
    applyPlace(place);
    return true;
}

bool Session::goForward() {
    if (forward_.empty()) return false;
    const Place place = forward_.back();
    forward_.pop_back();
    back_.push_back({stage_, selection_});
    applyPlace(place);
    return true;
}

// --- text ----------------------------------------------------------------------------------------------------------------------------------

void Session::requestText(TextForm form, bool withRemoved) {
    wantedText_ = {form, withRemoved};
    if (!view_) return;
    const bool difference = withRemoved && form != TextForm::Original && view_->stage > 1 && !view_->changes->empty();
    for (const StageTextPtr& text : texts_) {
        if (text->lane != view_->lane || text->stage != view_->stage || text->form != form || text->withRemoved != difference) continue;
        emit textReady(text);
        return;
    }
    jobs_.start(
        tr("Printing stage %1").arg(stage_), QStringLiteral("text"), JobQueue::Kind::Quiet,
        [recording = data_.recording, view = view_, before = kept(view_->stage - 1), form, ops = ops_,
         difference](const JobContext& job) -> StageTextPtr {
            const StageTextPtr now = loadStageText(*recording, *view, form, *ops, job.cancelToken());
            if (!now || !difference) return now;
            const StageViewPtr old = before ? before : loadStageView(*recording, view->lane, view->stage - 1, {}, job.cancelToken());
            const StageTextPtr oldText = old ? loadStageText(*recording, *old, form, *ops, job.cancelToken()) : nullptr;
            return oldText ? withRemovedLines(*now, *oldText, *view->changes) : now;
        },
        [this, recording = data_.recording, withRemoved](StageTextPtr text) {
            if (!text || recording != data_.recording) return;
            texts_.push_front(text);
            if (texts_.size() > kKeptTexts) texts_.pop_back();
            const bool wanted = wantedText_ == std::pair(text->form, withRemoved);
            if (view_ && text->stage == view_->stage && text->lane == view_->lane && wanted) emit textReady(text);
        });
}

}  // namespace aliascope
