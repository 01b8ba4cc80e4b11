#include "views/canvas/memory_chart.h"

#include <QHelpEvent>
#include <QJsonArray>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/canvas/metrics.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

constexpr double kLeastEvents = 8;  // the narrowest part of the axis that zooming shows
constexpr int kMostLanes = 8;
constexpr int kBigShare = 20;       // a big change is a twentieth of the peak

/// Distance of grid lines: a power of two that gives two to four of them.
std::int64_t gridStep(std::int64_t top) {
    std::int64_t step = 1;
    while (step * 4 < top) step *= 2;
    return step;
}

}  // namespace

MemoryChart::MemoryChart(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

QSize MemoryChart::sizeHint() const { return {Metrics::em(50), Metrics::em(18)}; }

QSize MemoryChart::minimumSizeHint() const { return {Metrics::em(18), Metrics::em(7)}; }

void MemoryChart::setCurves(std::vector<MemoryCurve> curves) {
    const bool same = !curves.empty() && !curves_.empty() && curves.front().profile == curves_.front().profile;
    curves_ = std::move(curves);
    if (!same) {
        from_ = 0;
        to_ = std::max<double>(1, reference() ? double(reference()->events()) : 1);
        cursor_ = -1;
        range_.reset();
    }
    arrange();
    update();
}

void MemoryChart::setAccounting(memory::Accounting accounting) {
    accounting_ = accounting;
    arrange();
    update();
}

void MemoryChart::setCursor(std::int64_t seq) {
    cursor_ = reference() ? std::clamp<std::int64_t>(seq, -1, reference()->events() - 1) : -1;
    keepVisible(cursor_);
    update();
}

void MemoryChart::setSelection(Uid uid) {
    selected_ = uid;
    update();
}

void MemoryChart::clearRange() {
    if (!range_) return;
    range_.reset();
    update();
    emit rangeChanged();
}

// --- geometry -----------------------------------------------------------------------------------------------------------------------------

std::vector<QRect> MemoryChart::legendBoxes(const QFontMetrics& metrics) const {
    constexpr int kLines = 2;
    std::vector<QRect> out;
    const int left = Metrics::em(5.2), right = width() - Metrics::em(0.8), height = Metrics::em(1.5), swatch = Metrics::em(1.3) + Metrics::tight();
    int x = left, line = 0;
    for (const MemoryCurve& curve : curves_) {
        const int width = swatch + metrics.boundingRect(legendText(curve)).width() + Metrics::gap();
        if (x > left && x + width > right) {
            x = left;
            if (++line == kLines) break;
        }
        out.emplace_back(x, line * height, std::min(width, right - left), height);
        x += width + Metrics::pad();
    }
    return out;
}

int MemoryChart::legendHeight() const {
    const std::vector<QRect> boxes = legendBoxes(QFontMetrics(Metrics::uiFont(0.88)));
    return (boxes.empty() ? Metrics::em(1.5) : boxes.back().bottom() + 1) + Metrics::tight();
}

/// Rows of blocks for which there is room below the curve.
int MemoryChart::spareRows() const {
    const int spare = height() - legendHeight() - Metrics::em(6);
    return std::clamp(std::min(spare, height() * 45 / 100) / laneHeight(), 0, kMostLanes + 1);
}

/// Measured once per arrangement: places are asked for thousands of times in a repaint.
void MemoryChart::measure() {
    blocks_ = QRect(Metrics::em(5.2), height() - rows_ * laneHeight_, std::max(10, width() - Metrics::em(6)), rows_ * laneHeight_);
    const int bottom = rows_ > 0 ? blocks_.top() - Metrics::em(0.5) : height() - Metrics::em(0.6), top = legendHeight();
    plot_ = QRect(blocks_.left(), top, blocks_.width(), std::max(10, bottom - top));
}

double MemoryChart::xOf(double place) const { return plot_.left() + (place - from_) / (to_ - from_) * plot_.width(); }

double MemoryChart::yOf(std::int64_t bytes) const { return plot_.bottom() + 1 - double(bytes) / double(top_) * plot_.height(); }

std::int64_t MemoryChart::seqAt(double x) const {
    if (!reference() || reference()->events() == 0) return -1;
    const QRect plot = plotRect();
    const double place = from_ + (x - plot.left()) / plot.width() * (to_ - from_);
    return std::clamp<std::int64_t>(std::int64_t(std::floor(place)), 0, reference()->events() - 1);
}

void MemoryChart::arrange() {
    packBlocks();
    measure();
}

/// The largest blocks in rows, each row free of overlaps; what finds no place is counted in the band of the rest.
void MemoryChart::packBlocks() {
    laneHeight_ = Metrics::em(1.35);
    lanes_.clear();
    restBlocks_ = restBytes_ = restLargest_ = 0;
    rows_ = 0;
    top_ = 1;
    for (const MemoryCurve& curve : curves_) top_ = std::max(top_, curve.profile->peak(accounting_));
    top_ += top_ / 12;
    const int rows = spareRows() - 1;  // the last one is for the rest
    const MemoryProfile* profile = reference();
    if (!profile || rows < 0) return;
    const auto& lifetimes = profile->report().lifetimes();
    const auto blockLimit = std::size_t(rows) * 64;
    std::vector<std::size_t> largest;
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
        if (lifetimes[i].counts() && bytesOf(lifetimes[i]) > 0) largest.push_back(i);
    const auto bigger = [&](std::size_t a, std::size_t b) {
        const std::int64_t x = bytesOf(lifetimes[a]), y = bytesOf(lifetimes[b]);
        return x != y ? x > y : a < b;
    };
    const auto cut = largest.begin() + std::ptrdiff_t(std::min(blockLimit, largest.size()));
    std::partial_sort(largest.begin(), cut, largest.end(), bigger);
    std::vector<std::vector<std::size_t>> taken(std::size_t(std::max(0, rows)));
    for (auto it = largest.begin(); it != largest.end(); ++it) {
        const memory::Lifetime& block = lifetimes[*it];
        int row = -1;
        for (int r = 0; it < cut && r < rows && row < 0; ++r) {
            const bool free = std::none_of(taken[std::size_t(r)].begin(), taken[std::size_t(r)].end(), [&](std::size_t other) {
                return lifetimes[other].birth < block.death && block.birth < lifetimes[other].death;
            });
            if (free) row = r;
        }
        if (row < 0) {
            ++restBlocks_;
            restBytes_ += bytesOf(block);
            restLargest_ = std::max(restLargest_, bytesOf(block));
            continue;
        }
        taken[std::size_t(row)].push_back(*it);
        lanes_.push_back({*it, row});
        rows_ = std::max(rows_, row + 1);
    }
    if (restBlocks_ > 0) ++rows_;
}

QRect MemoryChart::rectOf(const Lane& lane) const {
    const QRect area = lanesRect();
    const memory::Lifetime& life = reference()->report().lifetimes()[lane.block];
    const double end = double(std::min(life.death, reference()->events()));
    const int left = std::max(area.left(), int(xOf(double(life.birth)))), right = std::min(area.right(), int(xOf(end)));
    if (right < area.left() || left > area.right()) return {};
    return QRect(left, area.top() + lane.row * laneHeight(), std::max(2, right - left), laneHeight() - Metrics::em(0.2));
}

QRect MemoryChart::blockRect(std::size_t block) const {
    const auto lane = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return l.block == block; });
    return lane == lanes_.end() ? QRect() : rectOf(*lane);
}

