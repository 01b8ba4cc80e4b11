#include "views/canvas/graph_canvas.h"

#include <QGuiApplication>
#include <QHelpEvent>
#include <QJsonArray>
#include <QPaintEngine>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/canvas/canvas_state.h"
#include "views/canvas/palette.h"

namespace aliascope {
namespace {

double snapped(double zoom) {
    double best = card::zoomLadder.front();
    for (double step : card::zoomLadder)
        if (std::abs(std::log(step / zoom)) < std::abs(std::log(best / zoom))) best = step;
    return best;
}

/// `S4, base %x: %x, %view, and 12 more`.
QString membersText(const StageView& view, int storage) {
    constexpr std::size_t kShown = 6;
    const auto name = [&](std::uint32_t node) { return QLatin1Char('%') + QString::fromStdString(view.snapshot->nodes[node]->name); };
    const std::vector<std::uint32_t>& members = view.members(storage);
    QStringList names;
    for (std::size_t i = 0; i < members.size() && i < kShown; ++i) names << name(members[i]);
    if (members.size() > kShown) names << QObject::tr("and %1 more").arg(members.size() - kShown);
    const StorageRow* row = view.storage(storage);
    const QString base =
        row && !row->baseName.empty() ? QObject::tr(", base %1").arg(QLatin1Char('%') + QString::fromStdString(row->baseName)) : QString();
    return QStringLiteral("S%1%2: %3").arg(storage).arg(base, names.join(QStringLiteral(", ")));
}

}  // namespace

const char* colourModeWord(ColourMode mode) {
    switch (mode) {
        case ColourMode::Diff:
            return "changes";
        case ColourMode::Storage:
            return "storage";
        case ColourMode::Family:
            return "operator family";
        case ColourMode::Bytes:
            return "bytes";
        case ColourMode::LiveAtPeak:
            return "live at peak";
        case ColourMode::None:
            break;
    }
    return "nothing";
}

GraphCanvas::GraphCanvas(QWidget* parent) : QAbstractScrollArea(parent), d_(std::make_unique<Private>(*this)) {
    setObjectName(QStringLiteral("graph.canvas"));
    setAccessibleName(tr("Graph"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
}

GraphCanvas::~GraphCanvas() = default;

// --- geometry ------------------------------------------------------------------------------------------------------------------------------

QPointF GraphCanvas::Private::origin() const {
    const QSize port = canvas.viewport()->size();
    // A drawing narrower than the view stands in its middle.
    const double width = drawing().width * zoom + 2 * kCanvasMargin;
    const double x =
        width < port.width() ? std::round((port.width() - drawing().width * zoom) / 2) : kCanvasMargin - canvas.horizontalScrollBar()->value();
    return {x, kCanvasMargin - canvas.verticalScrollBar()->value()};
}

QRectF GraphCanvas::Private::visibleContent() const {
    const QRect r = canvas.viewport()->rect();
    return QRectF(toContent(r.topLeft()), toContent(r.bottomRight() + QPoint(1, 1)));
}

int GraphCanvas::Private::cardOf(Uid uid) const {
    if (empty()) return -1;
    const auto index = view->indexOf(uid);
    return index ? drawing().cardOfNode[*index] : -1;
}

int GraphCanvas::Private::cardAt(QPointF viewport) const {
    if (empty()) return -1;
    const QPointF at = toContent(viewport);
    int found = -1;
    forVisibleCards(QRectF(at, QSizeF(0.01, 0.01)), [&](std::uint32_t i) { found = int(i); });
    return found;
}

int GraphCanvas::Private::stubTargetAt(QPointF viewport) const {
    if (empty() || !painter || painter->level() != DetailLevel::Near) return -1;
    const double reach = card::stub * zoom + 4;
    int target = -1;
    const QPointF at = toContent(viewport);
    forVisibleCards(QRectF(at.x(), at.y() - reach / zoom, 0.01, 2 * reach / zoom), [&](std::uint32_t i) {
        const QRectF r = rectOf(drawing().cards[i]);
        const bool above = viewport.y() < r.top() && viewport.y() > r.top() - reach && viewport.x() < r.center().x();
        const bool below = viewport.y() > r.bottom() && viewport.y() < r.bottom() + reach && viewport.x() > r.center().x();
        if (above && stubsIn[i] == 1) target = int(drawing().edges[std::size_t(stubInEdge[i])].from);
        if (below && stubsOut[i] == 1) target = int(drawing().edges[std::size_t(stubOutEdge[i])].to);
    });
    return target;
}

int GraphCanvas::Private::openGroupAt(QPointF viewport) const {
    if (empty()) return -1;
    const QPointF at = toContent(viewport);
    const double header = LayoutOptions().groupHeader;
    for (auto it = drawing().groups.rbegin(); it != drawing().groups.rend(); ++it)  // inner ones come last
        if (QRectF(it->x, it->y, it->width, header).contains(at)) return it->group;
    return -1;
}

QRect GraphCanvas::cardRect(Uid uid) const {
    const int card = d_->cardOf(uid);
    return card < 0 ? QRect() : d_->rectOf(d_->drawing().cards[std::size_t(card)]).toRect();
}

Uid GraphCanvas::nodeAt(QPoint position) const {
    const int card = d_->cardAt(position);
    return card < 0 ? kNoUid : d_->uidOf(d_->drawing().cards[std::size_t(card)]);
}

Uid GraphCanvas::nearestNode(QPoint position, const std::function<bool(Uid)>& wanted) const {
    if (d_->empty()) return kNoUid;
    constexpr std::size_t kMostCards = 4096;  // asked at every step of scrolling
    const QPointF at = d_->toContent(position);
    const QRectF whole(0, 0, d_->drawing().width, d_->drawing().height);
    QRectF part = d_->visibleContent();
    for (std::size_t looked = 0; looked < kMostCards;) {
        Uid best = kNoUid;
        double least = 0;
        d_->forVisibleCards(part, [&](std::uint32_t i) {
            const PlacedCard& c = d_->drawing().cards[i];
            const double distance = std::hypot(c.x + c.width / 2 - at.x(), c.y + c.height / 2 - at.y());
            ++looked;
            if ((best != kNoUid && distance >= least) || !wanted(d_->uidOf(c))) return;
            best = d_->uidOf(c);
            least = distance;
        });
        if (best != kNoUid || part.contains(whole)) return best;
        part.adjust(-part.width() / 2, -part.height() / 2, part.width() / 2, part.height() / 2);
    }
    return kNoUid;
}

void GraphCanvas::Private::updateScrollBars() {
    const QSize port = canvas.viewport()->size();
    const double width = empty() ? 0 : drawing().width * zoom + 2 * kCanvasMargin;
    const double height = empty() ? 0 : drawing().height * zoom + 2 * kCanvasMargin;
    canvas.horizontalScrollBar()->setRange(0, std::max(0, int(std::ceil(width)) - port.width()));
    canvas.horizontalScrollBar()->setPageStep(port.width());
    canvas.horizontalScrollBar()->setSingleStep(int(card::width * zoom / 2) + 1);
    canvas.verticalScrollBar()->setRange(0, std::max(0, int(std::ceil(height)) - port.height()));
    canvas.verticalScrollBar()->setPageStep(port.height());
    canvas.verticalScrollBar()->setSingleStep(int(card::height * zoom / 2) + 1);
}

void GraphCanvas::Private::setZoomAt(double wanted, QPointF fixed) {
    const double next = snapped(wanted);
    if (next == zoom) return;
    const QPointF content = empty() ? QPointF() : toContent(fixed);
    zoom = next;
    freshPainter();
    updateScrollBars();
    if (!empty()) {
        const QPointF now = toViewport(content);
        canvas.horizontalScrollBar()->setValue(canvas.horizontalScrollBar()->value() + int(std::round(now.x() - fixed.x())));
        canvas.verticalScrollBar()->setValue(canvas.verticalScrollBar()->value() + int(std::round(now.y() - fixed.y())));
    }
    invalidate();
    Q_EMIT canvas.zoomChanged(zoom);
    Q_EMIT canvas.viewportMoved();
}

// --- what is shown -------------------------------------------------------------------------------------------------------------------------

void GraphCanvas::Private::indexDecisions() {
    decisionOf.clear();
    if (!decisions || !view) return;
    for (const DecisionRow& d : *decisions) {
        if (d.lane.empty() || d.stage > view->stage) continue;
        if (d.uid && (d.verdict == "clone" || d.verdict == "in-place" || d.verdict == "not-attempted")) {
            // Of several arguments the one that is not in place speaks for the card.
            const DecisionRow*& shown = decisionOf[*d.uid];
            if (!shown || shown->verdict == "in-place" || d.stage > shown->stage) shown = &d;
        }
    }
}

void GraphCanvas::Private::indexStubs() {
    const std::size_t cards = empty() ? 0 : drawing().cards.size();
    stubsIn.assign(cards, 0);
    stubsOut.assign(cards, 0);
    stubInEdge.assign(cards, -1);
    stubOutEdge.assign(cards, -1);
    if (!cards) return;
    for (std::size_t i = 0; i < drawing().edges.size(); ++i) {
        const PlacedEdge& e = drawing().edges[i];
        if (!e.stub) continue;
        if (stubsIn[e.to]++ == 0) stubInEdge[e.to] = std::int32_t(i);
        if (stubsOut[e.from]++ == 0) stubOutEdge[e.from] = std::int32_t(i);
    }
}

void GraphCanvas::Private::freshPainter() {
    painter = empty() ? nullptr : std::make_unique<CardPainter>(*view, decisionOf, mode, zoom, heat.get(), storageColours);
}

void GraphCanvas::Private::invalidate() {
    stale = true;
    canvas.viewport()->update();
}

void GraphCanvas::setStage(StageViewPtr view) {
    // The anchor keeps its place on the screen: the selected node, else what is next to the middle of the view and still there.
    Uid anchor = kNoUid;
    QPointF place;
    if (!d_->empty() && view && view->drawing) {
        const QPointF middle = viewport()->rect().center();
        double best = 0;
        d_->forVisibleCards(d_->visibleContent(), [&](std::uint32_t i) {
            const PlacedCard& c = d_->drawing().cards[i];
            const Uid uid = d_->uidOf(c);
            if (!view->indexOf(uid)) return;
            const QRectF r = d_->rectOf(c);
            double distance = std::hypot(r.center().x() - middle.x(), r.center().y() - middle.y());
            if (d_->selection.node != kNoUid && d_->cardOf(d_->selection.node) == int(i) && view->indexOf(d_->selection.node)) distance = -1;
            if (anchor != kNoUid && distance >= best) return;
            anchor = distance < 0 ? d_->selection.node : uid;
            best = distance;
            place = r.topLeft();
        });
    }
    if (!view || !d_->view || view->snapshot != d_->view->snapshot) d_->hits.reset();
    d_->view = std::move(view);
    d_->hoverCard = -1;
    d_->indexDecisions();
    d_->indexStubs();
    d_->freshPainter();
    d_->updateScrollBars();
    if (const int card = anchor == kNoUid ? -1 : d_->cardOf(anchor); card >= 0) {
        const QPointF now = d_->rectOf(d_->drawing().cards[std::size_t(card)]).topLeft();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(std::round(now.x() - place.x())));
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(std::round(now.y() - place.y())));
    } else if (!d_->empty()) {
        // A fresh drawing begins at its first row, which need not stand at the left.
        verticalScrollBar()->setValue(0);
        const QRectF first = d_->rectOf(d_->drawing().cards.front());
        if (first.left() < 0 || first.right() > viewport()->width())
            horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(std::round(first.center().x() - viewport()->width() / 2)));
    }
    d_->invalidate();
    Q_EMIT viewportMoved();
}

