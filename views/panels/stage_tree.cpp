#include "views/panels/stage_tree.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/pass_delegate.h"
#include "views/panels/theme.h"

namespace aliascope {

StageTree::StageTree(QWidget* parent) : QTreeView(parent), delegate_(new PassDelegate(this)) {
    setItemDelegate(delegate_);
    setIndentation(Metrics::em(1.2));
    setExpandsOnDoubleClick(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    setDragDropMode(QAbstractItemView::DragDrop);
    setDefaultDropAction(Qt::MoveAction);
}

void StageTree::setForm(QWidget* form) {
    form_ = form;
    form_->setParent(viewport());
    form_->installEventFilter(this);
}

void StageTree::setFormRow(const QModelIndex& index) {
    const QModelIndex stage = index.parent().isValid() ? index.parent() : index;
    if (formRow_ == stage) return;
    formRow_ = stage;
    makeRoom();
}

int StageTree::roomForForm() const {
    if (!form_ || form_->isHidden() || !formRow_.isValid()) return 0;
    const int width = viewport()->width();
    return std::max(form_->minimumSizeHint().height(), form_->hasHeightForWidth() ? form_->heightForWidth(width) : form_->sizeHint().height());
}

void StageTree::makeRoom() {
    if (delegate_->setRoomBelow(formRow_, roomForForm())) scheduleDelayedItemsLayout();
    placeForm();
}

void StageTree::placeForm() {
    if (!form_ || form_->isHidden()) return;
    const QRect row = formRow_.isValid() ? visualRect(formRow_) : QRect();
    const int height = roomForForm();
    // Out of sight rather than hidden: whether it is shown is up to the panel.
    const int top = row.isValid() ? row.bottom() + 1 - height : -height - 1;
    form_->setGeometry(0, top, viewport()->width(), height);
}

bool StageTree::eventFilter(QObject* watched, QEvent* event) {
    const QEvent::Type type = event->type();
    if (watched == form_ && (type == QEvent::LayoutRequest || type == QEvent::Show || type == QEvent::Hide)) makeRoom();
    return QTreeView::eventFilter(watched, event);
}

void StageTree::updateGeometries() {
    QTreeView::updateGeometries();
    placeForm();
}

void StageTree::scrollContentsBy(int dx, int dy) {
    QTreeView::scrollContentsBy(dx, dy);
    placeForm();
}

void StageTree::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    setColumnWidth(0, viewport()->width());
    makeRoom();
}

void StageTree::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (!model()->hasChildren(index)) return;
    const int side = Metrics::em(0.8);
    const QRect at(rect.right() - side, rect.top() + Metrics::em(0.62), side, side);
    themedIcon(isExpanded(index) ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")).paint(painter, at);
}

}  // namespace aliascope
