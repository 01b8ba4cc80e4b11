#include "views/panels/numerics_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// The glyph in its colour, the error in ink.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem background = option;
        initStyleOption(&background, index);
        background.text.clear();
        const QWidget* widget = option.widget;
        widget->style()->drawControl(QStyle::CE_ItemViewItem, &background, painter, widget);
        const Palette& p = Palette::active();
        const QString glyph = index.data(NumericsModel::GlyphRole).toString();
        const bool origin = glyph == QLatin1String("X"), wrong = origin || glyph == QLatin1String("n");
        painter->save();
        painter->setFont(Metrics::monoFont(1.0));
        if (origin) {
            QFont bold = painter->font();
            bold.setBold(true);
            painter->setFont(bold);
        }
        const QRect box = option.rect.adjusted(Metrics::gap(), 0, -Metrics::tight(), 0);
        painter->setPen(p(wrong ? Role::Wrong : Role::Secondary));
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, glyph);
        const int advance = painter->fontMetrics().horizontalAdvance(QLatin1String("X "));
        painter->setPen(p(origin ? Role::Ink : Role::Secondary));
        painter->drawText(box.adjusted(advance, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, index.data(NumericsModel::ErrorRole).toString());
        painter->restore();
    }
};

/// The digest of the compared value among those of its node.
std::optional<DigestRow> digestOf(const Recording& recording, std::int64_t run, const std::optional<Uid>& uid, const ComparedRow& value) {
    if (!uid) return std::nullopt;
    std::vector<DigestRow> rows = recording.digests(run, *uid);
    std::erase_if(rows, [](const DigestRow& row) { return !row.callPath.empty(); });
    auto found = std::find_if(rows.begin(), rows.end(), [&](const DigestRow& row) { return row.label == value.label; });
    if (found == rows.end()) found = std::find_if(rows.begin(), rows.end(), [&](const DigestRow& row) { return row.out == value.out; });
    if (found == rows.end() && rows.size() == 1) found = rows.begin();
    return found == rows.end() ? std::nullopt : std::optional(*found);
}

QString number(const std::optional<double>& value) { return value ? errorText(*value) : QStringLiteral("\u2013"); }

}  // namespace

NumericsPanel::NumericsPanel(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new NumericsModel(this)), proxy_(new NumericsFilterProxy(this)) {
    setObjectName(QStringLiteral("numerics"));
    proxy_->setSourceModel(model_);
    build();
    connect(&session_, &Session::recordingChanged, this, &NumericsPanel::refresh);
    connect(&session_, &Session::runsChanged, this, &NumericsPanel::refresh);
    connect(&session_, &Session::recordingChanged, this, [this] { probeBox_->setVisible(session_.runningJob() != 0 && probeBox_->isVisible()); });
    connect(&session_, &Session::bisectStarted, this, [this] { showBisecting(true); });
    connect(&session_, &Session::bisectProbed, this, [this](const BisectRow& row) {
        auto* item = new QListWidgetItem((row.good ? QStringLiteral(".  ") : QStringLiteral("X  ")) + row.text, probes_);
        item->setData(Qt::UserRole, row.stage);
        const int rows = probes_->sizeHintForRow(0) * probes_->count() + 2 * probes_->frameWidth();
        probes_->setFixedHeight(std::min(rows, Metrics::em(9)));
        probes_->scrollToItem(item);
    });
    connect(&session_, &Session::bisectFinished, this, &NumericsPanel::bisected);
    connect(&session_, &Session::selectionChanged, this, &NumericsPanel::follow);
    connect(&session_, &Session::stageChanged, this, [this] {
        if (pendingNode_ == kNoUid) return;
        const Uid uid = pendingNode_;
        pendingNode_ = kNoUid;
        session_.selectNode(uid, Origin::Numerics);
    });
    refresh();
}

// --- building -----------------------------------------------------------------------------------------------------------------------------

void NumericsPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    pages_ = new QStackedWidget(this);
    auto* emptyPage = new QWidget(pages_);
    auto* emptyColumn = new QVBoxLayout(emptyPage);
    emptyColumn->addStretch(1);
    empty_ = quietLabel(QString(), emptyPage);
    empty_->setObjectName(QStringLiteral("numerics.empty"));
    empty_->setAlignment(Qt::AlignCenter);
    emptyColumn->addWidget(empty_);
    auto* run = textButton(tr("Run all stages  Ctrl+F5"), QStringLiteral("numerics.emptyRun"), emptyPage);
    connect(run, &QPushButton::clicked, this, &NumericsPanel::runAllWanted);
    emptyColumn->addWidget(run, 0, Qt::AlignHCenter);
    emptyColumn->addStretch(1);
    pages_->addWidget(emptyPage);

    auto* page = new QWidget(pages_);
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(buildHead());
    rows->addWidget(buildStrip());
    rows->addWidget(buildProbes());
    rows->addWidget(rule(page));
    auto* splitter = new QSplitter(Qt::Horizontal, page);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    table_ = new QTableView(splitter);
    table_->setModel(proxy_);
    dressTable(table_, QStringLiteral("numerics.table"), tr("Values of the stages"));
    table_->setSortingEnabled(false);
    proxy_->sort(-1);  // results first, then in the order of the program
    table_->setSelectionBehavior(QAbstractItemView::SelectItems);
    table_->setItemDelegate(new CellDelegate(table_));
    table_->setItemDelegateForColumn(NumericsModel::kValue, new MonoDelegate(table_));
    splitter->addWidget(table_);
    splitter->addWidget(buildDetail());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 2);
    rows->addWidget(splitter, 1);
    pages_->addWidget(page);
    column->addWidget(pages_, 1);

    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        showDetail();
        if (following_ || !now.isValid()) return;
        const Uid uid = proxy_->mapToSource(now).siblingAtColumn(std::max(1, now.column())).data(NumericsModel::UidRole).toULongLong();
        if (uid != kNoUid && session_.view() && session_.view()->node(uid)) session_.selectNode(uid, Origin::Numerics);
    });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { jumpTo(proxy_->mapToSource(index)); });
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { jumpTo(proxy_->mapToSource(index)); });
}

QWidget* NumericsPanel::buildHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(Metrics::pad(), Metrics::tight(), Metrics::pad(), Metrics::tight());
    row->setSpacing(Metrics::gap());
    filter_ = filterField(tr("Filter values"), QStringLiteral("numerics.filter"), head);
    filter_->setMaximumWidth(Metrics::em(16));
    const QString howToFilter = tr("Words of a value's name; error>1e-3 for its largest error, op:cache for what made it");
    filter_->setToolTip(howToFilter);
    row->addWidget(filter_, 1);
    differences_ = new QCheckBox(tr("Only differences"), head);
    differences_->setObjectName(QStringLiteral("numerics.differences"));
    differences_->setAccessibleName(differences_->text());
    row->addWidget(differences_);
    count_ = new QLabel(head);
    count_->setObjectName(QStringLiteral("numerics.count"));
    count_->setProperty("quiet", true);
    row->addWidget(count_);
    row->addSpacing(Metrics::gap());
    reference_ = new ElidedLabel(head);
    reference_->setObjectName(QStringLiteral("numerics.reference"));
    reference_->setProperty("quiet", true);
    row->addWidget(reference_, 2);
    auto* run = textButton(tr("Run all  Ctrl+F5"), QStringLiteral("numerics.run"), head);
    row->addWidget(run);
    bisectPasses_ = textButton(tr("Bisect passes"), QStringLiteral("numerics.bisectPasses"), head);
    bisectPasses_->setToolTip(tr("Find the first pass after which the program gives something else"));
    row->addWidget(bisectPasses_);
    bisectRewrites_ = textButton(tr("Bisect rewrites"), QStringLiteral("numerics.bisectRewrites"), head);
    bisectRewrites_->setToolTip(tr("Find the pass, then how many of its rewrites it takes"));
    row->addWidget(bisectRewrites_);
    connect(bisectPasses_, &QPushButton::clicked, this, [this] { startBisect(false); });
    connect(bisectRewrites_, &QPushButton::clicked, this, [this] { startBisect(true); });
    connect(run, &QPushButton::clicked, this, &NumericsPanel::runAllWanted);
    connect(filter_, &QLineEdit::textChanged, this, [this, howToFilter](const QString& text) {
        const QString wrong = proxy_->setQuery(text);
        filter_->setToolTip(wrong.isEmpty() ? howToFilter : wrong);
        showCount();
    });
    connect(differences_, &QCheckBox::toggled, this, [this](bool on) {
        proxy_->setOnlyDifferences(on);
        showCount();
    });
    return head;
}