const StageViewPtr& GraphCanvas::stage() const { return d_->view; }

void GraphCanvas::setDecisions(std::shared_ptr<const std::vector<DecisionRow>> decisions) {
    d_->decisions = std::move(decisions);
    d_->indexDecisions();
    d_->freshPainter();
    d_->invalidate();
}

void GraphCanvas::setSelection(const Selection& selection) {
    d_->selection = selection;
    if (d_->aliasHighlight) d_->stale = true;
    viewport()->update();
    Q_EMIT viewportMoved();  // the overview marks the storage
    if (selection.node != kNoUid) reveal(selection.node);
}

const Selection& GraphCanvas::selection() const { return d_->selection; }

void GraphCanvas::reveal(Uid uid) {
    const int index = d_->cardOf(uid);
    if (index < 0) return;
    const QRectF r = d_->rectOf(d_->drawing().cards[std::size_t(index)]);
    const QRectF port = viewport()->rect();
    if (r.top() < 0 || r.bottom() > port.height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(std::round(r.center().y() - port.height() / 3)));
    if (r.left() < 0 || r.right() > port.width())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(std::round(r.center().x() - port.width() / 2)));
}

void GraphCanvas::setPreview(Uid uid) {
    if (d_->preview == uid) return;
    d_->preview = uid;
    viewport()->update();
}

