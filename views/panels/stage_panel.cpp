#include "views/panels/stage_panel.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/canvas/metrics.h"
#include "views/canvas/overview_strip.h"
#include "views/panels/colour_legend.h"
#include "views/panels/command_line.h"
#include "views/panels/counterpart_strip.h"
#include "views/panels/diff_pane.h"
#include "views/panels/filter_bar.h"
#include "views/panels/find_bar.h"
#include "views/panels/pin_bar.h"
#include "views/panels/shelf.h"
#include "views/panels/theme.h"
#include "views/panels/trail_banner.h"
#include "views/panels/widgets.h"
#include "views/session/graphviz.h"
#include "views/session/memory_profile.h"

namespace aliascope {

StagePanel::StagePanel(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    build();
    connect(&session_, &Session::stageChanged, this, &StagePanel::showStage);
    connect(&session_, &Session::recordingChanged, this, [this] {
        canvas_->setDecisions(decisionsOnCards());
        if (!session_.view()) canvas_->setStage(nullptr);
        text_->setSource(nullptr);
    });
    connect(&session_, &Session::selectionChanged, this, &StagePanel::follow);
    connect(&session_, &Session::textReady, this, [this](const StageTextPtr& text) {
        text_->setSource(std::make_shared<StageLines>(text));
        text_->setSelection(session_.selection().node);
    });
    connect(canvas_, &GraphCanvas::selected, this, [this](Uid uid) { session_.selectNode(uid, Origin::Graph); });
    connect(canvas_, &GraphCanvas::activated, this, [this](Uid uid) {
        session_.selectNode(uid, Origin::Graph);
        emit whyWanted();
    });
    connect(diff_, &DiffPane::selected, this, [this](Uid uid) { session_.selectNode(uid, Origin::Text); });
    connect(diff_, &DiffPane::activated, this, [this](Uid uid) {
        session_.selectNode(uid, Origin::Text);
        goToDefinition();
    });
    connect(canvas_, &GraphCanvas::extended, this, &StagePanel::extend);
    connect(canvas_, &GraphCanvas::pinToggled, &session_, &Session::togglePin);
    connect(canvas_, &GraphCanvas::hovered, &session_, &Session::setPreview);
    connect(text_, &TextPane::hovered, &session_, &Session::setPreview);
    connect(&session_, &Session::previewChanged, canvas_, &GraphCanvas::setPreview);
    connect(&session_, &Session::previewChanged, text_, &TextPane::setPreview);
    connect(&session_.storagePins(), &StoragePins::changed, this, &StagePanel::colourStorages);
    connect(&session_, &Session::pinsChanged, this, [this] { canvas_->setPins(session_.pins()); });
    connect(find_, &FindBar::hitsChanged, this, [this] {
        canvas_->setHits(find_->hits());
        std::unordered_set<Uid> found;
        if (find_->hits() && session_.view())
            for (std::uint32_t node : *find_->hits()) found.insert(session_.view()->snapshot->nodes[node]->uid);
        text_->setHits(std::move(found));
    });
    connect(find_, &FindBar::left, this, &StagePanel::endFind);
    connect(canvas_, &GraphCanvas::groupToggled, &session_, &Session::toggleGroup);
    connect(canvas_, &GraphCanvas::zoomChanged, this, &StagePanel::showZoom);
    connect(text_, &TextPane::selected, this, [this](Uid uid) { session_.selectNode(uid, Origin::Text); });
    connect(text_, &TextPane::activated, this, [this](Uid uid) {
        session_.selectNode(uid, Origin::Text);
        goToDefinition();
    });
    setMode(Mode::Graph);
}

std::shared_ptr<const std::vector<DecisionRow>> StagePanel::decisionsOnCards() const {
    const LaneData& data = session_.data();
    if (data.copies.empty()) return data.decisions;
    auto out = std::make_shared<std::vector<DecisionRow>>(*data.decisions);
    for (const auto& [uid, id] : data.copies) {
        const auto why = std::find_if(data.decisions->begin(), data.decisions->end(), [id = id](const DecisionRow& d) { return d.id == id; });
        if (why == data.decisions->end()) continue;
        out->push_back(*why);
        out->back().uid = uid;
    }
    return out;
}

QWidget* StagePanel::header() {
    auto* head = new QWidget(this);
    head->setProperty("surface", QStringLiteral("panel"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.3), Metrics::pad(), Metrics::em(0.3));
    row->setSpacing(Metrics::tight());
    auto* group = new QButtonGroup(this);
    auto mode = [&](const QString& icon, const QString& text, const QString& name, const QString& tip, Mode value) {
        QToolButton* button = iconButton(icon, tip, name, head);
        button->setText(text);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setCheckable(true);
        group->addButton(button);
        row->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, value] { setMode(value); });
        return button;
    };
    graphButton_ = mode(QStringLiteral("graph"), tr("Graph"), QStringLiteral("stage.graph"), tr("Graph (G)"), Mode::Graph);
    textButton_ = mode(QStringLiteral("text"), tr("Text"), QStringLiteral("stage.text"), tr("Text (L)"), Mode::Text);
    bothButton_ = mode(QStringLiteral("both"), tr("Both"), QStringLiteral("stage.both"), tr("Graph and text (Shift+L)"), Mode::Both);
    row->addStretch(1);

    textTools_ = new QWidget(head);
    auto* textRow = new QHBoxLayout(textTools_);
    textRow->setContentsMargins(0, 0, 0, 0);
    form_ = choiceBox(tr("Form of the text"), QStringLiteral("stage.form"), textTools_);
    form_->addItem(tr("Readable Python"));
    form_->addItem(tr("Graph text"));
    form_->addItem(tr("Original text"));
    removed_ = iconButton(QStringLiteral("difference"), tr("Show the lines that this stage removed or rewrote (R)"), QStringLiteral("stage.removed"),
                          textTools_);
    removed_->setText(tr("Difference"));
    removed_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    removed_->setCheckable(true);
    removed_->setChecked(true);
    sides_ = iconButton(QStringLiteral("both"), tr("The stage before beside it (Shift+R)"), QStringLiteral("stage.sides"), textTools_);
    sides_->setText(tr("Side by side"));
    sides_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    sides_->setCheckable(true);
    textRow->setSpacing(Metrics::tight());
    textRow->addWidget(removed_);
    textRow->addWidget(sides_);
    textRow->addWidget(form_);
    row->addWidget(textTools_);

    graphTools_ = new QWidget(head);
    auto* graphRow = new QHBoxLayout(graphTools_);
    graphRow->setContentsMargins(Metrics::gap(), 0, 0, 0);
    graphRow->setSpacing(Metrics::tight());
    colour_ = choiceBox(tr("Colour of the graph"), QStringLiteral("stage.colour"), graphTools_);
    colour_->setToolTip(tr("What colours mean (K)"));
    for (int i = 0; i < kColourModes; ++i) colour_->addItem(tr("Colour: %1").arg(QString::fromLatin1(colourModeWord(ColourMode(i)))));
    graphRow->addWidget(colour_);
    fold_ = iconButton(QStringLiteral("folded"), tr("Fold views into what uses them (V)"), QStringLiteral("stage.fold"), graphTools_);
    fold_->setText(tr("Fold views"));
    fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold_->setCheckable(true);
    graphRow->addWidget(fold_);
    filter_ = iconButton(QStringLiteral("filter"), tr("Filters of the graph"), QStringLiteral("stage.filter"), graphTools_);
    new FilterMenu(session_, filter_);
    graphRow->addWidget(filter_);
    zoomOut_ = iconButton(QStringLiteral("down"), tr("Smaller (Ctrl+-)"), QStringLiteral("stage.zoomOut"), graphTools_);
    zoom_ = new QLabel(graphTools_);
    zoom_->setObjectName(QStringLiteral("stage.zoom"));
    zoom_->setAlignment(Qt::AlignCenter);
    zoom_->setMinimumWidth(Metrics::em(3));
    zoomIn_ = iconButton(QStringLiteral("up"), tr("Larger (Ctrl++)"), QStringLiteral("stage.zoomIn"), graphTools_);
    graphRow->addWidget(zoomOut_);
    graphRow->addWidget(zoom_);
    graphRow->addWidget(zoomIn_);
    row->addWidget(graphTools_);
    return head;
}

void StagePanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    head_ = header();
    head_->setMinimumWidth(Metrics::em(12));  // it fits itself to what it is given
    column->addWidget(head_);
    column->addWidget(rule(this));
    counterpart_ = new CounterpartStrip(session_, this);
    column->addWidget(counterpart_);
    column->addWidget(new TrailBanner(session_, this));
    find_ = new FindBar(session_, this);
    column->addWidget(find_);
    filters_ = new FilterBar(session_, this);
    column->addWidget(filters_);
    column->addWidget(new PinBar(session_, this));
    splitter_ = new QSplitter(Qt::Horizontal, this);
    splitter_->setObjectName(QStringLiteral("stage.splitter"));
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(false);
    graphBox_ = new QWidget(splitter_);
    auto* graphColumn = new QVBoxLayout(graphBox_);
    graphColumn->setContentsMargins(0, 0, 0, 0);
    graphColumn->setSpacing(0);
    auto* graphRow = new QHBoxLayout;
    graphColumn->addWidget(new Shelf(session_, Shelf::Kind::Inputs, graphBox_));
    graphColumn->addLayout(graphRow, 1);
    graphColumn->addWidget(new Shelf(session_, Shelf::Kind::Outputs, graphBox_));
    legend_ = new ColourLegend(graphBox_);
    graphColumn->addWidget(legend_);
    canvas_ = new GraphCanvas(graphBox_);
    canvas_->setObjectName(QStringLiteral("graph.canvas"));
    canvas_->setAccessibleName(tr("Graph of the stage"));
    canvas_->setFrameShape(QFrame::NoFrame);
    auto* overview = new OverviewStrip(canvas_, graphBox_);
    overview->setObjectName(QStringLiteral("graph.overview"));
    overview->setAccessibleName(tr("Overview of the graph"));
    graphRow->addWidget(canvas_, 1);
    graphRow->addWidget(overview);
    splitter_->addWidget(graphBox_);
    text_ = new TextPane(splitter_);
    text_->setObjectName(QStringLiteral("text.pane"));
    text_->setAccessibleName(tr("Text of the stage"));
    text_->setPlaceholder(tr("Printing the stage \u2026"));
    splitter_->addWidget(text_);
    diff_ = new DiffPane(session_, splitter_);
    diff_->hide();
    splitter_->addWidget(diff_);
    splitter_->setStretchFactor(2, 1);
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 1);
    column->addWidget(splitter_, 1);

    connect(form_, &QComboBox::activated, this, &StagePanel::showText);
    connect(sides_, &QToolButton::toggled, this, &StagePanel::showText);
    connect(removed_, &QToolButton::toggled, this, &StagePanel::setRemovedLines);
    connect(colour_, &QComboBox::activated, this, [this](int mode) { setColour(ColourMode(mode)); });
    connect(fold_, &QToolButton::toggled, this, &StagePanel::setFoldViews);
    connect(zoomOut_, &QToolButton::clicked, canvas_, &GraphCanvas::zoomOut);
    connect(zoomIn_, &QToolButton::clicked, canvas_, &GraphCanvas::zoomIn);
    showZoom(canvas_->zoom());
}

