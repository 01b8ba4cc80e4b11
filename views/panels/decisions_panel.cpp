#include "views/panels/decisions_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

QIcon verdictIcon(VerdictKind kind) {
    const int side = Metrics::icon();
    const qreal ratio = 2;
    QPixmap pixmap(int(side * ratio), int(side * ratio));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintVerdictGlyph(painter, QRect(0, 0, side, side), kind);
    return QIcon(pixmap);
}

}  // namespace

DecisionsPanel::DecisionsPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(new DecisionModel(this)),
      proxy_(new DecisionFilterProxy(this)),
      groups_(new DecisionGroupModel(*model_, this)) {
    proxy_->setSourceModel(model_);
    build();
    drawChips();
    connect(&session_, &Session::recordingChanged, this, &DecisionsPanel::showDecisions);
    connect(&session_, &Session::selectionChanged, this, &DecisionsPanel::follow);
}

void DecisionsPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    head->setSpacing(Metrics::tight());
    filter_ = filterField(tr("Filter decisions: words, op:cache, code:RI30"), QStringLiteral("decisions.filter"), this);
    filter_->setMaximumWidth(Metrics::em(24));
    head->addWidget(filter_, 2);
    head->addSpacing(Metrics::gap());
    for (int i = 0; i < kVerdictKinds; ++i) {
        auto* chip = new QToolButton(this);
        chip->setObjectName(QStringLiteral("decisions.chip%1").arg(i));
        chip->setCheckable(true);
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setIconSize(QSize(Metrics::icon(), Metrics::icon()));
        chip->setFocusPolicy(Qt::TabFocus);
        chip->hide();
        connect(chip, &QToolButton::toggled, this, &DecisionsPanel::updateFilter);
        chips_[std::size_t(i)] = chip;
        head->addWidget(chip);
    }
    head->addStretch(1);
    by_ = choiceBox(tr("Group the decisions"), QStringLiteral("decisions.by"), this);
    for (int i = 0; i < kDecisionGroupings; ++i) by_->addItem(groupingText(DecisionGrouping(i)));
    head->addWidget(by_);
    head->addSpacing(Metrics::gap());
    footer_ = new QLabel(this);
    footer_->setProperty("quiet", true);
    head->addWidget(footer_);
    column->addLayout(head);
    column->addWidget(rule(this));

    table_ = new QTableView(this);
    table_->setModel(proxy_);
    dressTable(table_, QStringLiteral("decisions.table"), tr("Decisions"));
    table_->sortByColumn(DecisionModel::Verdict, Qt::AscendingOrder);
    table_->setItemDelegateForColumn(DecisionModel::Verdict, new VerdictDelegate(table_));
    for (int mono : {DecisionModel::What, DecisionModel::Argument, DecisionModel::Blocker})
        table_->setItemDelegateForColumn(mono, new MonoDelegate(table_));
    constexpr std::array<qreal, DecisionModel::ColumnCount> widths = {9.5, 17, 11, 17, 15, 7, 7, 14};
    for (int c = 0; c < DecisionModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 1);
    tree_ = new QTreeView(this);
    tree_->setObjectName(QStringLiteral("decisions.groups"));
    tree_->setAccessibleName(tr("Decisions in groups"));
    tree_->setModel(groups_);
    tree_->setUniformRowHeights(true);
    tree_->setItemDelegate(new MonoDelegate(tree_));
    tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->header()->setObjectName(QStringLiteral("decisions.groups.header"));
    tree_->header()->setAccessibleName(tr("Decisions in groups"));
    tree_->header()->setFixedHeight(Metrics::row());
    tree_->setColumnWidth(0, Metrics::em(22));
    for (int c = 1; c < DecisionModel::ColumnCount; ++c) tree_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    tree_->hide();
    column->addWidget(tree_, 1);
    empty_ = quietLabel(QString(), this);
    empty_->setObjectName(QStringLiteral("decisions.empty"));
    empty_->setAlignment(Qt::AlignCenter);
    column->addWidget(empty_, 1);

    connect(filter_, &QLineEdit::textChanged, this, &DecisionsPanel::updateFilter);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (following_) return;
        if (const DecisionRow* d = proxy_->decisionAt(now)) session_.selectDecision(*d, Origin::Decisions);
    });
    connect(by_, &QComboBox::activated, this, &DecisionsPanel::updateGroups);
    connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (following_) return;
        if (const DecisionRow* d = groups_->decisionAt(now)) session_.selectDecision(*d, Origin::Decisions);
    });
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (groups_->decisionAt(index)) emit whyWanted();
    });
    connect(table_, &QTableView::activated, this, &DecisionsPanel::whyWanted);
    connect(table_, &QTableView::doubleClicked, this, &DecisionsPanel::whyWanted);
    showDecisions();
}

void DecisionsPanel::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void DecisionsPanel::setQuery(const QString& query) {
    for (QToolButton* chip : chips_) chip->setChecked(false);
    filter_->setText(query);
}

