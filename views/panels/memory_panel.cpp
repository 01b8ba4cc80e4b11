#include "views/panels/memory_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/models/block_model.h"
#include "views/models/holder_model.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// Curves that were predicted and curves that were measured never share a colour. The first is that of the current stage.
constexpr std::array<Role, MemoryPanel::kMostOverlaid + 1> kPredicted = {Role::Slot1,         Role::Slot6,   Role::Slot3,  Role::Slot5,
                                                                         Role::FamilyWrapper, Role::InPlace, Role::Changed};
constexpr std::array<Role, MemoryPanel::kMostOverlaid + 1> kMeasured = {Role::Slot2,   Role::Slot4,  Role::FamilyCopy, Role::Wrong,
                                                                        Role::Removed, Role::Needed, Role::Pin};

struct Grouping {
    HolderKey key;
    const char* text;
    const char* word;  ///< of the command line
};
constexpr std::array<Grouping, 6> kGroupings = {{{HolderKey::Module, QT_TRANSLATE_NOOP("MemoryPanel", "by module"), "module"},
                                                 {HolderKey::Op, QT_TRANSLATE_NOOP("MemoryPanel", "by operator"), "op"},
                                                 {HolderKey::Source, QT_TRANSLATE_NOOP("MemoryPanel", "by source line"), "source"},
                                                 {HolderKey::Storage, QT_TRANSLATE_NOOP("MemoryPanel", "by storage"), "storage"},
                                                 {HolderKey::Node, QT_TRANSLATE_NOOP("MemoryPanel", "by node"), "node"},
                                                 {HolderKey::Dtype, QT_TRANSLATE_NOOP("MemoryPanel", "by dtype"), "dtype"}}};

QString signedBytes(std::int64_t bytes) { return bytes < 0 ? QStringLiteral("\u2212") + bytesText(-bytes) : QLatin1Char('+') + bytesText(bytes); }

}  // namespace

/// What is to be read on a job thread.
struct MemoryPanel::Question {
    std::int64_t lane = 0;
    std::vector<int> stages;  ///< the current one first
    SecondStagePtr beside;    ///< of the other lane, matched with the current stage; null = none
    std::int64_t run = 0;     ///< of the current stage; others show their newest run beside it
    std::shared_ptr<const OpRegistry> ops;
    std::map<Key, MemoryProfilePtr> known;

    Loaded answer(const Recording& recording, const JobContext& job) const {
        Loaded out;
        out.runs = runsFor(recording, lane, stages.front());
        // Of a stage without the run that was chosen its newest one, so that stepping stays with what is measured.
        std::int64_t chosen = run;
        if (run != 0 && std::none_of(out.runs.begin(), out.runs.end(), [&](const MemoryRunRow& row) { return row.id == run; }))
            chosen = out.runs.empty() ? 0 : out.runs.front().id;
        std::vector<Key> wanted;
        for (const int stage : stages) {
            Key key{lane, stage, 0};
            const bool current = stage == stages.front() && wanted.empty();
            if (current) key.run = chosen;
            if (run != 0 && !current && stage != stages.front())
                if (const auto runs = runsFor(recording, lane, stage); !runs.empty()) key.run = runs.front().id;
            wanted.push_back(key);
        }
        if (beside) {
            Key key{beside->view->lane, beside->view->stage, 0};
            if (run != 0)
                if (const auto runs = runsFor(recording, key.lane, key.stage); !runs.empty()) key.run = runs.front().id;
            wanted.insert(wanted.begin() + 1, key);
        }
        for (std::size_t i = 0; i < wanted.size() && !out.error; ++i) {
            if (job.cancelled()) break;
            job.progress(double(i) / double(wanted.size()), QObject::tr("stage %1").arg(wanted[i].stage).toStdString());
            read(recording, job, wanted[i], out);
        }
        out.cancelled = job.cancelled();
        if (out.error || out.cancelled) return out;
        const MemoryProfile& reference = *out.profiles.at(wanted.front());
        for (const Key& key : wanted) {
            std::shared_ptr<const std::vector<double>> places;
            if (key.lane != lane)
                places = std::make_shared<const std::vector<double>>(alignEvents(*out.profiles.at(key), reference, beside->matching.toA, false));
            else if (key != wanted.front())
                places = std::make_shared<const std::vector<double>>(
                    alignEvents(*out.profiles.at(key), reference, kinBetween(recording, lane, key.stage, wanted.front().stage)));
            out.curves.emplace_back(key, std::move(places));
        }
        return out;
    }

private:
    void read(const Recording& recording, const JobContext& job, const Key& key, Loaded& out) const {
        if (const auto it = known.find(key); it != known.end()) {
            out.profiles.insert(*it);
            return;
        }
        Result<MemoryProfilePtr> made = MemoryProfilePtr();
        if (key.run == 0) {
            made = predictProfile(recording, key.lane, key.stage, *ops, job.cancelToken(), [](double, std::string_view) {});
        } else {
            for (const MemoryRunRow& row : runsFor(recording, key.lane, key.stage))
                if (row.id == key.run) made = readProfile(recording, key.lane, key.stage, row, job.cancelToken());
        }
        if (!made) {
            out.error = reportOf(made.error());
        } else if (*made) {
            out.profiles.emplace(key, *made);
        } else if (!job.cancelled()) {
            out.error = ErrorReport();
            out.error->what = QObject::tr("The memory of stage %1 is not recorded.").arg(key.stage);
        }
    }
};

