#include "views/panels/passes_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>

#include "core/pipeline/pipeline.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/stage_tree.h"
#include "views/panels/step_form.h"
#include "views/panels/theme.h"
#include "views/panels/widgets.h"

namespace aliascope {
PassesPanel::PassesPanel(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new PassListModel(this)), proxy_(new PassFilterProxy(this)) {
    proxy_->setSourceModel(model_);
    build();
    connect(&session_, &Session::recordingChanged, this, &PassesPanel::showRecording);
    connect(&session_, &Session::stageSelected, this, &PassesPanel::showStage);
    connect(&session_, &Session::selectionChanged, this, [this](const Selection& selection, Origin) { showTouched(selection); });
    connect(model_, &PassListModel::rewritesWanted, this, [this](int stage) {
        session_.ask(
            QStringLiteral("rewrites:%1").arg(stage),
            [lane = session_.data().lane, stage](const Recording& recording, const JobContext&) { return recording.rewrites(lane, stage); },
            [this, stage, lane = session_.data().lane](std::vector<RewriteRow> rows) {
                if (lane == session_.data().lane) model_->setRewrites(stage, std::move(rows));
            });
    });
}

QSize PassesPanel::sizeHint() const { return {Metrics::em(21), Metrics::em(40)}; }

void PassesPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* head = new QWidget(this);
    auto* headColumn = new QVBoxLayout(head);
    headColumn->setContentsMargins(Metrics::pad(), Metrics::pad(), Metrics::pad(), Metrics::gap());
    headColumn->setSpacing(Metrics::gap());
    graphs_ = choiceBox(tr("Graph shown"), QStringLiteral("passes.graph"), head);
    graphs_->setToolTip(tr("The graphs of this session"));
    headColumn->addWidget(graphs_);
    lanes_ = choiceBox(tr("Pipeline shown"), QStringLiteral("passes.lane"), head);
    lanes_->setToolTip(tr("The recorded runs of this session"));
    headColumn->addWidget(lanes_);
    auto* filterRow = new QHBoxLayout;
    filterRow->setSpacing(Metrics::gap());
    filter_ = filterField(tr("Filter: op:clone, rule:, touches:%x, bytes>1M"), QStringLiteral("passes.filter"), head);
    filterRow->addWidget(filter_, 1);
    changedOnly_ = new QCheckBox(tr("changed"), head);
    changedOnly_->setObjectName(QStringLiteral("passes.changed"));
    changedOnly_->setAccessibleName(tr("Only stages that changed something"));
    changedOnly_->setToolTip(tr("Only stages that changed something"));
    filterRow->addWidget(changedOnly_);
    headColumn->addLayout(filterRow);
    mistake_ = quietLabel({}, head);
    mistake_->setObjectName(QStringLiteral("passes.filter.mistake"));
    mistake_->hide();
    headColumn->addWidget(mistake_);
    column->addWidget(head);
    column->addWidget(rule(this));

    list_ = new StageTree(this);
    list_->setObjectName(QStringLiteral("passes.list"));
    list_->setAccessibleName(tr("Stages"));
    list_->setModel(proxy_);
    list_->header()->hide();
    list_->header()->setObjectName(QStringLiteral("passes.list.header"));
    list_->header()->setStretchLastSection(false);
    for (int c = 1; c < PassListModel::ColumnCount; ++c) list_->setColumnHidden(c, true);
    column->addWidget(list_, 1);
    column->addWidget(rule(this));
    form_ = new StepForm(session_.draft(), this);
    list_->setForm(form_);
    form_->hide();