QWidget* NumericsPanel::buildStrip() {
    strip_ = new QWidget(this);
    strip_->setObjectName(QStringLiteral("numerics.strip"));
    auto* row = new QHBoxLayout(strip_);
    row->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), Metrics::tight());
    row->setSpacing(Metrics::gap());
    verdict_ = new ElidedLabel(strip_);
    verdict_->setObjectName(QStringLiteral("numerics.verdict"));
    verdict_->setAccessibleName(tr("First divergence"));
    row->addWidget(verdict_, 1);
    goToFirst_ = textButton(tr("Go there"), QStringLiteral("numerics.goToFirst"), strip_);
    goToFirst_->setAccessibleName(tr("Go to the stage and node where the difference begins"));
    row->addWidget(goToFirst_);
    connect(goToFirst_, &QPushButton::clicked, this, &NumericsPanel::goToFirstDivergence);
    return strip_;
}

QWidget* NumericsPanel::buildProbes() {
    probeBox_ = new QWidget(this);
    probeBox_->setObjectName(QStringLiteral("numerics.probeBox"));
    auto* column = new QVBoxLayout(probeBox_);
    column->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), Metrics::tight());
    column->setSpacing(Metrics::tight());
    auto* row = new QHBoxLayout();
    found_ = new ElidedLabel(probeBox_);
    found_->setObjectName(QStringLiteral("numerics.found"));
    row->addWidget(found_, 1);
    cancelBisect_ = textButton(tr("Cancel"), QStringLiteral("numerics.cancelBisect"), probeBox_);
    row->addWidget(cancelBisect_);
    column->addLayout(row);
    probes_ = new QListWidget(probeBox_);
    probes_->setObjectName(QStringLiteral("numerics.probes"));
    probes_->setAccessibleName(tr("Probes of the search"));
    probes_->setFont(Metrics::monoFont(1.0));
    probes_->setFixedHeight(Metrics::em(2));
    column->addWidget(probes_);
    probeBox_->hide();
    connect(cancelBisect_, &QPushButton::clicked, this, [this] { session_.jobs().cancel(session_.runningJob()); });
    connect(probes_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) { session_.setStage(item->data(Qt::UserRole).toInt()); });
    return probeBox_;
}

void NumericsPanel::startBisect(bool rewrites) {
    probes_->clear();
    if (session_.bisect(rewrites)) return;
    probeBox_->show();
    cancelBisect_->hide();
    found_->setText(tr("A run is in progress: cancel it first."));
}

void NumericsPanel::showBisecting(bool running) {
    probeBox_->show();
    cancelBisect_->setVisible(running);
    bisectPasses_->setEnabled(!running);
    bisectRewrites_->setEnabled(!running);
    if (running) found_->setText(tr("Searching\u2026"));
}

void NumericsPanel::bisected(const BisectReport& report) {
    showBisecting(false);
    const QString text = report.cancelled ? tr("Cancelled. %1").arg(report.sentence) : report.error ? report.error->what : report.sentence;
    found_->setText(text);
    found_->setAccessibleName(text);
    found_->setToolTip(report.error || report.cancelled ? text : text + QStringLiteral("\n") + report.command);
    if (report.stage == 0) return;
    session_.setStage(report.stage);
    pendingNode_ = report.node;
}