std::optional<std::size_t> MemoryChart::blockAt(QPoint at) const {
    for (const Lane& lane : lanes_)
        if (rectOf(lane).contains(at)) return lane.block;
    return std::nullopt;
}

// --- cursor and zoom ----------------------------------------------------------------------------------------------------------------------

void MemoryChart::moveCursor(std::int64_t seq) {
    if (seq == cursor_ || seq < 0) return;
    setCursor(seq);
    emit cursorMoved(cursor_);
}

void MemoryChart::keepVisible(std::int64_t seq) {
    if (seq < 0 || (double(seq) >= from_ && double(seq) + 1 <= to_)) return;
    const double span = to_ - from_, end = double(reference()->events());
    from_ = std::clamp(double(seq) - span / 3, 0.0, std::max(0.0, end - span));
    to_ = from_ + span;
}

bool MemoryChart::step(int direction, bool bigOnly) {
    const MemoryProfile* profile = reference();
    if (!profile) return false;
    const std::int64_t least = bigOnly ? std::max<std::int64_t>(1, profile->peak(accounting_) / kBigShare) : 1;
    for (std::int64_t seq = cursor_ < 0 && direction < 0 ? profile->events() - 1 : cursor_ + direction; seq >= 0 && seq < profile->events();
         seq += direction) {
        if (std::abs(profile->delta(seq, accounting_)) < least) continue;
        moveCursor(seq);
        return true;
    }
    return false;
}

void MemoryChart::goToPeak() {
    const MemoryProfile* profile = reference();
    if (!profile || profile->log().peakSeq < 0) return;
    setCursor(profile->log().peakSeq);
    emit cursorMoved(cursor_);
}

void MemoryChart::chooseBlock() {
    const MemoryProfile* profile = reference();
    if (!profile || cursor_ < 0) return;
    const auto& lifetimes = profile->report().lifetimes();
    std::optional<std::size_t> best;
    bool bornHere = false;
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
        const memory::Lifetime& life = lifetimes[i];
        if (!life.counts() || life.birth > cursor_ || life.death <= cursor_) continue;
        const bool here = life.birth == cursor_;
        if (best && (bornHere && !here)) continue;
        if (!best || (here && !bornHere) || bytesOf(life) > bytesOf(lifetimes[*best])) best = i;
        bornHere = bornHere || here;
    }
    if (best) emit blockChosen(*best);
}

void MemoryChart::zoomBy(double factor, double aroundX) {
    const MemoryProfile* profile = reference();
    if (!profile || profile->events() == 0) return;
    const QRect plot = plotRect();
    const double end = double(profile->events()), share = std::clamp((aroundX - plot.left()) / plot.width(), 0.0, 1.0);
    const double place = from_ + share * (to_ - from_);
    const double span = std::clamp((to_ - from_) / factor, std::min(kLeastEvents, end), end);
    from_ = std::clamp(place - share * span, 0.0, end - span);
    to_ = from_ + span;
    update();
}