MemoryPanel::MemoryPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      blocks_(new BlockModel(this)),
      holders_(new HolderModel(this)),
      blockProxy_(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("memory"));
    blockProxy_->setSourceModel(blocks_);
    blockProxy_->setSortRole(BlockModel::SortRole);
    build();
    connect(&session_, &Session::recordingChanged, this, &MemoryPanel::reset);
    connect(&session_, &Session::stageChanged, this, &MemoryPanel::refresh);
    connect(&session_, &Session::selectionChanged, this, &MemoryPanel::follow);
    connect(&session_, &Session::runsChanged, this, &MemoryPanel::refresh);
    reset();
}

// --- building -----------------------------------------------------------------------------------------------------------------------------

void MemoryPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    column->addWidget(rule(this));
    pages_ = new QStackedWidget(this);
    empty_ = quietLabel(QString(), pages_);
    empty_->setObjectName(QStringLiteral("memory.empty"));
    empty_->setAlignment(Qt::AlignCenter);
    pages_->addWidget(empty_);
    splitter_ = new QSplitter(Qt::Horizontal, pages_);
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(false);
    chart_ = new MemoryChart(splitter_);
    chart_->setObjectName(QStringLiteral("memory.chart"));
    chart_->setAccessibleName(tr("Memory over the program"));
    splitter_->addWidget(chart_);
    splitter_->addWidget(buildTables());
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 1);
    splitter_->setSizes({Metrics::em(52), Metrics::em(46)});
    pages_->addWidget(splitter_);
    column->addWidget(pages_, 1);

    connect(chart_, &MemoryChart::cursorMoved, this, [this](qlonglong seq) {
        showCursor();
        showTables();
        if (profile()) selectNode(profile()->uidAt(seq));
    });
    connect(chart_, &MemoryChart::blockChosen, this, [this](qulonglong block) { selectBlock(block); });
    connect(chart_, &MemoryChart::rangeChanged, this, &MemoryPanel::showTables);
}

