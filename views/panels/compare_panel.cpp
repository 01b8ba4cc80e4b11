#include "views/panels/compare_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdint>

#include "views/canvas/graph_canvas.h"
#include "views/canvas/metrics.h"
#include "views/models/numerics_model.h"
#include "views/panels/command_line.h"
#include "views/panels/text_pane.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

QString stageText(const StageRow& row) {
    QString text = QStringLiteral("%1  %2").arg(row.idx).arg(qstr(row.name));
    if (!row.changed && row.idx > 1) text += QObject::tr("  (no change)");
    return text;
}

QString versus(const QString& what, const QString& a, const QString& b) {
    return QObject::tr("%1 <b>%2</b> / <b>%3</b>").arg(what, a.toHtmlEscaped(), b.toHtmlEscaped());
}

/// What the runs of a lane say of its values.
QString numericsText(const std::optional<LaneNumerics>& numerics) {
    if (!numerics) return QObject::tr("not run");
    if (numerics->differs == 0) return numerics->compared > 0 ? QObject::tr("equal") : QObject::tr("not compared");
    return QObject::tr("differs from stage %1 on%2")
        .arg(numerics->firstStage)
        .arg(numerics->maxAbs ? QObject::tr(" (max abs %1)").arg(errorText(*numerics->maxAbs)) : QString());
}

}  // namespace

ComparePanel::ComparePanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new CompareModel(this)) {
    setObjectName(QStringLiteral("compare"));
    build();
    connect(&session_, &Session::recordingChanged, this, [this] {
        if (!active()) return;
        if (!session_.isOpen()) return stop();
        bool there = false;
        for (const LaneRow& lane : session_.data().lanes) there = there || lane.id == laneB_;
        there ? readPair() : stop();
    });
    connect(&session_, &Session::stageChanged, this, [this] {
        if (active()) showFirst();
    });
    connect(&session_, &Session::runsChanged, this, [this] {
        if (active()) readPair();
    });
    connect(&session_, &Session::selectionChanged, this, [this](const Selection& selection, Origin) { follow(selection); });
    connect(&session_.storagePins(), &StoragePins::changed, this, &ComparePanel::colourStorages);
}

/// What is pinned at the left has the same colour at the right, where its base has a counterpart.
void ComparePanel::colourStorages() {
    if (!active() || !session_.view()) return;
    const StoragePins& pins = session_.storagePins();
    canvasA_->setStorageColours(pins.coloursIn(*session_.view()));
    if (second_) canvasB_->setStorageColours(pins.coloursIn(*second_->view, session_.view()->lane, second_->matching.toB));
}

QString ComparePanel::counterpartOf(const QString& pipeline) {
    if (pipeline.contains(QLatin1String("torch-v2"))) return QStringLiteral("torch-v1");
    return QStringLiteral("torch-v2");
}

void ComparePanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    column->addWidget(rule(this));
    auto* sides = new QSplitter(Qt::Horizontal, this);
    sides->setObjectName(QStringLiteral("compare.sides"));
    sides->setHandleWidth(1);
    sides->setChildrenCollapsible(false);
    sides->addWidget(buildSide(true));
    sides->addWidget(buildSide(false));
    sides->setStretchFactor(0, 1);
    sides->setStretchFactor(1, 1);
    column->addWidget(sides, 1);
    column->addWidget(rule(this));
    strip_ = new QLabel(this);
    strip_->setObjectName(QStringLiteral("compare.strip"));
    strip_->setWordWrap(true);
    strip_->setContentsMargins(Metrics::pad(), Metrics::tight(), Metrics::pad(), Metrics::tight());
    strip_->hide();
    column->addWidget(strip_);
    differences_ = new QLabel(this);
    differences_->setObjectName(QStringLiteral("compare.differences"));
    differences_->setTextFormat(Qt::RichText);
    differences_->setWordWrap(true);
    differences_->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    differences_->setProperty("surface", QStringLiteral("panel"));
    differences_->setAutoFillBackground(true);
    differences_->setFocusPolicy(Qt::NoFocus);
    connect(differences_, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link == QLatin1String("only")) return goToUnmatched();
        followLink(session_, link, Origin::Program);
    });
    column->addWidget(differences_);
    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("compare.table"), tr("Pipelines of this graph"));
    table_->setSortingEnabled(false);
    table_->setColumnWidth(CompareModel::Lane, Metrics::em(12));
    for (int c = 1; c < CompareModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(6.2));
    table_->setColumnWidth(CompareModel::CopiedBack, Metrics::em(7.5));
    table_->setColumnWidth(CompareModel::Peak, Metrics::em(9.5));
    table_->horizontalHeader()->setStretchLastSection(false);
    column->addWidget(table_);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        const qlonglong lane = index.data(CompareModel::LaneRole).toLongLong();
        if (lane != session_.data().lane && lane != laneB_) compareWith(lane);
    });
}

