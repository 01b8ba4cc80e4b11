#include "app/gui/window_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTabWidget>
#include <algorithm>

#include "views/panels/stage_panel.h"

namespace aliascope {
namespace {

constexpr int kLaterMs = 700;
constexpr int kVersion = 1;
const char* const kKey = "window";

}  // namespace

WindowState::WindowState(Session& session, StagePanel& stage, QTabWidget& inspector, QTabWidget& tables, QObject* parent)
    : QObject(parent), session_(session), stage_(stage), inspector_(inspector), tables_(tables) {
    later_.setSingleShot(true);
    later_.setInterval(kLaterMs);
    connect(&later_, &QTimer::timeout, this, [this] {
        const QByteArray now = current();
        if (now.isEmpty() || now == written_) return;
        written_ = now;
        // A folder that cannot be written, or another writer, only means that the view is not remembered.
        session_.ask(
            QStringLiteral("state.write"),
            [now](Recording& recording, const JobContext&) { return bool(recording.setUiState(kKey, now.toStdString())); }, [](bool) {});
    });
    connect(&session_, &Session::recordingChanged, this, &WindowState::restore);
    connect(&session_, &Session::stageChanged, this, &WindowState::finish);
    connect(&session_, &Session::selectionChanged, this, &WindowState::changed);
    connect(&stage_, &StagePanel::modeChanged, this, &WindowState::changed);
    connect(&inspector_, &QTabWidget::currentChanged, this, &WindowState::changed);
    connect(&tables_, &QTabWidget::currentChanged, this, &WindowState::changed);
}

void WindowState::changed() {
    if (session_.isOpen() && !session_.isTemporary() && path_ == session_.sessionPath()) later_.start();
}

void WindowState::restore() {
    if (!session_.isOpen() || session_.isTemporary()) {
        path_.clear();
        later_.stop();
        return;
    }
    if (path_ == session_.sessionPath()) return changed();
    const QString path = session_.sessionPath();
    node_.clear();
    wantedLane_ = 0;
    wantedStage_ = 0;
    written_.clear();
    if (wanted_) {
        path_ = path;
        return;
    }
    session_.ask(
        QStringLiteral("state.read"),
        [](const Recording& recording, const JobContext&) { return QByteArray::fromStdString(recording.uiState(kKey)); },
        [this, path](const QByteArray& state) {
            if (path != session_.sessionPath()) return;
            path_ = path;
            if (!state.isEmpty()) apply(state);
        });
}

void WindowState::apply(const QByteArray& state) {
    const QJsonObject o = QJsonDocument::fromJson(state).object();
    if (o["version"].toInt() > kVersion) return;
    written_ = state;
    const int mode = o["mode"].toInt();
    if (mode >= 0 && mode <= int(StagePanel::Mode::Both)) stage_.setMode(StagePanel::Mode(mode));
    if (const int tab = o["inspector"].toInt(); tab >= 0 && tab < inspector_.count()) inspector_.setCurrentIndex(tab);
    if (const int tab = o["tables"].toInt(); tab >= 0 && tab < tables_.count()) tables_.setCurrentIndex(tab);
    DrawingOptions drawing = session_.drawing();
    drawing.foldViews = o["foldViews"].toBool(drawing.foldViews);
    drawing.groupsCollapsed = o["groupsCollapsed"].toBool(drawing.groupsCollapsed);
    drawing.toggled.clear();
    for (const QJsonValue& group : o["groups"].toArray()) drawing.toggled.insert(group.toString().toStdString());
    node_ = o["node"].toString().toStdString();
    wantedStage_ = o["stage"].toInt();
    session_.setDrawing(drawing);
    const auto lane = std::int64_t(o["lane"].toInteger());
    bool there = false;
    for (const LaneRow& row : session_.data().lanes) there = there || row.id == lane;
    wantedLane_ = there ? lane : 0;
    if (there && lane != session_.data().lane) return session_.setLane(lane);
    finish();
}

/// The lane or the stage that was asked for is there: on to the next part.
void WindowState::finish() {
    if (wantedLane_ != 0 && wantedLane_ != session_.data().lane) return;
    wantedLane_ = 0;
    if (wantedStage_ > 0 && session_.stageRow(wantedStage_)) {
        const int stage = wantedStage_;
        wantedStage_ = 0;
        if (stage != session_.stage()) return session_.setStage(stage);
    }
    if (!node_.empty() && session_.view() && session_.view()->stage == session_.stage()) {
        const NodeRow* node = session_.view()->nodeNamed(node_);
        node_.clear();
        if (node) session_.selectNode(node->uid, Origin::Program);
    }
    changed();
}

QByteArray WindowState::current() const {
    if (!session_.isOpen() || session_.isTemporary() || !session_.view()) return {};
    const DrawingOptions& drawing = session_.drawing();
    const NodeRow* node = session_.view()->node(session_.selection().node);
    std::vector<std::string> groups(drawing.toggled.begin(), drawing.toggled.end());
    std::sort(groups.begin(), groups.end());
    QJsonArray toggled;
    for (const std::string& group : groups) toggled << QString::fromStdString(group);
    const QJsonObject o = {{"version", kVersion},
                           {"lane", qint64(session_.data().lane)},
                           {"stage", session_.stage()},
                           {"node", node ? QString::fromStdString(node->name) : QString()},
                           {"mode", int(stage_.mode())},
                           {"inspector", inspector_.currentIndex()},
                           {"tables", tables_.currentIndex()},
                           {"foldViews", drawing.foldViews},
                           {"groupsCollapsed", drawing.groupsCollapsed},
                           {"groups", toggled}};
    return QJsonDocument(o).toJson(QJsonDocument::Compact);
}

void WindowState::flush() {
    if (!later_.isActive()) return;
    later_.stop();
    const QByteArray now = current();
    if (now.isEmpty() || now == written_ || !session_.data().recording) return;
    written_ = now;
    (void)session_.data().recording->setUiState(kKey, now.toStdString());
}

}  // namespace aliascope
