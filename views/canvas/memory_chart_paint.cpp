// How a memory chart is painted: axes, curves by the pixel column, peaks, legend, blocks, cursor.

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/canvas/memory_chart.h"
#include "views/canvas/metrics.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

/// Distance of grid lines: a power of two that gives two to four of them.
std::int64_t gridStep(std::int64_t top) {
    std::int64_t step = 1;
    while (step < top / 4) step *= 2;
    return step;
}

}  // namespace

void MemoryChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Palette::active()(Role::Panel));
    if (!reference() || reference()->events() == 0) return;
    paintAxes(painter);
    paintRange(painter);
    painter.setClipRect(plotRect().adjusted(0, -2, 1, 1));
    paintFill(painter);
    if (curves_.size() == 2) paintDifference(painter);
    for (std::size_t i = curves_.size(); i-- > 0;) paintCurve(painter, curves_[i]);
    painter.setClipping(false);
    for (std::size_t i = curves_.size(); i-- > 0;) paintPeak(painter, curves_[i], i == 0);
    paintLegend(painter);
    paintBlocks(painter);
    paintCursor(painter);
    if (hasFocus()) {
        painter.setPen(QPen(Palette::active()(Role::Selection), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void MemoryChart::paintAxes(QPainter& painter) const {
    const Palette& p = Palette::active();
    const QRect plot = plotRect();
    painter.setFont(Metrics::uiFont(0.85));
    const std::int64_t step = gridStep(top_);
    const int least = painter.fontMetrics().height();
    int above = plot.bottom() + least;
    for (std::int64_t bytes = 0; bytes <= top_; bytes += step) {
        const int y = int(yOf(bytes));
        painter.fillRect(plot.left(), y, plot.width(), 1, p.mix(Role::Panel, Role::Line, bytes == 0 ? 1.0 : 0.55));
        if (above - y < least) continue;
        above = y;
        painter.setPen(p(Role::Secondary));
        painter.drawText(QRect(0, y - least, plot.left() - Metrics::gap(), 2 * least), Qt::AlignRight | Qt::AlignVCenter,
                         bytes == 0 ? QStringLiteral("0") : bytesText(bytes));
    }
}

std::pair<std::int64_t, std::int64_t> MemoryChart::visibleEvents(const MemoryCurve& curve) const {
    const std::int64_t end = curve.profile->events();
    if (!curve.places) return {std::max<std::int64_t>(0, std::int64_t(from_)), std::min<std::int64_t>(end, std::int64_t(std::ceil(to_)))};
    const auto& places = *curve.places;
    const std::int64_t first = std::upper_bound(places.begin(), places.end(), from_) - places.begin() - 1;
    return {std::max<std::int64_t>(0, first), std::min<std::int64_t>(end, std::lower_bound(places.begin(), places.end(), to_) - places.begin())};
}

/// Under the reference, below every line.
void MemoryChart::paintFill(QPainter& painter) const {
    const Palette& p = Palette::active();
    const QRect plot = plotRect();
    const auto [first, last] = visibleEvents(curves_.front());
    if (first >= last) return;
    const QColor tint = p.mix(Role::Panel, curves_.front().role, p.theme() == Theme::Light ? 0.13 : 0.2);
    for (const memory::CurveBucket& bucket : reference()->report().curve(first, last, plot.width(), accounting_)) {
        const int left = int(xOf(double(bucket.seq))), right = std::max(left + 1, int(xOf(double(bucket.seq + bucket.events))));
        const double high = yOf(bucket.maxLive);
        painter.fillRect(QRectF(left, high, right - left, plot.bottom() + 1 - high), tint);
    }
}

std::vector<std::int64_t> MemoryChart::columnsOf(const MemoryCurve& curve) const {
    const QRect plot = plotRect();
    std::vector<std::int64_t> out(std::size_t(plot.width()), -1);
    const auto [first, last] = visibleEvents(curve);
    if (first >= last) return out;
    const MemoryProfile& profile = *curve.profile;
    for (const memory::CurveBucket& bucket : profile.report().curve(first, last, plot.width(), accounting_)) {
        const std::int64_t next = std::min(bucket.seq + bucket.events, profile.events());
        const double from = curve.places ? (*curve.places)[std::size_t(bucket.seq)] : double(bucket.seq);
        const double to = curve.places ? (*curve.places)[std::size_t(next)] : double(next);
        const int left = std::max(0, int(xOf(from)) - plot.left()),
                  right = std::min(plot.width(), std::max(int(xOf(from)) + 1, int(xOf(to))) - plot.left());
        for (int x = left; x < right; ++x) out[std::size_t(x)] = std::max(out[std::size_t(x)], bucket.maxLive);
    }
    return out;
}

/// Between two curves, hatched in the colour of the one that holds more.
void MemoryChart::paintDifference(QPainter& painter) const {
    const Palette& p = Palette::active();
    const int left = plotRect().left();
    const std::vector<std::int64_t> a = columnsOf(curves_[0]), b = columnsOf(curves_[1]);
    for (std::size_t x = 0; x < a.size(); ++x) {
        if (a[x] < 0 || b[x] < 0 || a[x] == b[x]) continue;
        const double high = yOf(std::max(a[x], b[x])), low = yOf(std::min(a[x], b[x]));
        const Role more = a[x] > b[x] ? curves_[0].role : curves_[1].role;
        painter.fillRect(QRectF(left + int(x), high, 1, low - high), QBrush(p.mix(Role::Panel, more, 0.55), Qt::BDiagPattern));
    }
}

void MemoryChart::paintCurve(QPainter& painter, const MemoryCurve& curve) const {
    const MemoryProfile& profile = *curve.profile;
    const auto place = [&](std::int64_t seq) { return curve.places ? (*curve.places)[std::size_t(seq)] : double(seq); };
    const auto [first, last] = visibleEvents(curve);
    if (first >= last) return;
    const QColor line = Palette::active()(curve.role);
    const int thick = std::max(1, Metrics::em(0.14)), dash = Metrics::em(0.45);
    double lastY = -1;
    for (const memory::CurveBucket& bucket : profile.report().curve(first, last, plotRect().width(), accounting_)) {
        const int left = int(xOf(place(bucket.seq)));
        const int right = std::max(left + 1, int(xOf(place(std::min(bucket.seq + bucket.events, profile.events())))));
        double low = yOf(bucket.minLive), high = yOf(bucket.maxLive);
        const double exit = low;
        if (lastY >= 0) {  // the step from the bucket before
            low = std::max(low, lastY);
            high = std::min(high, lastY);
        }
        lastY = exit;
        if (low - high > 0.5) painter.fillRect(QRectF(left, high, thick, low - high + thick), line);
        if (curve.style == Qt::SolidLine) {
            painter.fillRect(QRectF(left, exit, right - left, thick), line);
            continue;
        }
        for (int x = left - left % (2 * dash); x < right; x += 2 * dash) {
            const int a = std::max(left, x), b = std::min(right, x + dash);
            if (b > a) painter.fillRect(QRectF(a, exit, b - a, thick), line);
        }
    }
}

void MemoryChart::paintPeak(QPainter& painter, const MemoryCurve& curve, bool labelled) const {
    const MemoryProfile& profile = *curve.profile;
    const std::int64_t seq = profile.log().peakSeq;
    if (seq < 0) return;
    const Palette& p = Palette::active();
    const QRect plot = plotRect();
    const double x = xOf((curve.places ? (*curve.places)[std::size_t(seq)] : double(seq)) + 0.5), y = yOf(profile.live(seq, accounting_));
    if (x < plot.left() || x > plot.right() + 1) return;
    const double side = Metrics::em(0.4);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(p(curve.role));
    const QPointF marker[3] = {{x - side, y - 2 * side}, {x + side, y - 2 * side}, {x, y - 2}};
    painter.drawPolygon(marker, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (!labelled) return;
    const NodeRow* node = profile.node(profile.uidAt(seq));
    const QString text = tr("peak %1%2").arg(bytesText(profile.live(seq, accounting_)), node ? tr(" at %1").arg(percentName(node->name)) : QString());
    painter.setFont(Metrics::uiFont(0.88, true));
    const int width = painter.fontMetrics().horizontalAdvance(text) + Metrics::tight();
    int left = int(x + side) + Metrics::tight();
    if (left + width > plot.right()) left = std::max(plot.left(), int(x - side) - Metrics::tight() - width);
    const int height = painter.fontMetrics().height();
    const QRect box(left, std::max(plot.top(), int(y - 2 * side) - height + Metrics::tight()), width, height);
    QColor veil = p(Role::Panel);
    veil.setAlphaF(0.75f);
    painter.fillRect(box, veil);
    painter.setPen(p(Role::Ink));
    painter.drawText(box, Qt::AlignCenter, text);
}

QString MemoryChart::legendText(const MemoryCurve& curve) const {
    const MemoryProfile& profile = *curve.profile;
    QString text = QStringLiteral("%1 %2").arg(profile.stage()).arg(qstr(profile.stageName()));
    if (!curve.lane.isEmpty()) text.prepend(curve.lane + QStringLiteral(": "));
    // The first one says which kind it is, others where they differ from it.
    if (&curve == &curves_.front() || profile.measured() != reference()->measured())
        text += profile.measured() ? tr(", measured") : tr(", predicted");
    text += QStringLiteral("  ") + bytesText(profile.peak(accounting_));
    const std::int64_t less = profile.peak(accounting_) - reference()->peak(accounting_);
    if (&curve != &curves_.front() && less != 0)
        text += QStringLiteral(" (%1%2)").arg(less > 0 ? QStringLiteral("+") : QStringLiteral("\u2212"), bytesText(std::abs(less)));
    return text;
}

void MemoryChart::paintLegend(QPainter& painter) const {
    const Palette& p = Palette::active();
    painter.setFont(Metrics::uiFont(0.88));
    const int swatch = Metrics::em(1.3), line = Metrics::em(0.2);
    const std::vector<QRect> boxes = legendBoxes(painter.fontMetrics());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const MemoryCurve& curve = curves_[i];
        const int x = boxes[i].left(), y = boxes[i].center().y() - line / 2;
        if (curve.style == Qt::SolidLine) {
            painter.fillRect(x, y, swatch, line, p(curve.role));
        } else {
            painter.fillRect(x, y, swatch * 2 / 5, line, p(curve.role));
            painter.fillRect(x + swatch * 3 / 5, y, swatch * 2 / 5, line, p(curve.role));
        }
        painter.setPen(p(Role::Ink));
        const QRect words = boxes[i].adjusted(swatch + Metrics::tight(), 0, 0, 0);
        painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(legendText(curve), Qt::ElideRight, words.width()));
    }
}

QString MemoryChart::blockText(std::size_t block) const {
    const memory::Lifetime& life = reference()->report().lifetimes()[block];
    const NodeRow* node = reference()->originOf(life);
    QString text = node ? percentName(node->name) : QString::fromLatin1(memory::toString(life.role).data());
    if (node && node->storage >= 0) text += QStringLiteral("  S%1").arg(node->storage);
    return text + QStringLiteral("  ") + bytesText(bytesOf(life));
}

void MemoryChart::paintBlocks(QPainter& painter) const {
    const QRect area = lanesRect();
    if (area.height() <= 0) return;
    const Palette& p = Palette::active();
    painter.setFont(Metrics::uiFont(0.85));
    for (const Lane& lane : lanes_) paintBlock(painter, lane);
    painter.setPen(p(Role::Secondary));
    const int laneCount = area.height() / laneHeight();
    painter.drawText(QRect(0, area.top(), area.left() - Metrics::gap(), laneHeight()), Qt::AlignRight | Qt::AlignVCenter, tr("blocks"));
    if (restBlocks_ == 0) return;
    const QRect band(area.left(), area.top() + (laneCount - 1) * laneHeight(), area.width(), laneHeight() - Metrics::em(0.2));
    painter.fillRect(band, p.mix(Role::Panel, Role::Line, 0.45));
    painter.drawText(band.adjusted(Metrics::gap(), 0, -Metrics::gap(), 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(
                         tr("%1 of at most %2 in one band, %3 together")
                             .arg(counted(restBlocks_, tr("further block"), tr("further blocks")), bytesText(restLargest_), bytesText(restBytes_)),
                         Qt::ElideRight, band.width() - 2 * Metrics::gap()));
}

void MemoryChart::paintBlock(QPainter& painter, const Lane& lane) const {
    const QRect box = rectOf(lane);
    if (box.isEmpty()) return;
    const Palette& p = Palette::active();
    const memory::Lifetime& life = reference()->report().lifetimes()[lane.block];
    const bool chosen = selected_ != kNoUid && reference()->originUid(life) == selected_;
    const bool copy = isCopy(*reference(), life), hatched = copy || isGhost(*reference(), life);
    const Role role = copy ? Role::FamilyCopy : life.role == memory::Role::Output ? Role::FamilyIo : curves_.front().role;
    painter.fillRect(box, p.mix(Role::Panel, role, p.theme() == Theme::Light ? 0.22 : 0.32));
    if (hatched) {
        painter.setBrushOrigin(box.topLeft());
        painter.fillRect(box, QBrush(p.mix(Role::Panel, role, 0.5), Qt::BDiagPattern));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chosen ? p(Role::Selection) : p.mix(Role::Panel, role, 0.75), chosen ? 2 : 1));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    const int room = box.width() - 2 * Metrics::tight();
    if (room < Metrics::em(2.5)) return;
    painter.setPen(p(Role::Ink));
    painter.drawText(box.adjusted(Metrics::tight(), 0, -Metrics::tight(), 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(blockText(lane.block), Qt::ElideRight, room));
}

void MemoryChart::paintRange(QPainter& painter) const {
    if (!range_) return;
    const QRect plot = plotRect();
    const int left = std::max(plot.left(), int(xOf(double(range_->first)))), right = std::min(plot.right(), int(xOf(double(range_->second))));
    if (right <= left) return;
    const Palette& p = Palette::active();
    painter.fillRect(left, plot.top(), right - left, plot.height(), p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.12 : 0.22));
}

void MemoryChart::paintCursor(QPainter& painter) const {
    if (cursor_ < 0) return;
    const QRect plot = plotRect();
    const int x = int(xOf(double(cursor_) + 0.5));
    if (x < plot.left() || x > plot.right() + 1) return;
    painter.fillRect(x, plot.top(), std::max(1, Metrics::em(0.1)), height() - plot.top(), Palette::active()(Role::Selection));
}

}  // namespace aliascope
