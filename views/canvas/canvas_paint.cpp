// The two layers of a GraphCanvas: the base (groups, edges, cards) and the overlay (selection, hover, alias and mutation edges).

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/canvas/canvas_state.h"
#include "views/canvas/palette.h"

namespace aliascope {
namespace {

constexpr std::size_t kMostMutationEdges = 50;
constexpr qreal kDimmed = 0.4;

/// An edge as integer rectangles: down, across in the gap above the target, down. Never a path: thousands of them stay cheap.
void drawOrthogonal(QPainter& p, QPointF a, QPointF b, double gap, int width, const QColor& colour) {
    const double turn = std::max(a.y(), b.y() - gap);
    const int x1 = int(std::round(a.x())), x2 = int(std::round(b.x())), y1 = int(std::round(a.y())), yt = int(std::round(turn)),
              y2 = int(std::round(b.y()));
    p.fillRect(QRect(x1, y1, width, yt - y1 + width), colour);
    p.fillRect(QRect(std::min(x1, x2), yt, std::abs(x2 - x1) + width, width), colour);
    p.fillRect(QRect(x2, yt, width, y2 - yt), colour);
}

void drawArrowHead(QPainter& p, QPointF tip, double size, const QColor& colour) {
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    const QPointF points[3] = {tip, tip + QPointF(-size / 2, -size), tip + QPointF(size / 2, -size)};
    p.drawPolygon(points, 3);
}

QRectF crispFrame(const QRectF& r, double width) { return QRectF(r.toRect()).adjusted(-width / 2, -width / 2, width / 2, width / 2); }

}  // namespace

void GraphCanvas::Private::paintBase() {
    const qreal ratio = canvas.devicePixelRatioF();
    const QSize size = canvas.viewport()->size();
    // Fresh memory of a large screen costs more than what is painted into it.
    if (base.size() != size * ratio) base = QImage(size * ratio, QImage::Format_RGB32);
    base.setDevicePixelRatio(ratio);
    stale = false;
    base.fill(Palette::active()(Role::Canvas));
    if (empty() || !painter) return;
    QPainter p(&base);
    paintContent(p);
}

void GraphCanvas::Private::paintContent(QPainter& p) const {
    const QRectF content = visibleContent();
    paintGroups(p, content);
    if (painter->level() != DetailLevel::Far) paintEdges(p, content);
    paintCards(p, content);
}

void GraphCanvas::Private::paintGroups(QPainter& p, const QRectF& content) const {
    const Palette& c = Palette::active();
    p.setFont(painter->level() == DetailLevel::Near ? painter->fonts().title : painter->fonts().band);
    const QFontMetricsF metrics(p.font());
    for (const PlacedGroup& g : drawing().groups) {
        if (!content.intersects(QRectF(g.x, g.y, g.width, g.height))) continue;
        const QRectF r(toViewport({g.x, g.y}), QSizeF(g.width * zoom, g.height * zoom));
        p.fillRect(r, c(Role::Line));
        p.fillRect(r.adjusted(c.line(), c.line(), -c.line(), -c.line()), c.mix(Role::Canvas, Role::Panel, 0.5));
        const double header = LayoutOptions().groupHeader * zoom;
        if (header < metrics.height() * 0.7) continue;
        // The title stays readable while its group's top is scrolled away.
        QRectF head(r.x() + 8, r.y(), r.width() - 16, header);
        if (head.top() < 0 && r.bottom() > 2 * header) head.moveTop(0);
        p.setPen(c(Role::Secondary));
        p.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(QStringLiteral("[\u2212] ") + QString::fromStdString(view->drawingInput->groups[std::size_t(g.group)].title),
                                      Qt::ElideMiddle, head.width()));
    }
}

void GraphCanvas::Private::paintEdges(QPainter& p, const QRectF& content) const {
    const QColor colour = Palette::active()(Role::Edge);
    const int line = Palette::active().line();
    const bool heads = painter->level() == DetailLevel::Near;
    const double gap = LayoutOptions().rowGap * zoom / 2;
    const auto& edges = drawing().edges;
    const auto first =
        std::lower_bound(edges.begin(), edges.end(), content.top() - drawing().longestEdge, [](const PlacedEdge& e, double y) { return e.y1 < y; });
    p.setRenderHint(QPainter::Antialiasing, false);
    for (auto it = first; it != edges.end() && it->y1 <= content.bottom(); ++it) {
        if (it->stub || it->y2 < content.top()) continue;
        if (std::max(it->x1, it->x2) < content.left() || std::min(it->x1, it->x2) > content.right()) continue;
        const QPointF a = toViewport({it->x1, it->y1}), b = toViewport({it->x2, it->y2});
        drawOrthogonal(p, a, b, gap, line, colour);
        if (heads) drawArrowHead(p, b + QPointF(0.5, 0), 6 * zoom, colour);
    }
}