void MemoryChart::showAll() {
    from_ = 0;
    to_ = std::max<double>(1, reference() ? double(reference()->events()) : 1);
    update();
}

// --- painting -----------------------------------------------------------------------------------------------------------------------------

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
        const int left = std::max(0, int(xOf(from)) - plot.left()), right = std::min(plot.width(), std::max(int(xOf(from)) + 1, int(xOf(to))) - plot.left());
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
    const QRect box(left, std::max(plot.top(), int(y - 2 * side) - Metrics::tight()), width, painter.fontMetrics().height());
    QColor veil = p(Role::Panel);
    veil.setAlphaF(0.75f);
    painter.fillRect(box, veil);
    painter.setPen(p(Role::Ink));
    painter.drawText(box, Qt::AlignCenter, text);
}

QString MemoryChart::legendText(const MemoryCurve& curve) const {
    const MemoryProfile& profile = *curve.profile;
    QString text = QStringLiteral("%1 %2").arg(profile.stage()).arg(qstr(profile.stageName()));
    // The first one says which kind it is, others where they differ from it.
    if (&curve == &curves_.front() || profile.measured() != reference()->measured()) text += profile.measured() ? tr(", measured") : tr(", predicted");
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
                     painter.fontMetrics().elidedText(tr("%1 of at most %2 in one band, %3 together")
                                                          .arg(counted(restBlocks_, tr("further block"), tr("further blocks")),
                                                               bytesText(restLargest_), bytesText(restBytes_)),
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

// --- events -------------------------------------------------------------------------------------------------------------------------------

void MemoryChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !reference()) return;
    if (const auto block = blockAt(event->pos())) {
        emit blockChosen(*block);
        return;
    }
    if (event->pos().y() > plotRect().bottom() + Metrics::em(0.5)) return;
    pressed_ = event->pos();
    clearRange();
    moveCursor(seqAt(event->position().x()));
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
    if (!pressed_ || std::abs(event->pos().x() - pressed_->x()) < Metrics::em(0.5)) return;
    const std::int64_t a = seqAt(pressed_->x()), b = seqAt(event->position().x());
    range_ = std::pair(std::min(a, b), std::max(a, b) + 1);
    update();
}

void MemoryChart::mouseReleaseEvent(QMouseEvent*) {
    pressed_.reset();
    if (range_) emit rangeChanged();
}

void MemoryChart::wheelEvent(QWheelEvent* event) {
    const double turn = (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(1.25, turn), event->position().x());
    } else if (reference()) {
        const double span = to_ - from_, end = double(reference()->events());
        from_ = std::clamp(from_ - turn * span / 8, 0.0, std::max(0.0, end - span));
        to_ = from_ + span;
        update();
    }
    event->accept();
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers() & Qt::ControlModifier;
    switch (event->key()) {
        case Qt::Key_Left:
            step(-1, control);
            return;
        case Qt::Key_Right:
            step(1, control);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            chooseBlock();
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
            zoomBy(event->key() == Qt::Key_Minus ? 0.5 : 2.0, cursor_ >= 0 ? xOf(double(cursor_)) : plotRect().center().x());
            return;
        case Qt::Key_0:
            showAll();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void MemoryChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
    QWidget::changeEvent(event);
}

void MemoryChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void MemoryChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool MemoryChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto block = blockAt(help->pos());
    if (!block) {
        QToolTip::hideText();
        return true;
    }
    const MemoryProfile& profile = *reference();
    const memory::Lifetime& life = profile.report().lifetimes()[*block];
    const NodeRow* node = profile.originOf(life);
    QString text = QStringLiteral("%1\n%2, %3").arg(blockText(*block), exactBytes(bytesOf(life)), whyAlive(profile, life));
    if (node && !node->module.empty()) text += QLatin1Char('\n') + qstr(node->module);
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

QJsonObject MemoryChart::dump() const {
    QJsonObject out;
    QJsonArray curves, blocks;
    for (const MemoryCurve& curve : curves_) {
        curves.append(QJsonObject{{"legend", legendText(curve)},
                                  {"stage", curve.profile->stage()},
                                  {"source", curve.profile->measured() ? "measured" : "predicted"},
                                  {"colour", Palette::active()(curve.role).name()},
                                  {"peak", qint64(curve.profile->peak(accounting_))}});
    }
    for (const Lane& lane : lanes_) {
        const QRect box = rectOf(lane);
        if (!box.isEmpty()) blocks.append(QJsonObject{{"block", qint64(lane.block)}, {"text", blockText(lane.block)}, {"row", lane.row}});
    }
    out["curves"] = curves;
    out["blocks"] = blocks;
    out["rest"] = qint64(restBlocks_);
    out["cursor"] = qint64(cursor_);
    out["from"] = from_;
    out["to"] = to_;
    return out;
}

}  // namespace aliascope