QWidget* NumericsPanel::buildDetail() {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("numerics.detailScroll"));
    scroll->setAccessibleName(tr("The chosen value"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* content = new QWidget(scroll);
    content->setObjectName(QStringLiteral("numerics.detail"));
    content->setProperty("surface", QStringLiteral("panel"));
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    column->setSpacing(Metrics::gap());
    detailHead_ = heading(QString(), content);
    detailHead_->setWordWrap(true);
    column->addWidget(detailHead_);
    facts_ = new FactGrid(content);
    column->addWidget(facts_);
    goToCell_ = textButton(tr("Go to this stage and node"), QStringLiteral("numerics.goToCell"), content);
    column->addWidget(goToCell_, 0, Qt::AlignLeft);
    column->addStretch(1);
    connect(goToCell_, &QPushButton::clicked, this, [this] { jumpTo(proxy_->mapToSource(table_->currentIndex())); });
    connect(facts_, &FactGrid::linkActivated, this, [this](const QString& link) { followLink(session_, link, Origin::Numerics); });
    scroll->setWidget(content);
    scroll->setMinimumWidth(Metrics::em(15));
    return scroll;
}

// --- what is shown ------------------------------------------------------------------------------------------------------------------------

void NumericsPanel::nothing() {
    model_->setContents(nullptr);
    pages_->setCurrentIndex(0);
    empty_->setText(session_.isOpen()
                        ? tr("No two stages were compared yet. Run all stages on equal inputs: which values differ, and where first, stands here.")
                        : tr("Open a graph and run its stages: which values differ, and where first, stands here."));
    empty_->setAccessibleName(empty_->text());
    if (auto* run = findChild<QPushButton*>(QStringLiteral("numerics.emptyRun"))) run->setEnabled(session_.isOpen());
}

void NumericsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (dirty_) refresh();
}

void NumericsPanel::refresh() {
    dirty_ = true;
    if (!session_.isOpen()) return nothing();
    if (!isVisible()) return;
    dirty_ = false;
    session_.ask(
        QStringLiteral("numerics"),
        [lane = session_.data().lane](const Recording& recording, const JobContext&) {
            return std::make_shared<const ValueMatrix>(valueMatrix(recording, lane));
        },
        [this, recording = session_.data().recording](std::shared_ptr<const ValueMatrix> matrix) {
            if (recording == session_.data().recording) adopt(std::move(matrix));
        });
}

void NumericsPanel::adopt(std::shared_ptr<const ValueMatrix> matrix) {
    if (matrix->columns.empty()) return nothing();
    const bool focused = isAncestorOf(QApplication::focusWidget());
    pages_->setCurrentIndex(1);
    if (focused) table_->setFocus(Qt::OtherFocusReason);
    following_ = true;
    model_->setContents(std::move(matrix));
    table_->setColumnWidth(NumericsModel::kValue, Metrics::em(19));
    for (int c = NumericsModel::kReference; c < model_->columnCount(); ++c) {
        const QString title = model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
        const int words = table_->horizontalHeader()->fontMetrics().horizontalAdvance(title) + 2 * Metrics::pad();
        table_->setColumnWidth(c, std::clamp(words, Metrics::em(c == model_->errorColumn() ? 13 : 10), Metrics::em(18)));
    }
    following_ = false;
    const ComparisonRow& first = model_->matrix()->columns.front();
    const QString policy = first.policy == "bitwise" ? tr("bit for bit") : first.policy == "tolerance" ? tr("policy per dtype") : qstr(first.policy);
    reference_->setText(tr("reference: stage %1 %2, eager order   tolerance: %3").arg(first.stageA).arg(qstr(first.stageNameA), policy));
    reference_->setToolTip(reference_->text());
    showStrip();
    showCount();
    if (const QModelIndex begin = proxy_->mapFromSource(model_->firstDivergence()); begin.isValid()) {
        following_ = true;
        table_->setCurrentIndex(begin);
        table_->scrollTo(begin);
        following_ = false;
    } else {
        follow(session_.selection(), Origin::Program);
    }
    showDetail();
}

