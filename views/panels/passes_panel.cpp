#include "views/panels/passes_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/pipeline/pipeline.h"
#include "views/canvas/metrics.h"
#include "views/panels/pass_delegate.h"
#include "views/panels/theme.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// Chevrons in the theme's colour instead of the style's arrows.
class StageTree : public QTreeView {
public:
    using QTreeView::QTreeView;

protected:
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override {
        if (!model()->hasChildren(index)) return;
        const int side = Metrics::em(0.8);
        const QRect at(rect.right() - side, rect.top() + Metrics::em(0.62), side, side);
        themedIcon(isExpanded(index) ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")).paint(painter, at);
    }
    void resizeEvent(QResizeEvent* event) override {
        QTreeView::resizeEvent(event);
        setColumnWidth(0, viewport()->width());
    }
};

}  // namespace

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
    lanes_ = choiceBox(tr("Pipeline shown"), QStringLiteral("passes.lane"), head);
    lanes_->setToolTip(tr("The recorded runs of this session"));
    headColumn->addWidget(lanes_);
    auto* filterRow = new QHBoxLayout;
    filterRow->setSpacing(Metrics::gap());
    filter_ = filterField(tr("Filter passes"), QStringLiteral("passes.filter"), head);
    filterRow->addWidget(filter_, 1);
    changedOnly_ = new QCheckBox(tr("changed"), head);
    changedOnly_->setObjectName(QStringLiteral("passes.changed"));
    changedOnly_->setAccessibleName(tr("Only stages that changed something"));
    changedOnly_->setToolTip(tr("Only stages that changed something"));
    filterRow->addWidget(changedOnly_);
    headColumn->addLayout(filterRow);
    column->addWidget(head);
    column->addWidget(rule(this));

    list_ = new StageTree(this);
    list_->setObjectName(QStringLiteral("passes.list"));
    list_->setAccessibleName(tr("Stages"));
    list_->setModel(proxy_);
    list_->setItemDelegate(new PassDelegate(list_));
    list_->header()->hide();
    list_->header()->setObjectName(QStringLiteral("passes.list.header"));
    list_->header()->setStretchLastSection(false);
    for (int c = 1; c < PassListModel::ColumnCount; ++c) list_->setColumnHidden(c, true);
    list_->setIndentation(Metrics::em(1.2));
    list_->setExpandsOnDoubleClick(false);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setMouseTracking(true);
    column->addWidget(list_, 1);
    column->addWidget(rule(this));

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
    connect(run_, &QPushButton::clicked, this, &PassesPanel::run);
    showRecording();
}

void PassesPanel::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void PassesPanel::run() { session_.runPipeline(pipelines_->currentText()); }

void PassesPanel::fillLanes() {
    lanes_->clear();
    const LaneData& data = session_.data();
    for (const LaneRow& lane : data.lanes) {
        QString text = qstr(lane.name);
        if (data.graphs.size() > 1) {
            for (const GraphRow& graph : data.graphs)
                if (graph.id == lane.graph) text += QStringLiteral("  \u00b7  %1").arg(qstr(graph.name));
        }
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
    model_->setStages(session_.data().stages);
    fillLanes();
    following_ = false;
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
    session_.setStage(index.data(PassListModel::IndexRole).toInt());
    const RewriteRow* rewrite = model_->rewriteAt(source);
    if (!rewrite) return;
    const auto& nodes = rewrite->after.empty() ? rewrite->before : rewrite->after;
    if (!nodes.empty()) session_.selectNode(nodes.front().first, Origin::Passes);
}

}  // namespace aliascope