void GraphCanvas::setColourMode(ColourMode mode) {
    d_->mode = mode;
    d_->freshPainter();
    d_->invalidate();
}

void GraphCanvas::setHeat(std::shared_ptr<const HeatMap> heat) {
    d_->heat = std::move(heat);
    d_->freshPainter();
    d_->invalidate();
}

void GraphCanvas::setHits(std::shared_ptr<const std::vector<std::uint32_t>> hits) {
    d_->hits = std::move(hits);
    viewport()->update();
    Q_EMIT viewportMoved();
}

const std::vector<std::uint32_t>* GraphCanvas::hits() const { return d_->hits.get(); }

void GraphCanvas::setPins(const std::unordered_set<Uid>& pins) {
    d_->pins = pins;
    viewport()->update();
}

void GraphCanvas::setStorageColours(const StorageColours& colours) {
    if (colours == d_->storageColours) return;
    d_->storageColours = colours;
    d_->freshPainter();
    d_->invalidate();
}

const StorageColours& GraphCanvas::storageColours() const { return d_->storageColours; }

GraphCanvas::Place GraphCanvas::place() const { return {d_->zoom, {horizontalScrollBar()->value(), verticalScrollBar()->value()}}; }

void GraphCanvas::setPlace(const Place& place) {
    setZoom(place.zoom);
    horizontalScrollBar()->setValue(place.scroll.x());
    verticalScrollBar()->setValue(place.scroll.y());
}

