#include "views/panels/import_sheet.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// Rows as high as those of tables; headings bold, with a triangle that says whether they are open.
class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() != UnitModel::Label || !index.model()->hasChildren(index)) return;
        option->font.setBold(true);
        option->text.prepend(option->state & QStyle::State_Open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 "));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width(), Metrics::row()};
    }
};

void dressTree(QTreeView* tree, const QString& objectName, const QString& accessibleName) {
    tree->setObjectName(objectName);
    tree->setAccessibleName(accessibleName);
    tree->setUniformRowHeights(true);
    tree->setItemDelegate(new RowDelegate(tree));
    tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    tree->setSelectionMode(QAbstractItemView::SingleSelection);
    tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree->setAllColumnsShowFocus(true);
    tree->setIndentation(Metrics::em(1.2));
    tree->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree->header()->setFixedHeight(Metrics::row());
    tree->header()->setStretchLastSection(true);
    tree->header()->setObjectName(objectName + QStringLiteral(".header"));
    tree->header()->setAccessibleName(accessibleName);
}

/// `a.bin (binary data), b.txt (no graph)`: the first few of what was not read.
QString skippedText(const Document& document) {
    constexpr std::size_t shown = 3;
    QStringList names;
    for (std::size_t i = 0; i < document.skipped.size() && i < shown; ++i)
        names << QStringLiteral("%1 (%2)").arg(qstr(document.skipped[i].name), qstr(document.skipped[i].why));
    if (document.skipped.size() > shown) names << ImportSheet::tr("and %1 more").arg(document.skipped.size() - shown);
    return names.join(QStringLiteral(", "));
}

}  // namespace

ImportSheet::ImportSheet(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new UnitModel(this)), shown_(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("import.sheet"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Metrics::em(3), Metrics::em(3), Metrics::em(3), Metrics::em(2));
    column->setSpacing(Metrics::gap());
    title_ = heading(QString(), this, 1.5);
    note_ = quietLabel(QString(), this);
    column->addWidget(title_);
    column->addWidget(note_);
    column->addSpacing(Metrics::gap());
    filter_ = filterField(tr("Filter by name, stage or compile id"), QStringLiteral("import.filter"), this);
    filter_->setMaximumWidth(Metrics::em(32));
    column->addWidget(filter_);
    shown_->setSourceModel(model_);
    shown_->setRecursiveFilteringEnabled(true);
    shown_->setAutoAcceptChildRows(true);
    shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    shown_->setFilterKeyColumn(-1);
    tree_ = new QTreeView(this);
    tree_->setModel(shown_);
    dressTree(tree_, QStringLiteral("import.list"), tr("Graphs of the file"));
    constexpr std::array<qreal, UnitModel::ColumnCount> widths = {28, 4, 7, 12, 7, 20};
    for (int c = 0; c < UnitModel::ColumnCount; ++c) tree_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(tree_, 8);
    skipped_ = quietLabel(QString(), this);
    skipped_->setObjectName(QStringLiteral("import.skipped"));
    column->addWidget(skipped_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(Metrics::gap());
    auto* open = textButton(tr("Open this graph"), QStringLiteral("import.open"), this);
    open->setProperty("primary", true);
    auto* cancel = textButton(tr("Back"), QStringLiteral("import.cancel"), this);
    buttons->addWidget(open);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    column->addSpacing(Metrics::gap());
    column->addLayout(buttons);
    filter_->installEventFilter(this);
    connect(filter_, &QLineEdit::textChanged, this, &ImportSheet::filter);
    connect(filter_, &QLineEdit::returnPressed, this, &ImportSheet::accept);
    connect(open, &QPushButton::clicked, this, &ImportSheet::accept);
    connect(tree_, &QTreeView::activated, this, &ImportSheet::accept);
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this, open](const QModelIndex& now) { open->setEnabled(model_->unitAt(shown_->mapToSource(now)).has_value()); });
    connect(cancel, &QPushButton::clicked, this, &ImportSheet::dismissed);
}

void ImportSheet::showChoice() {
    const auto document = session_.pendingDocument();
    if (!document) return;
    filter_->clear();
    model_->setContents(document);
    title_->setText(tr("%1 holds %2 graphs")
                        .arg(document->path.empty() ? tr("The text") : qstr(document->path.substr(document->path.find_last_of('/') + 1)))
                        .arg(model_->graphs()));
    QStringList notes{tr("Choose the one to look at; the largest of the latest compilation is selected.")};
    if (!document->diagnostics.empty())
        notes << tr("%1, the first: %2")
                     .arg(counted(qint64(document->diagnostics.size()), tr("message about the file"), tr("messages about the file")),
                          qstr(document->diagnostics.front().sentence()));
    note_->setText(notes.join(QLatin1Char(' ')));
    skipped_->setVisible(!document->skipped.empty());
    skipped_->setText(tr("Not read: %1").arg(skippedText(*document)));
    choose(model_->largest());
    tree_->setFocus();
}

void ImportSheet::expandTo(const QModelIndex& index) {
    for (QModelIndex at = index.parent(); at.isValid(); at = at.parent()) tree_->expand(at);
}

/// The chosen graph and its neighbours of the same compilation are on screen.
void ImportSheet::choose(const QModelIndex& index) {
    const QModelIndex at = shown_->mapFromSource(index);
    expandTo(at);
    const QModelIndex group = at.parent().parent();
    for (int row = 0; group.isValid() && row < shown_->rowCount(group); ++row)
        if (shown_->index(row, 0, group).data() != tr("kernels") && shown_->index(row, 0, group).data() != tr("earlier attempts"))
            tree_->expand(shown_->index(row, 0, group));
    tree_->setCurrentIndex(at);
    tree_->scrollTo(at, QAbstractItemView::PositionAtCenter);
}

/// What fits is shown open; the first graph that fits is chosen.
void ImportSheet::filter(const QString& text) {
    shown_->setFilterFixedString(text);
    if (text.isEmpty()) {
        tree_->collapseAll();
        choose(model_->largest());
        return;
    }
    constexpr int most = 200;  // more rows than these say nothing when all are open
    if (shown_->rowCount() <= most) tree_->expandAll();
    QModelIndex first = shown_->index(0, 0);
    while (first.isValid() && !model_->unitAt(shown_->mapToSource(first))) first = shown_->index(0, 0, first);
    tree_->setCurrentIndex(first);
}

bool ImportSheet::eventFilter(QObject* watched, QEvent* event) {
    if (watched == filter_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down) {
        tree_->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ImportSheet::accept() {
    const QModelIndex at = tree_->currentIndex();
    if (const auto unit = model_->unitAt(shown_->mapToSource(at)))
        session_.openUnit(*unit);
    else if (at.isValid())
        tree_->setExpanded(at, !tree_->isExpanded(at));
}

void ImportSheet::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), Palette::active()(Role::Panel)); }

}  // namespace aliascope
