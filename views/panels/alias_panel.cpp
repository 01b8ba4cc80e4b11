#include "views/panels/alias_panel.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/canvas/byte_map_canvas.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

const AliasMember* memberOf(const AliasRowsPtr& rows, Uid uid) {
    if (!rows || uid == kNoUid) return nullptr;
    for (const AliasMember& member : rows->members)
        if (member.uid == uid) return &member;
    return nullptr;
}

QString indexText(const Region& region, std::int64_t byte) {
    const auto index = indexAt(region, byte);
    if (!index) return {};
    QStringList parts;
    for (const std::int64_t i : *index) parts << grouped(i);
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

/// Overlap, gap and containment of two values, in bytes and as indices of both.
QString compared(const AliasMember& a, const AliasMember& b) {
    const QString names = QObject::tr("%1 and %2: ").arg(percentName(a.name), percentName(b.name));
    if (!a.region || !b.region) return names + QObject::tr("a place is symbolic or not known; taken as overlapping");
    const auto overlap = overlapBytes(*a.region, *b.region);
    if (!overlap) return names + QObject::tr("overlap at most %1 B").arg(grouped(commonSpan(*a.region, *b.region)));
    QString text = names + QObject::tr("overlap %1 B, gap %2 B").arg(grouped(*overlap), grouped(gapBytes(*a.region, *b.region)));
    if (*overlap == 0 && commonSpan(*a.region, *b.region) > 0) text += QObject::tr("; their bytes interleave");
    if (*overlap == 0) return text;
    const bool inside = contains(*b.region, *a.region).value_or(false), around = contains(*a.region, *b.region).value_or(false);
    if (inside && around)
        text += QObject::tr("; the same bytes");
    else if (inside || around)
        text += QObject::tr("; %1 lies in %2").arg(percentName(inside ? a.name : b.name), percentName(inside ? b.name : a.name));
    const std::int64_t from = std::max(a.region->begin(), b.region->begin()), to = std::min(a.region->end(), b.region->end());
    const QString inA = indexText(*a.region, from), inB = indexText(*b.region, from);
    text += QObject::tr("; between bytes %1 and %2").arg(grouped(from), grouped(to));
    if (!inA.isEmpty() && !inB.isEmpty()) text += QObject::tr(", from %1%2 = %3%4").arg(percentName(a.name), inA, percentName(b.name), inB);
    return text;
}

}  // namespace

AliasPanel::AliasPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new AliasTreeModel(this)) {
    build();
    connect(&session_, &Session::stageChanged, this, &AliasPanel::showStage);
    connect(&session_, &Session::recordingChanged, this, [this] {
        if (!session_.view()) showStage();
    });
    connect(&session_, &Session::selectionChanged, this, &AliasPanel::follow);
    connect(model_, &AliasTreeModel::membersWanted, this, &AliasPanel::load);
    showStage();
}

void AliasPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    head_ = quietLabel(QString(), this);
    head_->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    column->addWidget(head_);
    column->addWidget(rule(this));
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    tree_ = new QTreeView(splitter);
    tree_->setObjectName(QStringLiteral("aliases.tree"));
    tree_->setAccessibleName(tr("Storages, their values and writes"));
    tree_->setModel(model_);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(Metrics::em(1));
    tree_->setItemDelegate(new MonoDelegate(tree_));
    tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->header()->setObjectName(QStringLiteral("aliases.tree.header"));
    tree_->header()->setFixedHeight(Metrics::row());
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(AliasTreeModel::Name, QHeaderView::Stretch);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setToolTip(tr("Ctrl+click a second row: overlap and gap of the two stand below"));
    tree_->setColumnWidth(AliasTreeModel::Bytes, Metrics::em(5.5));
    tree_->setColumnWidth(AliasTreeModel::Place, Metrics::em(11.5));
    tree_->setColumnHidden(AliasTreeModel::Operator, true);  // in the tooltip; the place says more about memory
    splitter->addWidget(tree_);

    mapBox_ = buildMap(splitter);
    splitter->addWidget(mapBox_);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({Metrics::em(20), Metrics::em(20)});
    column->addWidget(splitter, 1);

    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (following_ || !now.isValid()) return;
        Selection next;
        next.node = now.data(AliasTreeModel::UidRole).toULongLong();
        next.storage = now.data(AliasTreeModel::StorageRole).toInt();
        session_.select(next, Origin::Aliases);
        compareSelectedRows();
    });
    connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!following_) compareSelectedRows();
    });
    connect(map_, &ByteMapCanvas::hovered, cursor_, &QLabel::setText);
    connect(map_, &ByteMapCanvas::selected, this, [this](Uid uid, bool second) {
        if (second) return compareWith(uid);
        Selection next = session_.selection();
        next.node = uid;
        next.decision.reset();
        session_.select(next, Origin::Aliases);
    });
}