ColourMode GraphCanvas::colourMode() const { return d_->mode; }

void GraphCanvas::setAliasHighlight(bool on) {
    d_->aliasHighlight = on;
    d_->invalidate();
}

void GraphCanvas::setMutationEdges(bool on) {
    d_->mutationEdges = on;
    viewport()->update();
}

// --- zoom ----------------------------------------------------------------------------------------------------------------------------------

double GraphCanvas::zoom() const { return d_->zoom; }
void GraphCanvas::setZoom(double zoom) { d_->setZoomAt(zoom, viewport()->rect().center()); }

void GraphCanvas::zoomIn() {
    for (double step : card::zoomLadder)
        if (step > d_->zoom + 1e-6) return setZoom(step);
}

void GraphCanvas::zoomOut() {
    for (auto it = card::zoomLadder.rbegin(); it != card::zoomLadder.rend(); ++it)
        if (*it < d_->zoom - 1e-6) return setZoom(*it);
}

void GraphCanvas::fitWidth() {
    if (d_->empty()) return;
    const double wanted = (viewport()->width() - 2 * kCanvasMargin) / std::max(1.0f, d_->drawing().width);
    double best = card::zoomLadder.front();
    for (double step : card::zoomLadder)
        if (step <= std::min(1.0, wanted)) best = step;
    setZoom(best);
}

void GraphCanvas::fitSelection() {
    setZoom(1.0);
    if (d_->selection.node != kNoUid) reveal(d_->selection.node);
}