void GraphCanvas::Private::paintCards(QPainter& p, const QRectF& content) const {
    const Palette& palette = Palette::active();
    const bool stubs = painter->level() == DetailLevel::Near;
    const double length = card::stub * zoom;
    const QFontMetricsF small(painter->fonts().small);
    const auto nameOf = [&](std::uint32_t cardIndex) {
        const PlacedCard& card = drawing().cards[cardIndex];
        if (card.group >= 0) return QString::fromStdString(view->drawingInput->groups[std::size_t(card.group)].title);
        return QLatin1Char('%') + QString::fromStdString(view->snapshot->nodes[card.node]->name);
    };
    forVisibleCards(content.adjusted(0, -20, 0, 20), [&](std::uint32_t i) {
        const PlacedCard& c = drawing().cards[i];
        const QRectF r = rectOf(c);
        const bool dim = dimmed(c);
        if (dim) p.setOpacity(kDimmed);
        painter->paint(p, c, painter->level() == DetailLevel::Far ? r : QRectF(r.toRect()));
        if (stubs && (stubsIn[i] || stubsOut[i])) {
            p.setFont(painter->fonts().small);
            const auto say = [&](std::uint32_t count, std::uint32_t other, QChar arrow) {
                QString words = count == 1 ? QString(arrow) + nameOf(other) : QString(arrow) + QString::number(count);
                // What tells groups apart stands at the end of their titles.
                const bool group = count == 1 && drawing().cards[other].group >= 0;
                return small.elidedText(words, group ? Qt::ElideMiddle : Qt::ElideRight, r.width() / 2 - 8);
            };
            if (stubsIn[i]) {
                const PlacedEdge& e = drawing().edges[std::size_t(stubInEdge[i])];
                const double x = std::round(r.left() + 10 * zoom);
                p.fillRect(QRectF(x, r.top() - length, palette.line(), length), palette(Role::Edge));
                p.setPen(palette(Role::Secondary));
                p.drawText(QPointF(x + 4, r.top() - 3 * zoom), say(stubsIn[i], e.from, QChar(0x2191)));
            }
            if (stubsOut[i]) {
                const PlacedEdge& e = drawing().edges[std::size_t(stubOutEdge[i])];
                const double x = std::round(r.right() - 10 * zoom);
                p.fillRect(QRectF(x, r.bottom(), palette.line(), length), palette(Role::Edge));
                p.setPen(palette(Role::Secondary));
                const QString words = say(stubsOut[i], e.to, QChar(0x2193));
                p.drawText(QPointF(x - 4 - small.horizontalAdvance(words), r.bottom() + small.ascent() + 1 * zoom), words);
            }
        }
        if (dim) p.setOpacity(1);
    });
}

bool GraphCanvas::Private::dimmed(const PlacedCard& c) const {
    if (!aliasHighlight || selection.storage < 0) return false;
    const int storage = view->snapshot->nodes[c.node]->storage;
    return c.group >= 0 || (storage != selection.storage && !storageColours.pinned(storage));
}

void GraphCanvas::Private::paintOverlay(QPainter& p) const {
    const Palette& c = Palette::active();
    paintHits(p);
    paintPins(p);
    for (int slot = 0; slot < kStorageSlots; ++slot) paintAliasFrames(p, storageColours.storages[std::size_t(slot)], c.slot(slot));
    if (aliasHighlight && !storageColours.pinned(selection.storage))
        paintAliasFrames(p, selection.storage, c.slot(storageColours.shownSlotOf(selection.storage)));
    if (mutationEdges) paintMutationEdges(p);
    const auto frame = [&](int index, Role role, int width) {
        if (index < 0) return;
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(c(role), width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        const QRectF r = crispFrame(rectOf(drawing().cards[std::size_t(index)]), width);
        if (r.intersects(canvas.viewport()->rect())) p.drawRect(r);
    };
    for (Uid uid : selection.nodes) frame(cardOf(uid), Role::Selection, card::selectionFrame - 1);
    const int selectedCard = cardOf(selection.node);
    const int shownCard = hoverCard >= 0 ? hoverCard : cardOf(preview);
    if (shownCard >= 0 && shownCard != selectedCard) {
        if (hoverCard >= 0) paintEdgesOf(p, hoverCard, c(Role::Hover), card::hoverFrame);
        frame(shownCard, Role::Hover, card::hoverFrame);
    }
    if (selectedCard >= 0) {
        paintEdgesOf(p, selectedCard, c(Role::Selection), card::selectionFrame - 1);
        frame(selectedCard, Role::Selection, card::selectionFrame);
    }
    if (!band.isNull()) {
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(c(Role::Selection), 1, Qt::DashLine));
        p.drawRect(band);
    }
}