QWidget* ComparePanel::buildHead() {
    auto* head = new QWidget(this);
    head->setProperty("surface", QStringLiteral("panel"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.3), Metrics::pad(), Metrics::em(0.3));
    row->setSpacing(Metrics::gap());
    laneABox_ = choiceBox(tr("Pipeline at the left"), QStringLiteral("compare.laneA"), head);
    stageA_ = new ElidedLabel(head);
    stageA_->setObjectName(QStringLiteral("compare.stageA"));
    stageA_->setProperty("quiet", true);
    auto* swap = iconButton(QStringLiteral("both"), tr("Swap the sides (Ctrl+Tab)"), QStringLiteral("compare.swap"), head);
    laneBBox_ = choiceBox(tr("Pipeline at the right"), QStringLiteral("compare.laneB"), head);
    // Lanes come later than the boxes, and longer names with them.
    for (QComboBox* box : {laneABox_, laneBBox_}) box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    stageBBox_ = choiceBox(tr("Stage at the right"), QStringLiteral("compare.stageB"), head);
    stageBBox_->setMinimumContentsLength(12);
    stageBBox_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    lockStages_ = new QCheckBox(tr("lock stages"), head);
    lockStages_->setObjectName(QStringLiteral("compare.lockStages"));
    lockStages_->setAccessibleName(tr("The right side follows the stage of the left one"));
    lockView_ = new QCheckBox(tr("lock view"), head);
    lockView_->setObjectName(QStringLiteral("compare.lockView"));
    lockView_->setAccessibleName(tr("Both sides scroll and zoom together"));
    for (QCheckBox* lock : {lockStages_, lockView_}) {
        lock->setChecked(true);
        lock->setToolTip(lock->accessibleName());
    }
    text_ = iconButton(QStringLiteral("text"), tr("Text instead of graphs (L, G)"), QStringLiteral("compare.text"), head);
    text_->setCheckable(true);
    auto* close = iconButton(QStringLiteral("close"), tr("End comparing"), QStringLiteral("compare.close"), head);
    row->addWidget(laneABox_);
    row->addWidget(stageA_, 1);
    row->addWidget(swap);
    row->addWidget(laneBBox_);
    row->addWidget(stageBBox_, 1);
    row->addWidget(lockStages_);
    row->addWidget(lockView_);
    row->addWidget(text_);
    row->addWidget(close);
    connect(laneABox_, &QComboBox::activated, this, [this](int at) {
        const qlonglong lane = laneABox_->itemData(at).toLongLong();
        lane == laneB_ ? this->swap() : session_.setLane(lane);
    });
    connect(laneBBox_, &QComboBox::activated, this, [this](int at) {
        const qlonglong lane = laneBBox_->itemData(at).toLongLong();
        lane == session_.data().lane ? this->swap() : compareWith(lane);
    });
    connect(stageBBox_, &QComboBox::activated, this, [this](int at) {
        stageB_ = stageBBox_->itemData(at).toInt();
        if (lockStages_->isChecked() && pair_) return session_.setStage(pair_->comparison.partnerOfB(stageB_));
        readSecond();
    });
    connect(lockStages_, &QCheckBox::toggled, this, [this](bool on) {
        if (on && active()) showFirst();
    });
    connect(lockView_, &QCheckBox::toggled, this, [this](bool on) {
        if (on) lockView(true);
    });
    connect(text_, &QToolButton::toggled, this, &ComparePanel::setText);
    connect(swap, &QToolButton::clicked, this, &ComparePanel::swap);
    connect(close, &QToolButton::clicked, this, &ComparePanel::stop);
    return head;
}