void StagePanel::setMode(Mode mode) {
    mode_ = mode;
    graphButton_->setChecked(mode == Mode::Graph);
    textButton_->setChecked(mode == Mode::Text);
    bothButton_->setChecked(mode == Mode::Both);
    graphBox_->setVisible(mode != Mode::Text);
    graphTools_->setVisible(mode != Mode::Text);
    textTools_->setVisible(textShown());
    fitHeader();
    showText();
    if (mode == Mode::Both && splitter_->sizes().value(twoShown() ? 2 : 1) < Metrics::em(10))
        splitter_->setSizes({width() / 2, width() / 2, width() / 2});
    emit modeChanged();
}

void StagePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHeader();
}

void StagePanel::fitHeader() {
    constexpr int kWords = 0, kIconTools = 1, kIconsOnly = 2;
    for (int room = kWords; room <= kIconsOnly; ++room) {
        const auto style = [](bool icon) { return icon ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon; };
        for (QToolButton* tool : {removed_, sides_, fold_}) tool->setToolButtonStyle(style(room >= kIconTools));
        for (QToolButton* mode : {graphButton_, textButton_, bothButton_}) mode->setToolButtonStyle(style(room >= kIconsOnly));
        for (QComboBox* box : {form_, colour_}) {
            box->setSizeAdjustPolicy(room >= kIconsOnly ? QComboBox::AdjustToMinimumContentsLengthWithIcon : QComboBox::AdjustToContents);
            box->setMinimumContentsLength(room >= kIconsOnly ? 10 : 0);
            box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + 2 * Metrics::gap());
        }
        for (QWidget* part : {textTools_, graphTools_}) {
            part->layout()->invalidate();
            part->updateGeometry();  // the header's layout keeps the size of a part until it is said to be another
        }
        head_->layout()->invalidate();
        if (head_->layout()->sizeHint().width() <= width()) return;
    }
}