QWidget* MemoryPanel::buildHead() {
    auto* head = new QWidget(this);
    head_ = new QBoxLayout(QBoxLayout::LeftToRight, head);
    head_->setContentsMargins(Metrics::pad(), Metrics::tight(), Metrics::pad(), Metrics::tight());
    head_->setSpacing(Metrics::gap());
    auto* row = new QHBoxLayout;
    row->setSpacing(Metrics::gap());
    head_->addLayout(row);
    source_ = choiceBox(tr("Source of the curve"), QStringLiteral("memory.source"), head);
    source_->setMinimumWidth(Metrics::em(11));
    source_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(source_);
    accounting_ = choiceBox(tr("Accounting"), QStringLiteral("memory.accounting"), head);
    accounting_->addItem(tr("bytes asked for"));
    accounting_->addItem(tr("CUDA caching allocator"));
    accounting_->setToolTip(tr("What is counted: the bytes that tensors need, or what PyTorch's CUDA allocator takes for them"));
    row->addWidget(accounting_);
    overlay_ = iconButton(QStringLiteral("chevron-down"), tr("Stages overlaid"), QStringLiteral("memory.stages"), head);
    overlay_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    overlay_->setText(tr("Overlay stages"));
    overlay_->setPopupMode(QToolButton::InstantPopup);
    overlayMenu_ = new QMenu(overlay_);
    overlayMenu_->setObjectName(QStringLiteral("memory.stages.menu"));
    overlayMenu_->setAccessibleName(tr("Stages overlaid"));
    overlay_->setMenu(overlayMenu_);
    row->addWidget(overlay_);
    auto* peak = iconButton(QStringLiteral("up"), tr("Go to the peak (M)"), QStringLiteral("memory.peak"), head);
    peak->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    peak->setText(tr("Peak  M"));
    row->addWidget(peak);
    by_ = choiceBox(tr("Group the holders"), QStringLiteral("memory.by"), head);
    for (const Grouping& grouping : kGroupings) by_->addItem(tr(grouping.text));
    by_->hide();
    row->addWidget(by_);
    row->addStretch(1);
    auto* facts = new QHBoxLayout;
    facts->setSpacing(Metrics::gap());
    head_->addLayout(facts, 1);
    caption_ = new ElidedLabel(head);
    caption_->setObjectName(QStringLiteral("memory.caption"));
    caption_->setProperty("quiet", true);
    facts->addWidget(caption_, 2);
    cursor_ = new ElidedLabel(head);
    cursor_->setObjectName(QStringLiteral("memory.cursor"));
    cursor_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    facts->addWidget(cursor_, 3);

    connect(source_, &QComboBox::activated, this, [this](int at) {
        run_ = source_->itemData(at).toLongLong();
        refresh();
    });
    connect(accounting_, &QComboBox::activated, this, [this] {
        chart_->setAccounting(accounting());
        if (profile()) showCaption();
        showCursor();
        showTables();
        holders_->setContents(profile(), holderKey(), accounting());
    });
    connect(overlayMenu_, &QMenu::aboutToShow, this, &MemoryPanel::showStageMenu);
    connect(peak, &QToolButton::clicked, this, &MemoryPanel::goToPeak);
    return head;
}

QWidget* MemoryPanel::buildTables() {
    tabs_ = new QTabWidget(splitter_);
    tabs_->setObjectName(QStringLiteral("memory.tab"));
    tabs_->setAccessibleName(tr("Blocks"));
    tabs_->setDocumentMode(true);
    tabs_->tabBar()->setObjectName(QStringLiteral("memory.tab.bar"));
    tabs_->tabBar()->setAccessibleName(tr("Blocks"));
    tabs_->tabBar()->setDrawBase(false);
    tabs_->tabBar()->setExpanding(false);
    blockTable_ = new QTableView(tabs_);
    blockTable_->setModel(blockProxy_);
    dressTable(blockTable_, QStringLiteral("memory.live"), tr("Live at the cursor"));
    blockTable_->sortByColumn(BlockModel::Size, Qt::DescendingOrder);
    blockTable_->setItemDelegateForColumn(BlockModel::Node, new MonoDelegate(blockTable_));
    constexpr std::array<qreal, BlockModel::ColumnCount> widths = {6.5, 5, 11, 8, 4.5, 4.5, 12};
    for (int c = 0; c < BlockModel::ColumnCount; ++c) blockTable_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    tabs_->addTab(blockTable_, tr("Live at cursor"));

    holderTable_ = new QTableView(tabs_);
    holderTable_->setModel(holders_);
    dressTable(holderTable_, QStringLiteral("memory.holders"), tr("Who holds the peak"));
    holderTable_->setSortingEnabled(false);
    holderTable_->horizontalHeader()->setStretchLastSection(false);
    holderTable_->horizontalHeader()->setSectionResizeMode(HolderModel::Group, QHeaderView::Stretch);
    for (int c : {HolderModel::Size, HolderModel::Share, HolderModel::Blocks}) holderTable_->setColumnWidth(c, Metrics::em(6));
    tabs_->addTab(holderTable_, tr("Who holds the peak"));
    tabs_->tabBar()->setElideMode(Qt::ElideNone);
    connect(tabs_, &QTabWidget::currentChanged, by_, [this] { by_->setVisible(tabs_->currentWidget() == holderTable_); });

    connect(by_, &QComboBox::activated, this, [this] {
        tabs_->setCurrentWidget(holderTable_);
        holders_->setContents(profile(), holderKey(), accounting());
    });
    connect(blockTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!following_ && now.isValid()) selectBlock(now.data(BlockModel::BlockRole).toULongLong());
    });
    connect(holderTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (following_ || !now.isValid()) return;
        const Uid uid = now.data(HolderModel::UidRole).toULongLong();
        chart_->setSelection(uid);
        selectNode(uid);
    });
    return tabs_;
}

// --- what is shown ------------------------------------------------------------------------------------------------------------------------