QWidget* ComparePanel::buildSide(bool first) {
    auto* side = new QStackedWidget(this);
    const QString letter = first ? QStringLiteral("A") : QStringLiteral("B");
    side->setObjectName(QStringLiteral("compare.side") + letter);
    auto* canvas = new GraphCanvas(side);
    canvas->setObjectName(QStringLiteral("compare.canvas") + letter);
    canvas->setAccessibleName(first ? tr("Graph at the left") : tr("Graph at the right"));
    canvas->setFrameShape(QFrame::NoFrame);
    auto* text = new TextPane(side);
    text->setObjectName(QStringLiteral("compare.text") + letter);
    text->setAccessibleName(first ? tr("Text at the left") : tr("Text at the right"));
    text->setPlaceholder(tr("Printing the stage \u2026"));
    side->addWidget(canvas);
    side->addWidget(text);
    (first ? sideA_ : sideB_) = side;
    (first ? canvasA_ : canvasB_) = canvas;
    (first ? textA_ : textB_) = text;
    if (first) {
        connect(canvas, &GraphCanvas::selected, this, [this](Uid uid) { session_.selectNode(uid, Origin::Graph); });
        connect(text, &TextPane::selected, this, [this](Uid uid) { session_.selectNode(uid, Origin::Text); });
    } else {
        connect(canvas, &GraphCanvas::selected, this, &ComparePanel::choseInB);
        connect(text, &TextPane::selected, this, &ComparePanel::choseInB);
    }
    connect(canvas, &GraphCanvas::groupToggled, &session_, &Session::toggleGroup);
    connect(canvas, &GraphCanvas::viewportMoved, this, [this, first] { lockView(first); });
    connect(canvas, &GraphCanvas::zoomChanged, this, [this, first](double zoom) {
        GraphCanvas* other = first ? canvasB_ : canvasA_;
        if (active() && lockView_->isChecked() && other->zoom() != zoom) other->setZoom(zoom);
    });
    return side;
}

// --- lanes and stages -----------------------------------------------------------------------------------------------------------------------

void ComparePanel::compareWith(std::int64_t lane) {
    if (!session_.isOpen() || lane == session_.data().lane) return;
    laneB_ = lane;
    stageB_ = 0;
    readPair();
}

void ComparePanel::begin(std::int64_t a, std::int64_t b) {
    if (a == session_.data().lane) return compareWith(b);
    laneB_ = b;
    stageB_ = 0;
    session_.setLane(a);
}

void ComparePanel::stop() {
    if (!active()) return;
    laneB_ = 0;
    stageB_ = 0;
    pair_.reset();
    second_.reset();
    emit secondChanged();
    model_->setContents({});
    canvasA_->setStage(nullptr);
    canvasB_->setStage(nullptr);
    textA_->setSource(nullptr);
    textB_->setSource(nullptr);
    emit stopped();
}

void ComparePanel::swap() {
    if (!active()) return;
    const std::int64_t now = session_.data().lane;
    const std::int64_t next = laneB_;
    laneB_ = now;
    stageB_ = 0;
    session_.setLane(next);
}

void ComparePanel::readPair() {
    if (laneB_ == session_.data().lane) return;  // a swap is on its way
    fillLanes();
    session_.ask(
        QStringLiteral("compare"),
        [a = session_.data().lane, b = laneB_, ops = session_.ops()](const Recording& recording, const JobContext& job) {
            return loadLanePair(recording, a, b, *ops, job.cancelToken());
        },
        [this](LanePairPtr pair) {
            if (pair && pair->a == session_.data().lane && pair->b == laneB_) adoptPair(std::move(pair));
        });
}