/// Whichever text is shown is asked for, and no other.
void StagePanel::showText() {
    const bool original = textForm() == TextForm::Original;
    text_->setVisible(textShown() && !twoShown());
    diff_->setVisible(twoShown());
    removed_->setEnabled(!sideBySide() && !original);
    sides_->setEnabled(!original);
    if (!textShown()) return;
    if (twoShown())
        diff_->request(textForm());
    else
        session_.requestText(textForm(), removedLines());
}

bool StagePanel::sideBySide() const { return sides_->isChecked(); }

void StagePanel::setSideBySide(bool on) {
    sides_->setChecked(on);
    if (on && mode_ == Mode::Graph) setMode(Mode::Text);
}

/// The graph, its legend and the names in the text show a storage in one colour.
void StagePanel::colourStorages() {
    const StorageColours colours = session_.view() ? session_.storagePins().coloursIn(*session_.view()) : StorageColours();
    canvas_->setStorageColours(colours);
    legend_->setStorages(colours);
    nameStorage();
}

/// Names of the values that lie in the selected storage.
void StagePanel::nameStorage() {
    const StageViewPtr& view = session_.view();
    const int storage = session_.selection().storage;
    std::unordered_set<QString> names;
    if (view && storage >= 0)
        for (std::uint32_t node : view->members(storage)) names.insert(QString::fromStdString(view->snapshot->nodes[node]->name));
    const int slot = canvas_->storageColours().shownSlotOf(storage);
    diff_->setStorageNames(slot, names);
    text_->setStorageNames(slot, std::move(names));
}

TextForm StagePanel::textForm() const { return TextForm(std::max(0, form_->currentIndex())); }

void StagePanel::setTextForm(TextForm form) {
    form_->setCurrentIndex(int(form));
    showText();
}

bool StagePanel::removedLines() const { return removed_->isChecked(); }

void StagePanel::setRemovedLines(bool on) {
    removed_->setChecked(on);
    if (textShown()) session_.requestText(textForm(), on);
}

void StagePanel::setFoldViews(bool on) {
    fold_->setChecked(on);
    DrawingOptions options = session_.drawing();
    options.foldViews = on;
    session_.setDrawing(options);
}

void StagePanel::cycleColour(int direction) {
    const int mode = (int(canvas_->colourMode()) + direction + kColourModes) % kColourModes;
    setColour(ColourMode(mode));
}

void StagePanel::setColour(ColourMode mode) {
    canvas_->setColourMode(mode);
    colour_->setCurrentIndex(int(mode));
    legend_->setMode(mode);
    readHeat();
}

/// What lives at the predicted peak of the stage, by the node that made it.
void StagePanel::readHeat() {
    const StageViewPtr& view = session_.view();
    if (!view || canvas_->colourMode() != ColourMode::LiveAtPeak) return;
    session_.ask(
        QStringLiteral("heat"),
        [lane = view->lane, stage = view->stage, ops = session_.ops()](const Recording& recording,
                                                                       const JobContext& job) -> std::shared_ptr<const HeatMap> {
            const Result<MemoryProfilePtr> profile = predictProfile(recording, lane, stage, *ops, job.cancelToken(), job.progressFunction());
            auto heat = std::make_shared<HeatMap>();
            if (!profile || !*profile) return heat;
            for (const memory::Lifetime& held : (*profile)->report().peakHolders())
                if (held.counts()) (*heat)[(*profile)->originUid(held)] += held.exact;
            return heat;
        },
        [this, view](const std::shared_ptr<const HeatMap>& heat) {
            if (view == session_.view()) canvas_->setHeat(heat);
        });
}