void DecisionsPanel::showDecisions() {
    following_ = true;
    std::unordered_map<std::int64_t, std::string> passes;
    for (const StageRow& stage : session_.data().stages) passes.emplace(stage.id, stage.pass);
    proxy_->setPasses(std::move(passes));
    model_->setContents(session_.data().decisions);
    std::array<int, kVerdictKinds> counts{};
    for (const DecisionRow& d : *model_->rows()) ++counts[std::size_t(verdictKind(d))];
    for (int i = 0; i < kVerdictKinds; ++i) {
        QToolButton* chip = chips_[std::size_t(i)];
        const QString text = QStringLiteral("%1 %2").arg(counts[std::size_t(i)]).arg(verdictWord(VerdictKind(i)));
        chip->setText(text);
        chip->setAccessibleName(text);
        chip->setToolTip(tr("Show only: %1").arg(verdictWord(VerdictKind(i))));
        chip->setVisible(counts[std::size_t(i)] > 0);
        if (counts[std::size_t(i)] == 0) chip->setChecked(false);
    }
    const bool any = model_->rowCount() > 0;
    empty_->setVisible(!any);
    empty_->setText(
        session_.isOpen()
            ? tr("No pass made a decision about a write in this lane.\nRun another pipeline (F5), or open a graph that writes its inputs.")
            : tr("Open a graph: every copy that a pass keeps, and every write that it puts in place, is listed here."));
    following_ = false;
    updateFooter();
    updateGroups();
}

DecisionGrouping DecisionsPanel::grouping() const { return DecisionGrouping(std::max(0, by_->currentIndex())); }

void DecisionsPanel::setGrouping(DecisionGrouping grouping) {
    by_->setCurrentIndex(int(grouping));
    updateGroups();
}

void DecisionsPanel::updateGroups() {
    std::vector<int> shown;
    for (int row = 0; row < proxy_->rowCount(); ++row) shown.push_back(proxy_->mapToSource(proxy_->index(row, 0)).row());
    following_ = true;
    groups_->setContents(grouping(), shown);
    following_ = false;
    const bool any = model_->rowCount() > 0, grouped = grouping() != DecisionGrouping::None;
    table_->setVisible(any && !grouped);
    tree_->setVisible(any && grouped);
    if (groups_->rowCount() == 1) tree_->expandAll();
}

void DecisionsPanel::updateFilter() {
    std::vector<VerdictKind> kinds;
    for (int i = 0; i < kVerdictKinds; ++i)
        if (chips_[std::size_t(i)]->isChecked()) kinds.push_back(VerdictKind(i));
    following_ = true;
    proxy_->setKinds(std::move(kinds));
    filter_->setToolTip(proxy_->setQuery(filter_->text()));
    following_ = false;
    updateFooter();
    updateGroups();
}

void DecisionsPanel::updateFooter() {
    std::int64_t reported = 0, cloned = 0;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const DecisionRow* d = proxy_->decisionAt(proxy_->index(row, 0));
        if (d->verdict != "clone") continue;  // notes of other passes repeat the bytes of the verdict
        reported += d->reportedBytes.value_or(0);
        cloned += d->clonedBytes.value_or(0);
    }
    const int shown = proxy_->rowCount(), all = model_->rowCount();
    QString text = shown == all ? tr("%1 decisions").arg(all) : tr("%1 of %2 decisions").arg(shown).arg(all);
    if (all > 0) text += tr("   reported %1   cloned %2").arg(bytesText(reported), bytesText(cloned));
    footer_->setText(all > 0 ? text : QString());
    footer_->setToolTip(tr("reported: as PyTorch's log counts; cloned: what the clones copy"));
}

void DecisionsPanel::follow(const Selection& selection, Origin origin) {
    if (origin == Origin::Decisions) return;
    following_ = true;
    std::optional<std::int64_t> wanted = selection.decision;
    if (!wanted) {
        const auto about = decisionsAbout(session_.data(), selection.node);
        if (!about.empty()) wanted = about.front()->id;
    }
    if (grouping() != DecisionGrouping::None) {
        tree_->setCurrentIndex(wanted ? groups_->indexOf(*wanted) : QModelIndex());
        following_ = false;
        return;
    }
    int found = -1;
    for (int row = 0; wanted && row < proxy_->rowCount() && found < 0; ++row)
        if (proxy_->decisionAt(proxy_->index(row, 0))->id == *wanted) found = row;
    if (found >= 0) {
        table_->setCurrentIndex(proxy_->index(found, DecisionModel::What));
    } else {
        table_->clearSelection();
        table_->setCurrentIndex({});
    }
    following_ = false;
}

QString DecisionsPanel::command() const {
    QStringList options{QStringLiteral("--pass"), QStringLiteral("all")};
    QStringList words;
    for (int i = 0; i < kVerdictKinds; ++i)
        if (chips_[std::size_t(i)]->isChecked()) words << verdictWord(VerdictKind(i)).replace(QLatin1Char(' '), QLatin1Char('-'));
    if (words.size() == 1) options << QStringLiteral("--verdict") << words.front();
    QStringList terms;
    if (words.size() > 1) terms << QStringLiteral("verdict:") + words.join(QLatin1Char(','));
    if (const QString text = filter_->text().trimmed(); !text.isEmpty()) terms << (terms.isEmpty() ? text : QStringLiteral("(%1)").arg(text));
    if (!terms.isEmpty()) options << QStringLiteral("--find") << terms.join(QLatin1Char(' '));
    return commandLine(session_, QStringLiteral("decisions"), options);
}

void DecisionsPanel::drawChips() {
    for (int i = 0; i < kVerdictKinds; ++i)
        if (QToolButton* chip = chips_[std::size_t(i)]) chip->setIcon(verdictIcon(VerdictKind(i)));
}

void DecisionsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) drawChips();
}

}  // namespace aliascope