void ComparePanel::adoptPair(LanePairPtr pair) {
    pair_ = std::move(pair);
    model_->setContents(pair_->lanes);
    table_->setFixedHeight(Metrics::row() * int(1 + pair_->lanes.size()) + Metrics::gap());
    canvasA_->setDecisions(session_.data().decisions);
    canvasB_->setDecisions(pair_->decisionsB);
    fillStages();
    showDifferences();
    showFirst();
}

void ComparePanel::fillLanes() {
    for (QComboBox* box : {laneABox_, laneBBox_}) {
        box->clear();
        for (const LaneRow& lane : session_.data().lanes) {
            if (!session_.lane() || lane.graph != session_.lane()->graph) continue;
            box->addItem(qstr(lane.name), qlonglong(lane.id));
        }
    }
    laneABox_->setCurrentIndex(laneABox_->findData(qlonglong(session_.data().lane)));
    laneBBox_->setCurrentIndex(laneBBox_->findData(qlonglong(laneB_)));
}

void ComparePanel::fillStages() {
    stageBBox_->clear();
    for (const StageRow& row : pair_->comparison.stagesB) stageBBox_->addItem(stageText(row), row.idx);
    stageBBox_->setCurrentIndex(stageBBox_->findData(stageB_));
}

void ComparePanel::showFirst() {
    const StageViewPtr& view = session_.view();
    if (!view || !pair_ || view->lane != pair_->a) return;
    canvasA_->setStage(view);
    colourStorages();
    canvasA_->setSelection(session_.selection());
    if (const StageRow* row = session_.stageRow(view->stage)) stageA_->setText(stageText(*row));
    if (lockStages_->isChecked() || stageB_ == 0) stageB_ = pair_->comparison.partnerOfA(view->stage);
    readSecond();
}

void ComparePanel::readSecond() {
    const StageViewPtr view = session_.view();
    if (!view || !pair_) return;
    stageBBox_->setCurrentIndex(stageBBox_->findData(stageB_));
    session_.ask(
        QStringLiteral("compare.second"),
        [view, lane = laneB_, stage = stageB_](const Recording& recording, const JobContext& job) {
            return loadSecondStage(recording, *view, lane, stage, job.cancelToken());
        },
        [this, view](SecondStagePtr second) {
            if (!second || view != session_.view() || !active() || second->view->lane != laneB_) return;
            second_ = std::move(second);
            emit secondChanged();
            scrolling_ = true;
            canvasB_->setStage(second_->view);
            colourStorages();
            if (canvasB_->zoom() != canvasA_->zoom() && lockView_->isChecked()) canvasB_->setZoom(canvasA_->zoom());
            scrolling_ = false;
            showDifferences();
            follow(session_.selection());
            if (textShown()) readText();
        });
}

// --- what differs ----------------------------------------------------------------------------------------------------------------------------