/// A bar at the left of what a search found; of a closed group when it holds one of them.
void GraphCanvas::Private::paintHits(QPainter& p) const {
    if (!hits || hits->empty()) return;
    const QColor colour = Palette::active()(Role::Selection);
    std::vector<char> marked(drawing().cards.size(), 0);
    for (std::uint32_t node : *hits)
        if (const std::int32_t card = drawing().cardOfNode[node]; card >= 0) marked[std::size_t(card)] = 1;
    forVisibleCards(visibleContent(), [&](std::uint32_t i) {
        if (!marked[i]) return;
        const QRect r = rectOf(drawing().cards[i]).toRect();
        p.fillRect(QRect(r.left() - 6, r.top(), 4, std::max(2, r.height())), colour);
        p.fillRect(QRect(r.left() - 6, r.top(), 10, 2), colour);
        p.fillRect(QRect(r.left() - 6, r.bottom() - 1, 10, 2), colour);
    });
}

void GraphCanvas::Private::paintPins(QPainter& p) const {
    if (pins.empty()) return;
    const double side = std::max(6.0, std::round(10 * zoom));
    p.setPen(Qt::NoPen);
    p.setBrush(Palette::active()(Role::Pin));
    for (Uid uid : pins) {
        const int index = cardOf(uid);
        if (index < 0) continue;
        const QRectF r = rectOf(drawing().cards[std::size_t(index)]);
        const QPointF corner[3] = {r.topLeft(), r.topLeft() + QPointF(side, 0), r.topLeft() + QPointF(0, side)};
        p.drawPolygon(corner, 3);
    }
}

/// Where no card stands: edges run behind cards, over nobody's words.
QRegion GraphCanvas::Private::betweenCards() const {
    QRegion free(canvas.viewport()->rect());
    if (painter->level() != DetailLevel::Near) return free;  // no words to cover
    forVisibleCards(visibleContent(), [&](std::uint32_t i) { free -= rectOf(drawing().cards[i]).toRect(); });
    return free;
}

void GraphCanvas::Private::paintEdgesOf(QPainter& p, int index, const QColor& colour, int width) const {
    p.save();
    p.setClipRegion(betweenCards());
    paintEdgeLines(p, index, colour, width);
    p.restore();
}

void GraphCanvas::Private::paintEdgeLines(QPainter& p, int index, const QColor& colour, int width) const {
    const double gap = LayoutOptions().rowGap * zoom / 2;
    const QRect port = canvas.viewport()->rect();
    constexpr double kGutter = 6, kLane = 4;
    constexpr int kMostLanes = 4;
    int lanes = 0;
    for (const PlacedEdge& e : drawing().edges) {
        if (int(e.from) != index && int(e.to) != index) continue;
        const QPointF a = toViewport({e.x1, e.y1}), b = toViewport({e.x2, e.y2});
        if (a.y() > port.bottom() || b.y() < port.top()) continue;
        if (e.stub && b.y() > a.y()) {
            // A long edge runs in the gutter left of the drawing, never across cards.
            const double x = std::round(toViewport({0, 0}).x() - kGutter - kLane * std::min(lanes++, kMostLanes));
            const double top = std::max<double>(a.y() + gap / 2, port.top() - 4), bottom = std::min<double>(b.y() - gap / 2, port.bottom() + 4);
            p.fillRect(QRectF(std::round(a.x()), a.y(), width, gap / 2), colour);
            p.fillRect(QRectF(x, std::round(a.y() + gap / 2), a.x() - x + width, width), colour);
            if (bottom > top) p.fillRect(QRectF(x, top, width, bottom - top), colour);
            p.fillRect(QRectF(x, std::round(b.y() - gap / 2), b.x() - x + width, width), colour);
            p.fillRect(QRectF(std::round(b.x()), b.y() - gap / 2, width, gap / 2), colour);
            if (painter->level() == DetailLevel::Near) drawArrowHead(p, b + QPointF(1, 0), 8 * zoom, colour);
            continue;
        }
        if (b.y() >= a.y()) {
            // Clipped to the view: a lane over thousands of rows must not be rasterised whole.
            const QPointF from(a.x(), std::max<double>(a.y(), port.top() - 4)), to(b.x(), std::min<double>(b.y(), port.bottom() + 4 + gap));
            if (b.y() <= port.bottom() + gap)
                drawOrthogonal(p, from, b, gap, width, colour);
            else
                p.fillRect(QRectF(std::round(from.x()), from.y(), width, to.y() - from.y()), colour);
            if (painter->level() == DetailLevel::Near) drawArrowHead(p, b + QPointF(1, 0), 8 * zoom, colour);
        }
    }
}