QWidget* AliasPanel::buildMap(QWidget* parent) {
    auto* box = new QWidget(parent);
    box->setProperty("surface", QStringLiteral("panel"));
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, Metrics::gap(), 0, Metrics::gap());
    column->setSpacing(Metrics::tight());
    auto* head = new QHBoxLayout;
    head->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), 0);
    head->setSpacing(Metrics::tight());
    mapHead_ = heading(QString(), box);
    head->addWidget(mapHead_);
    head->addStretch(1);
    auto* overlaps = new QCheckBox(tr("only overlaps"), box);
    overlaps->setObjectName(QStringLiteral("aliases.overlaps"));
    overlaps->setAccessibleName(tr("Only rows that overlap the selection"));
    overlaps->setToolTip(overlaps->accessibleName());
    head->addWidget(overlaps);
    auto* smaller = iconButton(QStringLiteral("down"), tr("Show more bytes (-)"), QStringLiteral("aliases.zoomOut"), box);
    auto* larger = iconButton(QStringLiteral("up"), tr("Show fewer bytes (+)"), QStringLiteral("aliases.zoomIn"), box);
    auto* all = iconButton(QStringLiteral("both"), tr("The whole storage"), QStringLiteral("aliases.zoomAll"), box);
    for (QToolButton* button : {smaller, larger, all}) head->addWidget(button);
    column->addLayout(head);
    overlap_ = quietLabel(QString(), box);
    pair_ = new QLabel(box);
    pair_->setObjectName(QStringLiteral("aliases.pair"));
    pair_->setWordWrap(true);
    for (QLabel* label : {overlap_, pair_}) {
        label->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), 0);
        column->addWidget(label);
    }
    mapScroll_ = new QScrollArea(box);
    mapScroll_->setObjectName(QStringLiteral("aliases.mapScroll"));
    mapScroll_->setAccessibleName(tr("Byte map"));
    mapScroll_->setFrameShape(QFrame::NoFrame);
    mapScroll_->setFocusPolicy(Qt::NoFocus);
    mapScroll_->setWidgetResizable(true);
    mapScroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    map_ = new ByteMapCanvas(mapScroll_);
    map_->setObjectName(QStringLiteral("aliases.map"));
    map_->setAccessibleName(tr("Byte map"));
    mapScroll_->setWidget(map_);
    column->addWidget(mapScroll_, 1);
    cursor_ = new ElidedLabel(box);
    cursor_->setObjectName(QStringLiteral("aliases.cursor"));
    cursor_->setProperty("quiet", true);
    cursor_->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), 0);
    column->addWidget(cursor_);
    connect(overlaps, &QCheckBox::toggled, map_, &ByteMapCanvas::setOverlapsOnly);
    connect(smaller, &QToolButton::clicked, map_, &ByteMapCanvas::zoomOut);
    connect(larger, &QToolButton::clicked, map_, &ByteMapCanvas::zoomIn);
    connect(all, &QToolButton::clicked, map_, &ByteMapCanvas::showAll);
    return box;
}

void AliasPanel::showStage() {
    following_ = true;
    model_->setContents(session_.view());
    following_ = false;
    const int count = model_->rowCount();
    head_->setText(count == 0 ? tr("Storages of the stage stand here once a graph is open.")
                              : tr("Stage %1: %2 storages, the largest first.").arg(session_.stage()).arg(count));
    follow(session_.selection(), Origin::Program);
}

void AliasPanel::load(int storage) {
    const StageViewPtr view = session_.view();
    if (!view) return;
    session_.ask(
        QStringLiteral("aliases:%1").arg(storage),
        [view, storage](const Recording& recording, const JobContext&) { return loadAliasRows(recording, *view, storage); },
        [this, view](const AliasRowsPtr& rows) {
            if (view != session_.view() || !rows) return;
            following_ = true;
            model_->setMembers(rows);
            following_ = false;
            if (rows->storage == session_.selection().storage) showRow(rows->storage, session_.selection().node);
            if (pendingWrite_ != 0) {
                const int direction = pendingWrite_;
                pendingWrite_ = 0;
                goToWrite(direction);
            }
        });
}