void ComparePanel::showDifferences() {
    const LaneComparison& c = pair_->comparison;
    const StageRow &a = c.a.last, &b = c.b.last;
    QStringList parts;
    if (c.sameResult) {
        parts << tr("%1 and %2 give the same final graph%3.")
                     .arg(qstr(c.a.lane.name).toHtmlEscaped(), qstr(c.b.lane.name).toHtmlEscaped(),
                          c.a.decisions + c.b.decisions == 0 ? tr(": nothing writes an argument that would have to be decided about") : QString());
    } else if (c.firstDifference) {
        const auto stage = std::find_if(c.stagesA.begin(), c.stagesA.end(), [&](const StageRow& row) { return row.idx == c.firstDifference->first; });
        parts << tr("Differences: graphs first differ at stage %1")
                     .arg(stageLink(c.firstDifference->first, QStringLiteral("%1 %2").arg(stage->idx).arg(qstr(stage->name))));
    } else {
        parts << tr("Differences: the pipelines run other passes");
    }
    parts << versus(tr("nodes"), grouped(a.nodes), grouped(b.nodes)) << versus(tr("clones"), grouped(a.clones), grouped(b.clones))
          << versus(tr("cloned"), bytesText(a.clonedBytes), bytesText(b.clonedBytes))
          << versus(tr("copied back"), bytesText(a.copiedBackBytes), bytesText(b.copiedBackBytes))
          << versus(tr("self-copies"), grouped(a.selfCopies), grouped(b.selfCopies));
    if (pair_->lanes.size() > 1) parts << versus(tr("peak (predicted)"), bytesText(pair_->lanes[0].peak), bytesText(pair_->lanes[1].peak));
    if (pair_->numericsA || pair_->numericsB) parts << versus(tr("numerics"), numericsText(pair_->numericsA), numericsText(pair_->numericsB));
    if (second_ && second_->view->lane == laneB_) {
        const NodeMatching& m = second_->matching;
        parts << tr("<a href=\"only\" style=\"text-decoration:none\">without counterpart</a> <b>%1</b> / <b>%2</b> of the stages shown")
                     .arg(grouped(std::int64_t(m.onlyA.size())), grouped(std::int64_t(m.onlyB.size())));
    }
    differences_->setText(parts.join(QStringLiteral(" \u00b7 ")));
    differences_->setAccessibleName(differences());
}

QString ComparePanel::differences() const {
    QString plain = differences_->text();
    for (qsizetype open = plain.indexOf(QLatin1Char('<')); open >= 0; open = plain.indexOf(QLatin1Char('<'))) {
        const qsizetype close = plain.indexOf(QLatin1Char('>'), open);
        if (close < 0) break;
        plain.remove(open, close - open + 1);
    }
    return plain;
}

QString ComparePanel::laneNameB() const { return pair_ ? qstr(pair_->comparison.b.lane.name) : QString(); }

QString ComparePanel::nameOf(const StageViewPtr& view, Uid uid) const {
    const NodeRow* node = view ? view->node(uid) : nullptr;
    return node ? percentName(node->name) : QString();
}

/// Goes to the next node of A that B lacks, so that a reader can walk through them.
void ComparePanel::goToUnmatched() {
    if (!second_) return;
    const std::vector<Uid>& alone = second_->matching.onlyA;
    if (alone.empty()) return emit notice(tr("Every node at the left has a counterpart."));
    const auto here = std::find(alone.begin(), alone.end(), session_.selection().node);
    session_.selectNode(here == alone.end() || std::next(here) == alone.end() ? alone.front() : *std::next(here), Origin::Command);
}

void ComparePanel::follow(const Selection& selection) {
    if (!active()) return;
    canvasA_->setSelection(selection);
    textA_->setSelection(selection.node);
    Selection other;
    strip_->hide();
    if (selection.node != kNoUid && second_) {
        const auto partner = second_->matching.toB.find(selection.node);
        if (partner != second_->matching.toB.end()) {
            other.node = partner->second;
            if (const NodeRow* node = second_->view->node(other.node)) other.storage = node->storage;
        } else if (const QString name = nameOf(session_.view(), selection.node); !name.isEmpty()) {
            strip_->setText(
                tr("%1 has no counterpart at the right, in stage %2 of %3.").arg(name).arg(second_->view->stage).arg(laneBBox_->currentText()));
            strip_->show();
        }
    }
    // The right side follows; what it scrolls on its own account moves nothing at the left.
    scrolling_ = true;
    canvasB_->setSelection(other);
    scrolling_ = false;
    lockView(true);
    textB_->setSelection(other.node);
}

