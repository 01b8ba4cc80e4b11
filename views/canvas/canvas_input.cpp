// Mouse and keys of a GraphCanvas.

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "views/canvas/canvas_state.h"

namespace aliascope {
namespace {

constexpr int kDragThreshold = 4;

}  // namespace

std::vector<Uid> GraphCanvas::Private::nodesIn(const QRect& viewport) const {
    std::vector<Uid> out;
    if (empty()) return out;
    std::vector<std::uint32_t> nodes;
    const QRectF content(toContent(viewport.topLeft()), toContent(viewport.bottomRight()));
    forVisibleCards(content, [&](std::uint32_t i) {
        if (drawing().cards[i].group < 0) nodes.push_back(drawing().cards[i].node);  // a closed group is not its nodes
    });
    std::sort(nodes.begin(), nodes.end());
    for (std::uint32_t node : nodes) out.push_back(view->snapshot->nodes[node]->uid);
    return out;
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    d_->dragging = true;
    d_->banding = event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier;
    d_->moved = false;
    d_->dragStart = event->pos();
    d_->scrollStart = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (d_->dragging && (event->buttons() & (Qt::LeftButton | Qt::MiddleButton))) {
        const QPoint by = event->pos() - d_->dragStart;
        if (by.manhattanLength() > kDragThreshold) d_->moved = true;
        if (d_->banding) {
            d_->band = d_->moved ? QRect(d_->dragStart, event->pos()).normalized() : QRect();
            viewport()->update();
        } else if (d_->moved) {
            horizontalScrollBar()->setValue(d_->scrollStart.x() - by.x());
            verticalScrollBar()->setValue(d_->scrollStart.y() - by.y());
        }
        return;
    }
    const int card = d_->cardAt(event->position());
    if (card == d_->hoverCard) return;
    d_->hoverCard = card;
    viewport()->update();
    Q_EMIT hovered(card < 0 ? kNoUid : d_->uidOf(d_->drawing().cards[std::size_t(card)]));
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = d_->dragging && !d_->moved && event->button() == Qt::LeftButton;
    d_->dragging = false;
    if (std::exchange(d_->banding, false) && d_->moved) {
        const std::vector<Uid> inside = d_->nodesIn(std::exchange(d_->band, QRect()));
        viewport()->update();
        if (!inside.empty()) Q_EMIT extended(inside);
        return;
    }
    if (!click || d_->empty()) return;
    const int card = d_->cardAt(event->position());
    if (card >= 0) {
        const PlacedCard& c = d_->drawing().cards[std::size_t(card)];
        // The `[+]` of a closed group opens it; elsewhere the card selects.
        const double toggle = card::familyColumn * std::max(d_->zoom, card::nearFrom);
        if (c.group >= 0 && event->position().x() < d_->rectOf(c).left() + toggle) {
            Q_EMIT groupToggled(QString::fromStdString(d_->view->drawingInput->groups[std::size_t(c.group)].title));
            return;
        }
        if (event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier))
            Q_EMIT extended({d_->uidOf(c)});
        else
            Q_EMIT selected(d_->uidOf(c));
        return;
    }
    if (const int other = d_->stubTargetAt(event->position()); other >= 0) {
        Q_EMIT selected(d_->uidOf(d_->drawing().cards[std::size_t(other)]));
        return;
    }
    if (const int group = d_->openGroupAt(event->position()); group >= 0) {
        Q_EMIT groupToggled(QString::fromStdString(d_->view->drawingInput->groups[std::size_t(group)].title));
        return;
    }
    Q_EMIT selected(kNoUid);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const int card = d_->cardAt(event->position());
    if (card < 0) return;
    const PlacedCard& c = d_->drawing().cards[std::size_t(card)];
    if (c.group >= 0) {
        Q_EMIT groupToggled(QString::fromStdString(d_->view->drawingInput->groups[std::size_t(c.group)].title));
    } else {
        Q_EMIT activated(d_->uidOf(c));
    }
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        const int delta = event->angleDelta().y();
        const auto& ladder = card::zoomLadder;
        auto at = std::find_if(ladder.begin(), ladder.end(), [&](double z) { return z >= d_->zoom - 1e-6; }) - ladder.begin();
        if (delta > 0 && at + 1 < std::ptrdiff_t(ladder.size())) ++at;
        if (delta < 0 && at > 0) --at;
        if (delta) d_->setZoomAt(ladder[std::size_t(at)], event->position());
        event->accept();
        return;
    }
    if (event->modifiers() & Qt::ShiftModifier) {
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - event->angleDelta().y() - event->angleDelta().x());
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const auto pan = [&](QScrollBar* bar, int steps) { bar->setValue(bar->value() + steps * bar->singleStep()); };
    const bool control = event->modifiers() & Qt::ControlModifier, alt = event->modifiers() & Qt::AltModifier;
    const Uid from = d_->selection.node;
    const auto go = [&](std::optional<std::uint32_t> index) {
        if (!index) return;
        const Uid uid = d_->view->snapshot->nodes[*index]->uid;
        if (event->modifiers() & Qt::ShiftModifier && from != kNoUid)
            Q_EMIT extended({uid});
        else
            Q_EMIT selected(uid);
    };
    if (d_->empty()) return QAbstractScrollArea::keyPressEvent(event);
    const auto& edges = d_->view->snapshot->edges;
    const auto index = from == kNoUid ? std::nullopt : d_->view->indexOf(from);
    const std::size_t count = d_->view->snapshot->nodes.size();
    switch (event->key()) {
        case Qt::Key_Down:
        case Qt::Key_Up: {
            const bool down = event->key() == Qt::Key_Down;
            if (control) return pan(verticalScrollBar(), down ? 1 : -1);
            if (!index) return go(0u);
            if (alt) {
                const std::uint32_t at = index.value_or(0);
                return go(down ? std::min<std::uint32_t>(at + 1, std::uint32_t(count - 1)) : at - std::min(at, 1u));
            }
            const auto list = down ? d_->view->outputs(from) : d_->view->inputs(from);
            if (!list.empty()) go(d_->view->indexOf(down ? edges[list.front()].to : edges[list.front()].from));
            return;
        }
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const int step = event->key() == Qt::Key_Right ? 1 : -1;
            if (control) return pan(horizontalScrollBar(), step);
            const int card = d_->cardOf(from);
            if (card < 0) return go(0u);
            const auto& cards = d_->drawing().cards;
            const int next = card + step;
            if (next >= 0 && next < int(cards.size()) && cards[std::size_t(next)].row == cards[std::size_t(card)].row)
                go(cards[std::size_t(next)].node);
            return;
        }
        case Qt::Key_Space:
            if (from != kNoUid) Q_EMIT pinToggled(from);
            return;
        case Qt::Key_PageDown:
            return pan(verticalScrollBar(), std::max(1, viewport()->height() / std::max(1, verticalScrollBar()->singleStep()) - 1));
        case Qt::Key_PageUp:
            return pan(verticalScrollBar(), -std::max(1, viewport()->height() / std::max(1, verticalScrollBar()->singleStep()) - 1));
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (const int card = d_->cardOf(from); card >= 0 && d_->drawing().cards[std::size_t(card)].group >= 0) {
                const std::int32_t group = d_->drawing().cards[std::size_t(card)].group;
                Q_EMIT groupToggled(QString::fromStdString(d_->view->drawingInput->groups[std::size_t(group)].title));
            } else if (from != kNoUid) {
                Q_EMIT activated(from);
            }
            return;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void GraphCanvas::leaveEvent(QEvent*) {
    if (d_->hoverCard < 0) return;
    d_->hoverCard = -1;
    viewport()->update();
    Q_EMIT hovered(kNoUid);
}

}  // namespace aliascope