memory::Accounting MemoryPanel::accounting() const {
    return accounting_->currentIndex() == 1 ? memory::Accounting::Charged : memory::Accounting::Exact;
}

HolderKey MemoryPanel::holderKey() const { return kGroupings[std::size_t(std::max(0, by_->currentIndex()))].key; }

void MemoryPanel::nothing(const QString& sentence) {
    empty_->setText(sentence);
    empty_->setAccessibleName(sentence);
    pages_->setCurrentWidget(empty_);
    chart_->setCurves({});
    holders_->setContents(nullptr, holderKey(), accounting());
    showTables();
    showCursor();
    caption_->clear();
}

void MemoryPanel::reset() {
    if (recording_ == session_.data().recording && lane_ == session_.data().lane && session_.isOpen()) return refresh();
    recording_ = session_.data().recording;
    lane_ = session_.data().lane;
    profiles_.clear();
    overlaid_.clear();
    run_ = 0;
    source_->clear();
    source_->addItem(tr("predicted"), 0);
    for (QWidget* control : std::initializer_list<QWidget*>{source_, accounting_, overlay_}) control->setEnabled(session_.isOpen());
    nothing(tr("Open a graph: how many bytes are live at each of its nodes stands here, and who holds them."));
    refresh();
}

void MemoryPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (dirty_) refresh();
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeForShape();
}