// --- events --------------------------------------------------------------------------------------------------------------------------------

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter p(viewport());
    if (p.paintEngine()->paintDevice()->devicePixelRatioF() != devicePixelRatioF()) {
        // A picture for paper: finer than the base image.
        p.fillRect(viewport()->rect(), Palette::active()(Role::Canvas));
        if (!d_->empty() && d_->painter) d_->paintContent(p);
    } else {
        if (d_->stale) d_->paintBase();
        p.drawImage(0, 0, d_->base);
    }
    if (!d_->empty()) d_->paintOverlay(p);
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    d_->updateScrollBars();
    d_->invalidate();
    Q_EMIT viewportMoved();
}

void GraphCanvas::scrollContentsBy(int, int) {
    d_->invalidate();
    Q_EMIT viewportMoved();
}

void GraphCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        d_->freshPainter();
        d_->invalidate();
    }
    QAbstractScrollArea::changeEvent(event);
}

bool GraphCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int card = d_->cardAt(help->pos());
        if (card < 0 || !d_->painter) {
            QToolTip::hideText();
            return true;
        }
        const PlacedCard& c = d_->drawing().cards[std::size_t(card)];
        const NodeRow& row = *d_->view->snapshot->nodes[c.node];
        QString tip = c.group >= 0 ? QString::fromStdString(d_->view->drawingInput->groups[std::size_t(c.group)].title) + QLatin1Char('\n') +
                                         d_->painter->groupSummary(c.group)
                                   : QStringLiteral("%") + QString::fromStdString(row.name) + QLatin1Char('\n') + QString::fromStdString(row.target) +
                                         QLatin1Char('\n') + QString::fromStdString(row.type);
        if (c.group < 0 && !row.code.empty()) tip += QLatin1Char('\n') + QString::fromStdString(row.code);
        if (c.group < 0 && row.storage >= 0) tip += QLatin1Char('\n') + membersText(*d_->view, row.storage);
        QToolTip::showText(help->globalPos(), tip.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QJsonObject GraphCanvas::dump() const {
    QJsonObject out;
    out[QStringLiteral("zoom")] = d_->zoom;
    const DetailLevel level = CardPainter::levelOf(d_->zoom);
    out[QStringLiteral("level")] = level == DetailLevel::Far      ? QStringLiteral("far")
                                   : level == DetailLevel::Middle ? QStringLiteral("middle")
                                                                  : QStringLiteral("near");
    out[QStringLiteral("mode")] = QString::fromLatin1(colourModeWord(d_->mode));
    QJsonArray cards;
    if (!d_->empty()) {
        out[QStringLiteral("cards_total")] = int(d_->drawing().cards.size());
        d_->forVisibleCards(d_->visibleContent(), [&](std::uint32_t i) {
            const PlacedCard& c = d_->drawing().cards[i];
            const CardText t = d_->painter->textOf(c.node);
            const QRect r = d_->rectOf(c).toRect();
            QJsonObject o{{QStringLiteral("uid"), QString::number(d_->uidOf(c))},
                          {QStringLiteral("name"), t.name},
                          {QStringLiteral("op"), t.op},
                          {QStringLiteral("badge"), t.badge},
                          {QStringLiteral("shape"), t.shape},
                          {QStringLiteral("detail"), t.detail},
                          {QStringLiteral("x"), r.x()},
                          {QStringLiteral("y"), r.y()},
                          {QStringLiteral("w"), r.width()},
                          {QStringLiteral("h"), r.height()}};
            const char mark = d_->view->mark[c.node];
            o[QStringLiteral("mark")] = mark ? QString(QLatin1Char(mark)) : QString();
            o[QStringLiteral("slot")] = d_->storageColours.pinned(d_->view->snapshot->nodes[c.node]->storage)
                                            ? d_->storageColours.slotOf(d_->view->snapshot->nodes[c.node]->storage) + 1
                                            : 0;
            o[QStringLiteral("pinned")] = d_->pins.contains(d_->uidOf(c));
            o[QStringLiteral("selected")] = int(i) == d_->cardOf(d_->selection.node);
            if (c.group >= 0) o[QStringLiteral("group")] = QString::fromStdString(d_->view->drawingInput->groups[std::size_t(c.group)].title);
            cards.append(o);
        });
    }
    out[QStringLiteral("cards")] = cards;
    out[QStringLiteral("hits")] = d_->hits ? int(d_->hits->size()) : 0;
    return out;
}

}  // namespace aliascope