bool StagePanel::toggleNeighbourhood() {
    const Uid uid = session_.selection().node;
    const Uid centre = session_.drawing().filter.centre;
    if (centre != kNoUid && (uid == kNoUid || uid == centre)) return leave();
    if (uid == kNoUid || !session_.view() || !session_.view()->indexOf(uid)) return false;
    if (centre == kNoUid) placeBefore_ = canvas_->place();
    changeFilter(session_, [uid](DrawingFilter& f) { f.centre = uid; });
    return true;
}

bool StagePanel::widen(int by) {
    static constexpr int kWidest = 64;
    const DrawingFilter& filter = session_.drawing().filter;
    if (filter.centre == kNoUid && !filter.changedOnly) return false;
    changeFilter(session_, [by](DrawingFilter& f) {
        if (f.centre != kNoUid) {
            f.up = std::clamp(f.up + by, 1, kWidest);
            f.down = std::clamp(f.down + by, 1, kWidest);
        } else {
            f.changedWidth = std::clamp(f.changedWidth + by, 0, kWidest);
        }
    });
    return true;
}

bool StagePanel::hideSelected() {
    const Selection& selection = session_.selection();
    if (selection.node == kNoUid) return false;
    changeFilter(session_, [&](DrawingFilter& f) {
        f.hidden.insert(selection.node);
        f.hidden.insert(selection.nodes.begin(), selection.nodes.end());
        for (Uid uid : f.hidden) f.shown.erase(uid);
    });
    return true;
}

void StagePanel::showHidden() {
    changeFilter(session_, [](DrawingFilter& f) { f.hidden.clear(); });
}

bool StagePanel::leave() {
    if (session_.drawing().filter.centre != kNoUid) {
        restorePlace_ = placeBefore_.has_value();
        changeFilter(session_, [](DrawingFilter& f) { f.centre = kNoUid; });
        return true;
    }
    if (!find_->isVisible()) return false;
    endFind();
    return true;
}

void StagePanel::endFind() {
    find_->setText({});
    find_->hide();
    if (mode_ == Mode::Text)
        text_->setFocus();
    else
        canvas_->setFocus();
}

void StagePanel::toggleAliasHighlight() {
    aliasHighlight_ = !aliasHighlight_;
    canvas_->setAliasHighlight(aliasHighlight_);
}

void StagePanel::toggleMutationEdges() {
    mutationEdges_ = !mutationEdges_;
    canvas_->setMutationEdges(mutationEdges_);
}

void StagePanel::showStage() {
    canvas_->setStage(session_.view());
    fold_->setChecked(session_.drawing().foldViews);
    if (std::exchange(restorePlace_, false) && session_.view() && session_.view()->options.filter.centre == kNoUid) canvas_->setPlace(*placeBefore_);
    canvas_->setSelection(session_.selection());
    readHeat();
    colourStorages();
    askGraphviz();
    if (twoShown()) diff_->request(textForm());
}

void StagePanel::follow(const Selection& selection, Origin) {
    canvas_->setSelection(selection);
    text_->setSelection(selection.node);
    if (diff_->isVisible()) diff_->setSelection(selection.node);
    nameStorage();
}

/// The last one becomes the primary node; a single one that is selected already is taken out.
void StagePanel::extend(const std::vector<Uid>& uids) {
    Selection next = session_.selection();
    next.decision.reset();
    std::vector<Uid> all = next.nodes;
    if (next.node != kNoUid) all.push_back(next.node);
    std::unordered_set<Uid> standing(all.begin(), all.end());
    if (uids.size() == 1 && standing.contains(uids.front())) {
        std::erase(all, uids.front());
    } else {
        for (const Uid uid : uids)
            if (standing.insert(uid).second) all.push_back(uid);
    }
    next.node = all.empty() ? kNoUid : all.back();
    if (!all.empty()) all.pop_back();
    next.nodes = std::move(all);
    const NodeRow* node = session_.view() ? session_.view()->node(next.node) : nullptr;
    next.storage = node ? node->storage : -1;
    session_.select(next, Origin::Graph);
}

void StagePanel::setGraphviz(bool on) {
    if (graphviz_ == on) return;
    graphviz_ = on;
    if (session_.view()) showStage();
}

