#include "views/panels/alias_panel.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/canvas/byte_map_canvas.h"
#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

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
    tree_->setColumnWidth(AliasTreeModel::Bytes, Metrics::em(5.5));
    tree_->setColumnWidth(AliasTreeModel::Place, Metrics::em(11.5));
    tree_->setColumnHidden(AliasTreeModel::Operator, true);  // in the tooltip; the place says more about memory
    splitter->addWidget(tree_);

    mapBox_ = new QWidget(splitter);
    mapBox_->setProperty("surface", QStringLiteral("panel"));
    auto* mapColumn = new QVBoxLayout(mapBox_);
    mapColumn->setContentsMargins(0, Metrics::gap(), 0, Metrics::gap());
    mapColumn->setSpacing(Metrics::tight());
    mapHead_ = heading(QString(), mapBox_);
    mapHead_->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), 0);
    mapColumn->addWidget(mapHead_);
    overlap_ = quietLabel(QString(), mapBox_);
    overlap_->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), 0);
    mapColumn->addWidget(overlap_);
    mapScroll_ = new QScrollArea(mapBox_);
    mapScroll_->setObjectName(QStringLiteral("aliases.mapScroll"));
    mapScroll_->setAccessibleName(tr("Byte map"));
    mapScroll_->setFrameShape(QFrame::NoFrame);
    mapScroll_->setWidgetResizable(true);
    mapScroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    map_ = new ByteMapCanvas(mapScroll_);
    map_->setObjectName(QStringLiteral("aliases.map"));
    map_->setAccessibleName(tr("Byte map"));
    mapScroll_->setWidget(map_);
    mapColumn->addWidget(mapScroll_, 1);
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
    });
    connect(map_, &ByteMapCanvas::selected, this, [this](Uid uid) {
        Selection next = session_.selection();
        next.node = uid;
        next.decision.reset();
        session_.select(next, Origin::Aliases);
    });
}

void AliasPanel::showStage() {
    following_ = true;
    model_->setData(session_.view());
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
    if (unknown > 0) text += tr("; %1 with symbolic or unknown place are not drawn").arg(unknown);
    if (rows->opaque) text += tr("; unknown storage: treated as overlapping");
    overlap_->setText(text);
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