void GraphCanvas::Private::paintAliasFrames(QPainter& p, int id, const QColor& colour) const {
    if (id < 0) return;
    const StorageRow* storage = view->storage(id);
    const int baseCard = storage ? cardOf(storage->base) : -1;
    const QRegion free = betweenCards();
    p.setBrush(Qt::NoBrush);
    for (std::uint32_t node : view->members(id)) {
        const int index = drawing().cardOfNode[node];
        if (index < 0) continue;
        const QRectF r = rectOf(drawing().cards[std::size_t(index)]);
        const bool isBase = storage && view->snapshot->nodes[node]->uid == storage->base;
        const bool write = view->family[node] == Family::Write;
        p.setPen(QPen(colour, 2, isBase || write ? Qt::SolidLine : Qt::DotLine));
        p.drawRect(crispFrame(r, 2));
        if (write) p.drawRect(crispFrame(r, 2).adjusted(-3, -3, 3, 3));
        if (!isBase && baseCard >= 0 && index != baseCard) {
            p.save();
            p.setClipRegion(free);
            p.setPen(QPen(colour, 2, Qt::DotLine));
            const QRectF b = rectOf(drawing().cards[std::size_t(baseCard)]);
            p.drawLine(QPointF(b.left() - 6, b.center().y()), QPointF(b.left() - 6, r.center().y()));
            p.drawLine(QPointF(b.left() - 6, r.center().y()), QPointF(r.left(), r.center().y()));
            p.restore();
        }
    }
}

void GraphCanvas::Private::paintMutationEdges(QPainter& p) const {
    if (selection.storage < 0) return;
    const QColor colour = Palette::active()(Role::FamilyWrite);
    struct Write {
        Uid writer;
        std::int64_t ord;
    };
    std::vector<Write> writes;
    std::vector<Write> readers;
    for (std::uint32_t member : view->members(selection.storage)) {
        const Uid uid = view->snapshot->nodes[member]->uid;
        for (std::uint32_t e : view->outputs(uid)) {
            const EdgeRow& edge = view->snapshot->edges[e];
            const NodeRow* to = view->node(edge.to);
            if (!to) continue;
            if (edge.mode == EdgeRow::Mode::Write || edge.mode == EdgeRow::Mode::ReadWrite)
                writes.push_back({edge.to, to->ord});
            else if (edge.mode == EdgeRow::Mode::Read)
                readers.push_back({edge.to, to->ord});
        }
    }
    // What stands in the way of a decision about a write is the edge to look at.
    const auto blocks = [&](Uid writer, Uid reader) {
        const auto found = decisionOf.find(writer);
        return found != decisionOf.end() && found->second->blockerUid == reader;
    };
    std::size_t drawn = 0;
    p.setRenderHint(QPainter::Antialiasing, true);
    for (const Write& w : writes)
        for (const Write& r : readers) {
            const int from = cardOf(w.writer), to = cardOf(r.writer);
            if (r.ord <= w.ord || from < 0 || to < 0 || from == to || drawn++ >= kMostMutationEdges) continue;
            const QRectF a = rectOf(drawing().cards[std::size_t(from)]), b = rectOf(drawing().cards[std::size_t(to)]);
            const bool blocker = blocks(w.writer, r.writer);
            const QPointF start(a.right() - 14, a.bottom()), end(b.right() - 14, b.top());
            p.setPen(QPen(colour, blocker ? 3 : 2, Qt::DashLine));
            p.drawLine(start, end);
            drawArrowHead(p, end, blocker ? 11 : 8, colour);
            if (!blocker) continue;
            p.setPen(Palette::active()(Role::Ink));
            p.setFont(painter->fonts().title);
            p.drawText(QRectF(end.x() + 4, end.y() - 26, 16, 16), Qt::AlignCenter, QStringLiteral("!"));
        }
    p.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace aliascope