void StagePanel::askGraphviz() {
    const StageViewPtr& view = session_.view();
    session_.jobs().cancel(graphvizJob_);  // nobody waits for the places of another drawing
    if (!graphviz_ || !view || !suitsGraphviz(*view)) return;
    graphvizJob_ = session_.ask(
        QStringLiteral("graphviz"), [view](const Recording&, const JobContext& job) { return placeByGraphviz(*view, job.cancelToken()); },
        [this, view](const GraphvizPlacement& placed) {
            if (view != session_.view() || !graphviz_) return;
            if (placed.view) return canvas_->setStage(placed.view);
            if (placed.why == graphvizSaid_) return;
            graphvizSaid_ = placed.why;
            if (!placed.why.isEmpty()) emit notice(placed.why);
        });
}

void StagePanel::showZoom(double zoom) { zoom_->setText(QStringLiteral("%1 %").arg(int(std::lround(zoom * 100)))); }

void StagePanel::goToDefinition() {
    const Uid uid = session_.selection().node;
    if (uid == kNoUid) return;
    canvas_->reveal(uid);
    if (const LineSource* source = text_->source()) {
        const int line = source->lineOf(uid);
        if (line >= 0) text_->reveal(line);
    }
}

QString StagePanel::goToUse(int direction) {
    const StageViewPtr& view = session_.view();
    const Uid here = session_.selection().node;
    if (!view || here == kNoUid) return {};
    if (direction > 0 && (here != useShown_ || !view->indexOf(usesOf_))) usesOf_ = here;
    const Uid of = direction > 0 ? usesOf_ : here;
    std::vector<std::uint32_t> others;
    for (std::uint32_t e : direction > 0 ? view->outputs(of) : view->inputs(of)) {
        const EdgeRow& edge = view->snapshot->edges[e];
        if (const auto at = view->indexOf(direction > 0 ? edge.to : edge.from)) others.push_back(*at);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    if (others.empty()) return {};
    std::size_t next = 0;
    if (of != here)
        next = std::size_t(std::upper_bound(others.begin(), others.end(), view->indexOf(here).value_or(0)) - others.begin()) % others.size();
    useShown_ = view->snapshot->nodes[others[next]]->uid;
    session_.selectNode(useShown_, Origin::Command);
    const QString name = percentName(view->node(of)->name);
    return direction > 0 ? tr("Use %1 of %2 of %3").arg(next + 1).arg(others.size()).arg(name)
                         : tr("Operand 1 of %1 of %2").arg(others.size()).arg(name);
}

bool StagePanel::goAlong(int direction) {
    if (diff_->isVisible() && !canvas_->hasFocus()) return diff_->goToHunk(direction);
    if (!canvas_->hasFocus()) return text_->goToHunk(direction);
    const StageViewPtr& view = session_.view();
    const auto here = view ? view->indexOf(session_.selection().node) : std::nullopt;
    if (!view || view->snapshot->nodes.empty()) return false;
    const std::int64_t at = here ? std::int64_t(*here) + direction : 0;
    if (at < 0 || at >= std::int64_t(view->snapshot->nodes.size())) return false;
    session_.selectNode(view->snapshot->nodes[std::size_t(at)]->uid, Origin::Command);
    return true;
}

bool StagePanel::goToCopy(int direction) {
    const StageViewPtr& view = session_.view();
    if (!view) return false;
    const auto count = std::int64_t(view->family.size());
    std::int64_t at = direction > 0 ? -1 : count;
    if (const auto here = view->indexOf(session_.selection().node)) at = *here;
    for (at += direction; at >= 0 && at < count; at += direction) {
        const NodeRow& node = *view->snapshot->nodes[std::size_t(at)];
        const std::string op = shortOp(node);
        if (op != "clone" && op != "copy_" && op != "copy") continue;
        session_.selectNode(node.uid, Origin::Command);
        return true;
    }
    return false;
}

QString StagePanel::command() const {
    if (diff_->isVisible() && session_.stage() > 1)
        return commandLine(session_, QStringLiteral("diff"), {QString::number(session_.stage() - 1), QString::number(session_.stage())});
    if (find_->isAncestorOf(QApplication::focusWidget()))
        if (const QString found = find_->command(); !found.isEmpty()) return found;
    QStringList options{QStringLiteral("--stage"), QString::number(session_.stage()), QStringLiteral("--as"),
                        textForm() == TextForm::Graph ? QStringLiteral("graph") : QStringLiteral("readable")};
    return commandLine(session_, QStringLiteral("show"), options);
}

}  // namespace aliascope