void ComparePanel::choseInB(Uid uid) {
    if (!second_ || uid == kNoUid) return;
    const auto partner = second_->matching.toA.find(uid);
    if (partner != second_->matching.toA.end()) return session_.selectNode(partner->second, Origin::Command);
    session_.clearSelection(Origin::Command);
    Selection alone;
    alone.node = uid;
    if (const NodeRow* node = second_->view->node(uid)) alone.storage = node->storage;
    canvasB_->setSelection(alone);
    textB_->setSelection(uid);
    strip_->setText(tr("%1 has no counterpart at the left, in stage %2.").arg(nameOf(second_->view, uid)).arg(session_.stage()));
    strip_->show();
}

/// A node and its counterpart, nearest to the selection where that is seen in `from`, else to the middle of its view.
std::pair<Uid, Uid> ComparePanel::linkedNodes(const GraphCanvas& from, bool fromA) const {
    const QRect seen = from.viewport()->rect();
    const QRect selected = from.cardRect(from.selection().node);
    const QPoint near = seen.intersects(selected) ? selected.center() : seen.center();
    const auto& partners = fromA ? second_->matching.toB : second_->matching.toA;
    const Uid here = from.nearestNode(near, [&](Uid uid) { return partners.contains(uid); });
    if (here == kNoUid) return {kNoUid, kNoUid};
    const Uid there = partners.at(here);
    return fromA ? std::pair(here, there) : std::pair(there, here);
}

/// The other side shows the same part: counterparts at the same place, or in the middle where the one at this side is not seen.
void ComparePanel::lockView(bool fromA) {
    if (!active() || scrolling_ || !lockView_->isChecked() || !second_) return;
    // The right side leads where a hand moves it; what a new size or another stage does to it must not move the left one.
    if (!fromA && !canvasB_->hasFocus() && !canvasB_->underMouse()) return lockView(true);
    scrolling_ = true;
    GraphCanvas *from = fromA ? canvasA_ : canvasB_, *to = fromA ? canvasB_ : canvasA_;
    const auto [a, b] = linkedNodes(*from, fromA);
    const QRect here = from->cardRect(fromA ? a : b), there = to->cardRect(fromA ? b : a), seen = from->viewport()->rect();
    if (!here.isEmpty() && !there.isEmpty()) {
        const QPoint wanted =
            seen.intersects(here) ? here.topLeft() : to->viewport()->rect().center() - QPoint(there.width() / 2, there.height() / 2);
        to->verticalScrollBar()->setValue(to->verticalScrollBar()->value() + there.top() - wanted.y());
        to->horizontalScrollBar()->setValue(to->horizontalScrollBar()->value() + there.left() - wanted.x());
    }
    scrolling_ = false;
}

// --- text ------------------------------------------------------------------------------------------------------------------------------------

bool ComparePanel::textShown() const { return text_->isChecked(); }

void ComparePanel::setText(bool text) {
    text_->setChecked(text);
    for (QStackedWidget* side : {sideA_, sideB_}) side->setCurrentIndex(text ? 1 : 0);
    if (text && active()) readText();
}

void ComparePanel::readText() {
    const StageViewPtr first = session_.view();
    if (!first || !second_) return;
    using Texts = std::pair<StageTextPtr, StageTextPtr>;
    session_.ask(
        QStringLiteral("compare.text"),
        [first, second = second_, ops = session_.ops()](const Recording& recording, const JobContext& job) {
            return Texts(loadStageText(recording, *first, TextForm::Readable, *ops, job.cancelToken()),
                         loadStageText(recording, *second->view, TextForm::Readable, *ops, job.cancelToken()));
        },
        [this, first, second = second_](const Texts& texts) {
            if (first != session_.view() || second != second_) return;
            textA_->setSource(texts.first ? std::make_shared<StageLines>(texts.first) : nullptr);
            textB_->setSource(texts.second ? std::make_shared<StageLines>(texts.second) : nullptr);
            follow(session_.selection());
        });
}

QString ComparePanel::command() const {
    if (!active() || !pair_) return {};
    return compareCommand(session_, pair_->comparison.a.lane, pair_->comparison.b.lane);
}

}  // namespace aliascope
