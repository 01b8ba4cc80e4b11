#include "views/panels/bookmarks_panel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/models/bookmark_model.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {

BookmarksPanel::BookmarksPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new BookmarkModel(session, this)) {
    setObjectName(QStringLiteral("bookmarks"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("bookmarks.table"), tr("Bookmarks"));
    table_->setSortingEnabled(false);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
    table_->setToolTip(tr("Enter goes there, F2 renames, Del forgets"));
    constexpr std::array<qreal, BookmarkModel::ColumnCount> widths = {24, 18, 12, 14};
    for (int c = 0; c < BookmarkModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    table_->installEventFilter(this);
    column->addWidget(table_, 1);
    empty_ =
        quietLabel(tr("Ctrl+B marks the selected node in this stage, or the stage. What is marked stands here and is kept in the session."), this);
    empty_->setObjectName(QStringLiteral("bookmarks.empty"));
    empty_->setAlignment(Qt::AlignCenter);
    column->addWidget(empty_, 1);
    connect(table_, &QTableView::activated, this, &BookmarksPanel::goTo);
    connect(table_, &QTableView::doubleClicked, this, &BookmarksPanel::goTo);
    connect(&session_.bookmarks(), &Bookmarks::changed, this, &BookmarksPanel::refresh);
    connect(&session_, &Session::recordingChanged, this, &BookmarksPanel::refresh);
    refresh();
}

void BookmarksPanel::focusFirst() { table_->setFocus(Qt::ShortcutFocusReason); }

void BookmarksPanel::refresh() {
    const int row = table_->currentIndex().row();
    model_->refresh();
    const bool any = model_->rowCount() > 0;
    table_->setVisible(any);
    empty_->setVisible(!any);
    if (any) table_->setCurrentIndex(model_->index(std::clamp(row, 0, model_->rowCount() - 1), BookmarkModel::Name));
}

void BookmarksPanel::goTo(const QModelIndex& index) {
    if (const NoteRow* row = model_->at(index)) session_.goTo(row->lane, row->stage, row->uid.value_or(kNoUid));
}

bool BookmarksPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Delete)) {
        session_.bookmarks().remove(table_->currentIndex().row());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

QString BookmarksPanel::command() const {
    const NoteRow* row = model_->at(table_->currentIndex());
    if (!row || row->lane != session_.data().lane) return {};
    QStringList options{QStringLiteral("--stage"), QString::number(row->stage)};
    const NodeRow* node = session_.view() && row->uid ? session_.view()->node(*row->uid) : nullptr;
    if (node) options << QStringLiteral("--node") << qstr(node->name);
    return commandLine(session_, QStringLiteral("show"), options);
}

}  // namespace aliascope