    auto* foot = new QWidget(this);
    auto* footRow = new QHBoxLayout(foot);
    footRow->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    footRow->setSpacing(Metrics::gap());
    pipelines_ = choiceBox(tr("Pipeline to run"), QStringLiteral("passes.pipeline"), foot);
    for (const std::string& name : pipelineNames()) pipelines_->addItem(qstr(name));
    footRow->addWidget(pipelines_, 1);
    run_ = textButton(tr("Run"), QStringLiteral("passes.run"), foot);
    run_->setIcon(themedIcon(QStringLiteral("run")));
    run_->setToolTip(tr("Run this pipeline over the graph and show its stages (F5)"));
    footRow->addWidget(run_);
    column->addWidget(foot);

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& query) {
        following_ = true;
        proxy_->setQuery(query);
        following_ = false;
        sayFilter();
        readFacts();
        showStage(session_.stage());
    });
    connect(changedOnly_, &QCheckBox::toggled, this, [this](bool on) {
        following_ = true;
        proxy_->setChangedOnly(on);
        following_ = false;
        showStage(session_.stage());
    });
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) { chosen(now); });
    connect(list_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) { list_->setExpanded(index, !list_->isExpanded(index)); });
    connect(lanes_, &QComboBox::activated, this, [this](int at) { session_.setLane(lanes_->itemData(at).toLongLong()); });
    connect(graphs_, &QComboBox::activated, this, [this](int at) {
        std::int64_t lane = 0;
        for (const LaneRow& row : session_.data().lanes)
            if (row.graph == graphs_->itemData(at).toLongLong()) lane = row.id;
        if (lane > 0) session_.setLane(lane);
    });
    connect(run_, &QPushButton::clicked, this, &PassesPanel::run);
    connect(form_, &StepForm::runWanted, this, &PassesPanel::run);
    connect(form_, &StepForm::stepMoved, this, &PassesPanel::selectStep);
    // The model is filled anew by what follows, which must not happen while it takes what was dropped.
    connect(
        model_, &PassListModel::moveWanted, this,
        [this](int from, int to) {
            if (session_.draft().move(std::size_t(from), to - from)) selectStep(to);
        },
        Qt::QueuedConnection);
    connect(&session_.draft(), &PipelineDraft::changed, this, &PassesPanel::showDraft);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(list_, &QTreeView::customContextMenuRequested, this, &PassesPanel::openMenu);
    showRecording();
}

void PassesPanel::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void PassesPanel::run() {
    const PipelineDraft& draft = session_.draft();
    session_.runPipeline(draft.edited() && !draft.text().isEmpty() ? draft.text() : pipelines_->currentText());
}

QString PassesPanel::command() const {
    if (!session_.draft().edited()) return commandLine(session_, QStringLiteral("stages"));
    return passesCommand(session_, session_.draft().text());
}

void PassesPanel::toggleForm() {
    form_->setVisible(!form_->isVisible());
    if (!form_->isVisible()) return list_->setFocus(Qt::ShortcutFocusReason);
    showStep();
    list_->scrollTo(list_->currentIndex());
}

bool PassesPanel::switchStep() {
    const int step = stepOf(list_->currentIndex());
    if (step < 0) return false;
    session_.draft().setEnabled(std::size_t(step), !session_.draft().steps()[std::size_t(step)].enabled);
    return true;
}

bool PassesPanel::moveStep(int by) {
    const int step = stepOf(list_->currentIndex());
    if (step < 0 || !session_.draft().move(std::size_t(step), by)) return false;
    selectStep(step + by);
    return true;
}

int PassesPanel::stepOf(const QModelIndex& index) const {
    if (!index.isValid()) return -1;
    QModelIndex row = proxy_->mapToSource(index);
    if (row.parent().isValid()) row = row.parent();
    const int step = row.row() - 1;  // the first row is the graph as it was opened
    return step >= 0 && step < int(session_.draft().steps().size()) ? step : -1;
}

void PassesPanel::selectStep(int step) {
    const QModelIndex index = proxy_->mapFromSource(model_->index(step + 1, 0));
    following_ = true;
    list_->setCurrentIndex(index);
    following_ = false;
    if (index.isValid()) list_->scrollTo(index);
    showStep();
}

/// The form is about the current row and stands under it.
void PassesPanel::showStep() {
    form_->setStep(stepOf(list_->currentIndex()));
    list_->setFormRow(list_->currentIndex());
}