void AliasPanel::follow(const Selection& selection, Origin origin) {
    map_->setSelection(selection.node);
    if (origin != Origin::Aliases || selection.storage < 0) compared_ = kNoUid;
    if (selection.storage < 0) {
        showMap(nullptr);
        following_ = true;
        tree_->clearSelection();
        following_ = false;
        return;
    }
    if (!model_->rowsOf(selection.storage)) {
        load(selection.storage);
        return;
    }
    showMap(model_->rowsOf(selection.storage));
    if (origin != Origin::Aliases) showRow(selection.storage, selection.node);
}

void AliasPanel::showRow(int storage, Uid uid) {
    following_ = true;
    const QModelIndex parent = model_->indexOfStorage(storage);
    QModelIndex at = model_->indexOfMember(storage, uid);
    if (!at.isValid()) at = parent;
    if (at.isValid()) {
        tree_->expand(parent);
        tree_->setCurrentIndex(at);
        tree_->scrollTo(parent, QAbstractItemView::PositionAtTop);
        tree_->scrollTo(at);
    }
    following_ = false;
    showMap(model_->rowsOf(storage));
}

void AliasPanel::showMap(const AliasRowsPtr& rows) {
    map_->setRows(rows);
    mapBox_->setVisible(rows != nullptr);
    if (!rows) return;
    mapHead_->setText(tr("Byte map of S%1").arg(rows->storage));
    std::size_t writes = 0, unknown = 0;
    for (const AliasMember& member : rows->members) {
        writes += member.kind == AliasMember::Kind::Write ? 1 : 0;
        unknown += member.region ? 0 : 1;
    }
    QString text =
        tr("base %1, %2; %3, %4")
            .arg(percentName(rows->base), bytesText(rows->bytes), counted(std::int64_t(rows->members.size() - writes), tr("value"), tr("values")),
                 counted(std::int64_t(writes), tr("write"), tr("writes")));
    if (unknown > 0) text += tr("; %1 with symbolic or unknown place").arg(unknown);
    if (rows->opaque) text += tr("; unknown storage: treated as overlapping");
    overlap_->setText(text);
    showComparison();
    if (const QRect line = map_->rowRect(session_.selection().node); !line.isEmpty())
        mapScroll_->ensureVisible(0, line.center().y(), 0, 2 * line.height());
}

void AliasPanel::compareSelectedRows() {
    const Uid primary = session_.selection().node;
    compared_ = kNoUid;
    for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) {
        if (index.data(AliasTreeModel::StorageRole).toInt() != session_.selection().storage || !index.parent().isValid()) continue;
        if (const Uid uid = index.data(AliasTreeModel::UidRole).toULongLong(); uid != primary) compared_ = uid;
    }
    showComparison();
}

void AliasPanel::compareWith(Uid uid) {
    compared_ = uid == session_.selection().node ? kNoUid : uid;
    showComparison();
}

void AliasPanel::showComparison() {
    map_->setCompared(compared_);
    pair_->setText(comparison());
    pair_->setVisible(!pair_->text().isEmpty());
}

QString AliasPanel::comparison() const {
    const AliasRowsPtr& rows = model_->rowsOf(session_.selection().storage);
    const AliasMember *a = memberOf(rows, session_.selection().node), *b = memberOf(rows, compared_);
    return a && b ? compared(*a, *b) : QString();
}

QString AliasPanel::command() const {
    QStringList options{QStringLiteral("--stage"), QString::number(std::max(1, session_.stage()))};
    if (session_.selection().storage >= 0) options << QStringLiteral("--storage") << QStringLiteral("S%1").arg(session_.selection().storage);
    return commandLine(session_, QStringLiteral("aliases"), options);
}

bool AliasPanel::goToWrite(int direction) {
    const Selection& selection = session_.selection();
    if (selection.storage < 0 || !session_.view()) return false;
    const AliasRowsPtr& rows = model_->rowsOf(selection.storage);
    if (!rows) {
        pendingWrite_ = direction;
        load(selection.storage);
        return true;
    }
    const auto here = session_.view()->indexOf(selection.node);
    const AliasMember* best = nullptr;
    for (const AliasMember& member : rows->members) {
        if (member.kind != AliasMember::Kind::Write) continue;
        const auto at = session_.view()->indexOf(member.uid);
        if (!at || (here && (direction > 0 ? *at <= *here : *at >= *here))) continue;
        if (!best || direction < 0) best = &member;
        if (direction > 0) break;
    }
    if (!best) return false;
    Selection next;
    next.node = best->uid;
    next.storage = selection.storage;
    session_.select(next, Origin::Command);
    return true;
}

}  // namespace aliascope