/// Tables stand beside the chart in a flat panel, below it in a tall one.
void MemoryPanel::arrangeForShape() {
    head_->setDirection(width() < Metrics::em(70) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    const Qt::Orientation wanted = width() > height() * 3 / 2 ? Qt::Horizontal : Qt::Vertical;
    if (splitter_->orientation() != wanted) splitter_->setOrientation(wanted);
}

void MemoryPanel::refresh() {
    dirty_ = true;
    if (!session_.isOpen() || !session_.view() || (!isVisible() && !pendingPeak_)) return;
    dirty_ = false;
    Question question;
    question.lane = lane_;
    question.stages.push_back(session_.view()->stage);
    for (const int stage : overlaid_)
        if (stage != question.stages.front() || run_ != 0) question.stages.push_back(stage);
    // The other lane's stage is matched with what stood here when it was read; while a step is under way there is none.
    if (beside_ && beside_->view->lane != lane_ && besideOf_ == session_.view()) question.beside = beside_;
    question.run = run_;
    question.ops = session_.ops();
    question.known = profiles_;
    session_.jobs().start(
        tr("Memory of stage %1").arg(question.stages.front()), QStringLiteral("memory"), JobQueue::Kind::Visible,
        [question, recording = recording_](const JobContext& job) { return question.answer(*recording, job); },
        [this, recording = recording_, lane = lane_](Loaded loaded) {
            if (recording == session_.data().recording && lane == session_.data().lane) adopt(std::move(loaded));
        });
}

void MemoryPanel::adopt(Loaded loaded) {
    profiles_.insert(loaded.profiles.begin(), loaded.profiles.end());
    constexpr std::size_t kKept = 24;
    while (profiles_.size() > kKept) profiles_.erase(profiles_.begin());
    if (loaded.cancelled) {
        dirty_ = true;
        return nothing(tr("The computation was stopped. Step to another stage and back to start it again."));
    }
    showRuns(loaded.runs, loaded.curves.empty() ? 0 : loaded.curves.front().first.run);
    if (loaded.error) return nothing(loaded.error->what + QLatin1Char('\n') + loaded.error->todo);
    showCurves(loaded);
}

void MemoryPanel::showRuns(const std::vector<MemoryRunRow>& runs, std::int64_t shown) {
    source_->clear();
    source_->addItem(tr("predicted"), 0);
    for (const MemoryRunRow& run : runs) {
        source_->addItem(tr("measured: run %1, %2%3")
                             .arg(run.id)
                             .arg(qstr(run.device), run.state == "complete" ? QString() : QStringLiteral(", ") + qstr(run.state)),
                         qlonglong(run.id));
    }
    source_->setToolTip(tr("Where the curve of this stage comes from: predicted, or one of its recorded runs"));
    source_->setCurrentIndex(std::max(0, source_->findData(qlonglong(shown))));
}

void MemoryPanel::showStageMenu() {
    overlayMenu_->clear();
    for (const StageRow& row : session_.data().stages) {
        if (!row.changed && row.idx != 1) continue;
        QAction* entry = overlayMenu_->addAction(QStringLiteral("%1 %2").arg(row.idx).arg(qstr(row.name)));
        entry->setCheckable(true);
        entry->setChecked(overlaid_.count(row.idx) > 0);
        entry->setEnabled(entry->isChecked() || overlaid_.size() < kMostOverlaid);
        connect(entry, &QAction::toggled, this, [this, idx = row.idx](bool on) {
            if (on) {
                overlaid_.insert(idx);
            } else {
                overlaid_.erase(idx);
            }
            refresh();
        });
    }
    overlayMenu_->addSeparator();
    QAction* none = overlayMenu_->addAction(tr("None"));
    none->setEnabled(!overlaid_.empty());
    connect(none, &QAction::triggered, this, [this] {
        overlaid_.clear();
        refresh();
    });
}

void MemoryPanel::showCurves(const Loaded& loaded) {
    std::vector<MemoryCurve> curves;
    for (const auto& [key, places] : loaded.curves) {
        MemoryCurve curve;
        curve.profile = loaded.profiles.at(key);
        curve.places = places;
        const std::size_t at = std::min(curves.size(), kPredicted.size() - 1);
        curve.role = curve.profile->measured() ? kMeasured[at] : kPredicted[at];
        curve.style = curves.empty() ? Qt::SolidLine : Qt::DashLine;
        if (key.lane != lane_) curve.lane = besideName_;
        curves.push_back(std::move(curve));
    }
    overlay_->setText(overlaid_.empty() ? tr("Overlay stages") : tr("Overlaid: %1").arg(overlaid_.size()));
    const MemoryProfilePtr now = curves.front().profile;
    if (now->events() == 0) {
        const QString why = now->error ? reportOf(*now->error).what : tr("Its graph allocates nothing.");
        return nothing(tr("No memory to show for stage %1. %2\nShapes come from the file; operators without a shape rule need a type there.")
                           .arg(now->stage())
                           .arg(why));
    }
    pages_->setCurrentWidget(splitter_);
    chart_->setCurves(std::move(curves));
    chart_->setAccounting(accounting());
    showCaption();
    holders_->setContents(now, holderKey(), accounting());
    follow(session_.selection(), Origin::Program);
    if (chart_->cursor() < 0) chart_->setCursor(now->log().peakSeq);
    if (pendingPeak_) {
        pendingPeak_ = false;
        goToPeak();
    }
    showCursor();
    showTables();
}

void MemoryPanel::showCaption() {
    const MemoryProfile& now = *profile();
    QString text;
    if (now.measured()) {
        text = tr("measured: run %1 on %2").arg(now.run).arg(now.device);
        if (now.synthetic) text += tr(", with stand-ins");
    } else {
        text = tr("predicted from shapes and program order, not measured");
        QStringList assumed;
        for (const auto& [symbol, value] : now.assumed) assumed << QStringLiteral("%1 = %2").arg(qstr(symbol)).arg(value);
        if (!assumed.isEmpty()) text += tr("; assumes %1").arg(assumed.join(QStringLiteral(", ")));
        if (now.log().conditional) text += tr("; sizes depend on data");
    }
    if (const QString beside = besideText(); !beside.isEmpty()) text = beside + QStringLiteral("; ") + text;
    if (now.error) text = tr("ends early: %1").arg(reportOf(*now.error).what);
    caption_->setText(text);
    caption_->setToolTip(text);
    caption_->setAccessibleName(text);
}

/// The peaks of both pipelines and what one holds more than the other.
QString MemoryPanel::besideText() const {
    const auto& curves = chart_->curves();
    if (curves.size() < 2 || curves[1].lane.isEmpty()) return {};
    const std::int64_t here = curves[0].profile->peak(accounting()), there = curves[1].profile->peak(accounting());
    const QString name = session_.lane() ? qstr(session_.lane()->name) : QString();
    const QString peaks = tr("%1 and %2").arg(bytesText(here), bytesText(there));
    if (here == there) return tr("%1 and %2 hold the same at their peaks (%3)").arg(name, besideName_, bytesText(here));
    return tr("%1 holds %2 more at the peak (%3)").arg(here > there ? name : besideName_, bytesText(std::abs(here - there)), peaks);
}

void MemoryPanel::setBeside(SecondStagePtr second, const QString& laneName) {
    if (second == beside_) return;
    beside_ = std::move(second);
    besideOf_ = session_.view();
    besideName_ = laneName;
    refresh();
}

void MemoryPanel::showCursor() {
    QString text;
    if (const MemoryProfilePtr now = profile(); now && chart_->cursor() >= 0) {
        const std::int64_t seq = chart_->cursor();
        const NodeRow* node = now->node(now->uidAt(seq));
        text = tr("event %1   %2   total %3   %4")
                   .arg(grouped(seq),
                        node ? percentName(node->name) : QString::fromLatin1(memory::toString(now->log().events[std::size_t(seq)].kind).data()),
                        bytesText(now->live(seq, accounting())), signedBytes(now->delta(seq, accounting())));
    }
    cursor_->setText(text);
    cursor_->setAccessibleName(text);
    cursor_->setToolTip(text);
    chart_->setAccessibleDescription(text);
}

void MemoryPanel::showTables() {
    const MemoryProfilePtr now = profile();
    following_ = true;
    QString title = tr("Live at cursor");
    if (!now) {
        blocks_->setContents(nullptr, {}, accounting());
    } else if (const auto& range = chart_->range()) {
        blocks_->setContents(now, blocksLiveIn(*now, range->first, range->second), accounting());
        title = tr("Live in the range (%1)").arg(grouped(blocks_->rowCount()));
    } else {
        blocks_->setContents(now, blocksLiveAt(*now, chart_->cursor()), accounting());
        title = tr("Live at cursor (%1)").arg(grouped(blocks_->rowCount()));
    }
    tabs_->setTabText(tabs_->indexOf(blockTable_), title);
    const int row = blocks_->rowOf(session_.selection().node);
    if (row >= 0) blockTable_->setCurrentIndex(blockProxy_->mapFromSource(blocks_->index(row, BlockModel::Node)));
    following_ = false;
}

// --- selection ----------------------------------------------------------------------------------------------------------------------------

void MemoryPanel::follow(const Selection& selection, Origin origin) {
    if (!profile()) return;
    Uid uid = selection.node;
    if (profile()->blocksOf(uid).empty() && selection.storage >= 0 && session_.view()) {
        // A view holds nothing itself: the block is that of its base.
        if (const StorageRow* storage = session_.view()->storage(selection.storage)) uid = storage->base;
    }
    chart_->setSelection(uid);
    if (origin == Origin::Memory) return;
    if (const std::int64_t seq = profile()->seqOf(selection.node); selection.node != kNoUid && seq >= 0) {
        chart_->setCursor(seq);
        showCursor();
    }
    showTables();
}

void MemoryPanel::selectNode(Uid uid) {
    if (uid != kNoUid && session_.view() && session_.view()->node(uid)) session_.selectNode(uid, Origin::Memory);
}

void MemoryPanel::selectBlock(std::size_t block) {
    const MemoryProfilePtr now = profile();
    if (!now || block >= now->report().lifetimes().size()) return;
    const Uid uid = now->originUid(now->report().lifetimes()[block]);
    chart_->setSelection(uid);
    selectNode(uid);
    following_ = true;
    if (const int row = blocks_->rowOf(uid); row >= 0) {
        const QModelIndex at = blockProxy_->mapFromSource(blocks_->index(row, BlockModel::Node));
        blockTable_->setCurrentIndex(at);
        blockTable_->scrollTo(at);
    }
    following_ = false;
}

void MemoryPanel::goToPeak() {
    if (!profile() || dirty_) {
        pendingPeak_ = true;
        return refresh();
    }
    chart_->clearRange();
    chart_->goToPeak();
}

void MemoryPanel::showRun(int stage, std::int64_t run) {
    run_ = run;
    if (stage == session_.stage()) return refresh();
    session_.setStage(stage);
}

QString MemoryPanel::command() const {
    QStringList options;
    if (session_.stage() > 0) options << QStringLiteral("--stage") << QString::number(session_.stage());
    if (accounting() == memory::Accounting::Charged) options << QStringLiteral("--accounting") << QStringLiteral("cuda-caching");
    if (tabs_->currentWidget() == holderTable_) {
        options << QStringLiteral("--by") << QLatin1String(kGroupings[std::size_t(std::max(0, by_->currentIndex()))].word);
    } else if (const MemoryProfilePtr now = profile(); now && chart_->cursor() >= 0) {
        if (const NodeRow* node = now->node(now->uidAt(chart_->cursor()))) options << QStringLiteral("--at") << qstr(node->name);
    }
    if (profile() && profile()->measured() && !session_.isTemporary()) options << QStringLiteral("--run") << QString::number(profile()->run);
    return commandLine(session_, QStringLiteral("memory"), options);
}

}  // namespace aliascope