void PassesPanel::openMenu(const QPoint& at) {
    const QModelIndex index = list_->indexAt(at);
    const int step = stepOf(index);
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("passes.menu"));
    menu->setAccessibleName(tr("Stage"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const char* name, const QString& text, bool enabled, std::function<void()> run) {
        QAction* action = menu->addAction(text);
        action->setObjectName(QStringLiteral("passes.menu.") + QLatin1String(name));
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, std::move(run));
    };
    const auto& steps = session_.draft().steps();
    const bool on = step >= 0 && steps[std::size_t(step)].enabled;
    add("options", tr("Options \u2026"), step >= 0, [this, step] {
        form_->show();
        selectStep(step);
    });
    add("switch", on ? tr("Switch off") : tr("Switch on"), step >= 0, [this, step, on] { session_.draft().setEnabled(std::size_t(step), !on); });
    add("up", tr("Earlier"), step > 0, [this, step] {
        if (session_.draft().move(std::size_t(step), -1)) selectStep(step - 1);
    });
    add("down", tr("Later"), step >= 0 && step + 1 < int(steps.size()), [this, step] {
        if (session_.draft().move(std::size_t(step), 1)) selectStep(step + 1);
    });
    add("duplicate", tr("Duplicate"), step >= 0, [this, step] { session_.draft().duplicate(std::size_t(step)); });
    menu->addSeparator();
    add("run", tr("Run the edited pipeline"), session_.draft().edited(), [this] { run(); });
    menu->popup(list_->viewport()->mapToGlobal(at));
}

/// Stages up to the first edit are as recorded; what follows stands in the order of the draft, stale until it is run.
void PassesPanel::showDraft() {
    const PipelineDraft& draft = session_.draft();
    const auto& stages = session_.data().stages;
    std::vector<StageRow> rows = stages;
    const std::size_t first = draft.firstEdited();
    const bool edited = draft.edited();
    const bool unfinished = draft.editable() && stages.size() < draft.steps().size() + 1;
    if (draft.editable() && !stages.empty() && (edited || unfinished)) {
        rows.resize(std::min(rows.size(), edited ? first + 1 : rows.size()));
        for (std::size_t i = rows.size() - 1; i < draft.steps().size(); ++i) {
            const DraftStep& step = draft.steps()[i];
            StageRow row;
            if (const StageRow* before = step.stage > 0 ? session_.stageRow(step.stage) : nullptr)
                row = *before;
            else
                row.idx = 0;
            row.name = row.pass = std::string(step.step.pass->name());
            row.rewrites = 0;
            row.state = step.enabled ? "stale" : "off";
            QString why = !step.enabled ? tr("switched off") : edited ? tr("edited after it was run: run it again (F5)") : tr("not run");
            if (step.enabled && i > first) why.clear();  // said once
            row.message = why.toStdString();
            rows.push_back(std::move(row));
        }
    }
    following_ = true;
    const int step = form_->step();
    model_->setStages(std::move(rows), draft.editable() ? int(draft.steps().size()) : 0);
    following_ = false;
    run_->setToolTip(edited ? tr("Run the edited pipeline and show its stages (F5)")
                            : tr("Run this pipeline over the graph and show its stages (F5)"));
    pipelines_->setEnabled(!edited);
    showStage(session_.stage());
    if (edited && step >= 0)
        selectStep(std::min(step, int(draft.steps().size()) - 1));
    else
        list_->setFormRow(list_->currentIndex());
}

void PassesPanel::sayFilter() {
    mistake_->setText(proxy_->mistake());
    mistake_->setAccessibleName(mistake_->text());
    mistake_->setVisible(!proxy_->mistake().isEmpty());
}

/// Operators, rules and names are read once somebody filters.
void PassesPanel::readFacts() {
    const std::int64_t lane = session_.data().lane;
    if (filter_->text().isEmpty() || factsOf_ == lane || !session_.isOpen()) return;
    factsOf_ = lane;
    session_.ask(
        QStringLiteral("passFacts"),
        [lane, stages = session_.data().stages](const Recording& recording, const JobContext& job) {
            return readPassFacts(recording, lane, stages, job.cancelToken());
        },
        [this, lane](PassFactsPtr facts) {
            if (lane != session_.data().lane) return;
            following_ = true;
            proxy_->setFacts(std::move(facts));
            following_ = false;
            showStage(session_.stage());
        });
}

