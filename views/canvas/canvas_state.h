#pragma once
// What a GraphCanvas remembers between two events, and the geometry between content (logical pixels at zoom 1) and viewport.

#include <QPointF>
#include <QRegion>
#include <unordered_map>

#include "views/canvas/card_painter.h"
#include "views/canvas/metrics.h"

namespace aliascope {

inline constexpr double kCanvasMargin = 24;  ///< around the drawing, viewport pixels

struct GraphCanvas::Private {
    explicit Private(GraphCanvas& canvas) : canvas(canvas) {}

    GraphCanvas& canvas;
    StageViewPtr view;
    std::shared_ptr<const std::vector<DecisionRow>> decisions;
    std::unordered_map<Uid, const DecisionRow*> decisionOf;
    Selection selection;
    std::shared_ptr<const HeatMap> heat;
    std::shared_ptr<const std::vector<std::uint32_t>> hits;
    std::unordered_set<Uid> pins;
    StorageColours storageColours;
    ColourMode mode = ColourMode::Diff;
    bool aliasHighlight = false, mutationEdges = false;
    double zoom = 1.0;
    int hoverCard = -1;
    Uid preview = kNoUid;
    QImage base;  ///< the base layer as last painted
    bool stale = true;
    std::unique_ptr<CardPainter> painter;
    std::vector<std::uint32_t> stubsIn, stubsOut;       ///< edges that end as stubs, by card: counts
    std::vector<std::int32_t> stubInEdge, stubOutEdge;  ///< the first of them, -1 = none
    bool dragging = false, moved = false, banding = false;
    QRect band;  ///< rectangle that is being drawn to select what is in it
    QPoint dragStart, scrollStart;

    const LayoutResult& drawing() const { return *view->drawing; }
    bool empty() const { return !view || !view->drawing || view->drawing->cards.empty(); }
    QPointF origin() const;  ///< viewport position of content (0, 0)
    QPointF toViewport(QPointF content) const { return origin() + content * zoom; }
    QPointF toContent(QPointF viewport) const { return (viewport - origin()) / zoom; }
    QRectF rectOf(const PlacedCard& c) const { return QRectF(toViewport({c.x, c.y}), QSizeF(c.width * zoom, c.height * zoom)); }
    QRectF visibleContent() const;

    int cardOf(Uid uid) const;  ///< -1 = not drawn
    int cardAt(QPointF viewport) const;
    /// Nodes whose cards meet a rectangle, in program order.
    std::vector<Uid> nodesIn(const QRect& viewport) const;
    /// The card at the other end of the only long edge whose stub lies there, -1 = none.
    int stubTargetAt(QPointF viewport) const;
    /// Group whose header lies there, -1 = none.
    int openGroupAt(QPointF viewport) const;
    /// Calls f(card index) for every card that meets `content`.
    template <class F>
    void forVisibleCards(const QRectF& content, F f) const;
    Uid uidOf(const PlacedCard& c) const { return view->snapshot->nodes[c.node]->uid; }

    void indexDecisions();
    void indexStubs();
    void updateScrollBars();
    void invalidate();
    void freshPainter();
    void setZoomAt(double zoom, QPointF fixed);  ///< the content under `fixed` (viewport) stays there
    bool dimmed(const PlacedCard& c) const;

    void paintBase();
    void paintContent(QPainter& p) const;
    void paintGroups(QPainter& p, const QRectF& content) const;
    void paintEdges(QPainter& p, const QRectF& content) const;
    void paintCards(QPainter& p, const QRectF& content) const;
    void paintOverlay(QPainter& p) const;
    /// The edges of a card, long ones as whole lanes in the gutter.
    void paintEdgesOf(QPainter& p, int card, const QColor& colour, int width) const;
    void paintEdgeLines(QPainter& p, int card, const QColor& colour, int width) const;
    QRegion betweenCards() const;
    void paintMutationEdges(QPainter& p) const;
    void paintAliasFrames(QPainter& p, int id, const QColor& colour) const;
    void paintHits(QPainter& p) const;
    void paintPins(QPainter& p) const;
};

template <class F>
void GraphCanvas::Private::forVisibleCards(const QRectF& content, F f) const {
    const LayoutResult& d = drawing();
    const auto row = std::lower_bound(d.rowY.begin(), d.rowY.end(), float(content.top()) - d.maxCardHeight) - d.rowY.begin();
    for (std::uint32_t i = d.rowStart[std::size_t(row)]; i < d.cards.size(); ++i) {
        const PlacedCard& c = d.cards[i];
        if (c.y > content.bottom()) break;
        if (c.y + c.height < content.top() || c.x > content.right() || c.x + c.width < content.left()) continue;
        f(i);
    }
}

}  // namespace aliascope