void NumericsPanel::showStrip() {
    const QModelIndex begin = model_->firstDivergence();
    QString text;
    if (begin.isValid()) {
        const ComparedRow& value = *model_->cell(begin);
        const ComparisonRow& column = model_->matrix()->columns[model_->matrix()->first->first];
        text = tr("First divergence: stage %1 %2, %3").arg(column.stageB).arg(qstr(column.stageNameB), qstr(value.label));
        if (value.maxAbs) text += tr(" (max abs %1 at %2: %3 became %4)").arg(errorText(*value.maxAbs), qstr(value.at), qstr(value.a), qstr(value.b));
        text = QStringLiteral("X  ") + text;
    } else {
        text = tr("Every compared stage gives what the first gives.");
    }
    verdict_->setText(text);
    verdict_->setAccessibleName(text);
    verdict_->setToolTip(text);
    QFont font = Metrics::uiFont(1.0, true);
    verdict_->setFont(font);
    goToFirst_->setVisible(begin.isValid());
}

void NumericsPanel::showCount() {
    const int shown = proxy_->rowCount(), all = model_->rowCount();
    count_->setText(shown == all ? tr("%1 values").arg(grouped(all)) : tr("%1 of %2 values").arg(grouped(shown), grouped(all)));
}

void NumericsPanel::showDetail() {
    if (auto* scroll = findChild<QScrollArea*>(QStringLiteral("numerics.detailScroll"))) scroll->verticalScrollBar()->setValue(0);
    const QModelIndex at = proxy_->mapToSource(table_->currentIndex());
    facts_->clear();
    goToCell_->setVisible(at.isValid() && at.column() > NumericsModel::kValue);
    if (!at.isValid()) {
        detailHead_->setText(tr("Choose a cell: what is known of the value stands here."));
        return;
    }
    detailHead_->setText(model_->index(at.row(), NumericsModel::kValue).data().toString());
    const ComparedRow* value = model_->cell(at);
    if (!value) {
        facts_->add(at.column() == model_->errorColumn() ? tr("errors") : tr("verdict"),
                    at.data(Qt::AccessibleTextRole).toString().toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
        return;
    }
    const ComparisonRow& column = model_->matrix()->columns[std::size_t(at.column() - NumericsModel::kFirstCell)];
    facts_->add(tr("verdict"), comparedWords(*value).toHtmlEscaped());
    facts_->add(tr("stage"), stageLink(column.stageB, QStringLiteral("%1 %2").arg(column.stageB).arg(qstr(column.stageNameB))));
    if (value->uidB) facts_->add(tr("node"), nodeLink(*value->uidB, value->nodeB), true);
    if (value->uidA) facts_->add(tr("in stage %1").arg(column.stageA), nodeLink(*value->uidA, value->nodeA), true);
    if (value->maxAbs) {
        facts_->add(tr("max abs"), number(value->maxAbs), true);
        facts_->add(tr("max rel"), number(value->maxRel), true);
        facts_->add(tr("ULP"), number(value->ulp), true);
        facts_->add(tr("at"), qstr(value->at).toHtmlEscaped(), true);
        facts_->add(tr("was"), qstr(value->a).toHtmlEscaped(), true);
        facts_->add(tr("became"), qstr(value->b).toHtmlEscaped(), true);
    }
    if (value->errorA) facts_->add(tr("error, stage %1").arg(column.stageA), number(value->errorA), true);
    if (value->errorB) facts_->add(tr("error, stage %1").arg(column.stageB), number(value->errorB), true);
    facts_->add(tr("tolerance"), qstr(column.policy).toHtmlEscaped());
    askDigests(column, *value);
}

/// Type, range and what is not finite, of both runs: what a recorded run keeps of every value.
void NumericsPanel::askDigests(const ComparisonRow& column, const ComparedRow& value) {
    using Pair = std::pair<std::optional<DigestRow>, std::optional<DigestRow>>;
    session_.ask(
        QStringLiteral("numerics.digests"),
        [column, value](const Recording& recording, const JobContext&) -> Pair {
            return {digestOf(recording, column.runA, value.uidA, value), digestOf(recording, column.runB, value.uidB, value)};
        },
        [this, shown = QPersistentModelIndex(table_->currentIndex())](const Pair& digests) {
            if (!shown.isValid() || shown != table_->currentIndex()) return;
            const auto add = [&](const QString& key, auto&& text) {
                const QString before = digests.first ? text(*digests.first) : QString(), after = digests.second ? text(*digests.second) : QString();
                if (before.isEmpty() && after.isEmpty()) return;
                const bool one = before == after || before.isEmpty() || after.isEmpty();
                facts_->add(key, (one ? (after.isEmpty() ? before : after) : before + QStringLiteral(" \u2192 ") + after).toHtmlEscaped(), true);
            };
            const auto nothingFinite = [](const exec::Digest& d) { return d.numel == 0 || d.nan == d.numel; };
            add(tr("type"), [](const DigestRow& row) { return qstr(row.type); });
            add(tr("range"), [&](const DigestRow& row) {
                const exec::Digest& d = row.digest;
                return nothingFinite(d) ? QString() : QStringLiteral("%1 \u2026 %2").arg(errorText(d.min), errorText(d.max));
            });
            add(tr("mean"), [&](const DigestRow& row) { return nothingFinite(row.digest) ? QString() : errorText(row.digest.mean); });
            add(tr("NaN"), [](const DigestRow& row) { return grouped(row.digest.nan); });
            add(tr("infinite"), [](const DigestRow& row) { return grouped(row.digest.posInf + row.digest.negInf); });
        });
}

// --- selection ----------------------------------------------------------------------------------------------------------------------------

void NumericsPanel::follow(const Selection& selection, Origin origin) {
    if (origin == Origin::Numerics || pages_->currentIndex() == 0) return;
    const int row = model_->rowOf(selection.node);
    if (row < 0) return;
    following_ = true;
    const QModelIndex now = table_->currentIndex();
    const QModelIndex at = proxy_->mapFromSource(model_->index(row, now.isValid() ? now.column() : NumericsModel::kFirstCell));
    if (at.isValid()) {
        table_->setCurrentIndex(at);
        table_->scrollTo(at);
    }
    following_ = false;
}

void NumericsPanel::jumpTo(const QModelIndex& cell) {
    if (!cell.isValid()) return;
    const QModelIndex at = cell.siblingAtColumn(std::max(NumericsModel::kReference, cell.column()));
    const int stage = at.data(NumericsModel::StageRole).toInt();
    const Uid uid = at.data(NumericsModel::UidRole).toULongLong();
    if (stage == session_.stage() && session_.view()) {
        session_.selectNode(uid, Origin::Numerics);
        return;
    }
    pendingNode_ = uid;
    session_.setStage(stage);
}

bool NumericsPanel::goToFirstDivergence() {
    const QModelIndex begin = model_->firstDivergence();
    if (!begin.isValid()) return false;
    following_ = true;
    if (const QModelIndex shown = proxy_->mapFromSource(begin); shown.isValid()) {
        table_->setCurrentIndex(shown);
        table_->scrollTo(shown);
    }
    following_ = false;
    jumpTo(begin);
    return true;
}

void NumericsPanel::focusFirst() {
    QWidget* empty = findChild<QPushButton*>(QStringLiteral("numerics.emptyRun"));
    (pages_->currentIndex() == 0 ? empty : table_)->setFocus(Qt::ShortcutFocusReason);
}

QString NumericsPanel::command() const {
    QStringList options;
    const QModelIndex now = proxy_->mapToSource(table_->currentIndex());
    if (const ComparedRow* value = now.isValid() && pages_->currentIndex() == 1 && table_->hasFocus() ? model_->cell(now) : nullptr)
        options << QStringLiteral("--node") << qstr(value->nodeB.empty() ? value->nodeA : value->nodeB);
    return commandLine(session_, QStringLiteral("numerics"), options);
}

}  // namespace aliascope