void PassesPanel::fillLanes() {
    lanes_->clear();
    graphs_->clear();
    const LaneData& data = session_.data();
    const LaneRow* shown = session_.lane();
    for (const GraphRow& graph : data.graphs) {
        const bool recorded = std::any_of(data.lanes.begin(), data.lanes.end(), [&](const LaneRow& lane) { return lane.graph == graph.id; });
        if (!recorded) continue;
        QString text = graph.name.empty() ? tr("graph %1").arg(graph.id) : qstr(graph.name);
        if (!graph.phase.empty()) text += QStringLiteral("  \u00b7  %1").arg(qstr(graph.phase));
        graphs_->addItem(text + QStringLiteral("  \u00b7  ") + tr("%1 nodes").arg(grouped(graph.nodes)), qlonglong(graph.id));
        if (shown && shown->graph == graph.id) graphs_->setCurrentIndex(graphs_->count() - 1);
    }
    graphs_->setVisible(graphs_->count() > 1);
    for (const LaneRow& lane : data.lanes) {
        if (shown && lane.graph != shown->graph) continue;
        QString text = qstr(lane.name);
        if (lane.state != "complete") text += QStringLiteral("  \u00b7  %1").arg(qstr(lane.state));
        lanes_->addItem(text, qlonglong(lane.id));
        if (lane.id == data.lane) lanes_->setCurrentIndex(lanes_->count() - 1);
    }
    if (const LaneRow* lane = session_.lane()) {
        // What was not run yet is the likelier next wish.
        for (int i = 0; i < pipelines_->count(); ++i) {
            bool done = false;
            for (const LaneRow& other : data.lanes) done = done || (other.graph == lane->graph && qstr(other.name) == pipelines_->itemText(i));
            if (done || pipelines_->itemText(i) == QLatin1String("torch-joint")) continue;
            pipelines_->setCurrentIndex(i);
            break;
        }
    }
}

void PassesPanel::showRecording() {
    following_ = true;
    fillLanes();
    proxy_->setFacts(nullptr);
    proxy_->setDecisions(session_.data().decisions);
    following_ = false;
    factsOf_ = 0;
    showDraft();
    readFacts();
    setEnabled(session_.isOpen());
}

void PassesPanel::showStage(int idx) {
    following_ = true;
    const QModelIndex index = proxy_->mapFromSource(model_->indexOfStage(idx));
    // A rewrite of the stage that is shown stays selected.
    const QModelIndex current = list_->currentIndex();
    if (!(current.isValid() && current.data(PassListModel::IndexRole).toInt() == idx)) list_->setCurrentIndex(index);
    if (index.isValid()) list_->scrollTo(index);
    following_ = false;
    if (form_ && !session_.draft().edited()) showStep();
}

void PassesPanel::showTouched(const Selection& selection) {
    if (selection.node == kNoUid) {
        model_->setTouched({});
        return;
    }
    session_.ask(
        QStringLiteral("touched"),
        [lane = session_.data().lane, uid = selection.node](const Recording& recording, const JobContext&) {
            std::set<int> stages;
            for (const HistoryRow& row : recording.history(lane, uid)) stages.insert(row.stage);
            return stages;
        },
        [this](std::set<int> stages) { model_->setTouched(std::move(stages)); });
}

void PassesPanel::chosen(const QModelIndex& index) {
    if (following_ || !index.isValid()) return;
    const QModelIndex source = proxy_->mapToSource(index);
    showStep();
    session_.setStage(index.data(PassListModel::IndexRole).toInt());
    const RewriteRow* rewrite = model_->rewriteAt(source);
    if (!rewrite) return;
    const auto& nodes = rewrite->after.empty() ? rewrite->before : rewrite->after;
    if (!nodes.empty()) session_.selectNode(nodes.front().first, Origin::Passes);
}

}  // namespace aliascope
