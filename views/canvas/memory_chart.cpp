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
constexpr int kBigShare = 20;  // a big change is a twentieth of the peak

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
    // The words of the peak stand above every curve, where the plot is high enough to spare the room.
    const int words = Metrics::em(2), height = plot_.height();
    top_ = height > 3 * words ? std::int64_t(double(highest_) * height / (height - words)) : highest_ + highest_ / 12;
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
    highest_ = 1;
    for (const MemoryCurve& curve : curves_) highest_ = std::max(highest_, curve.profile->peak(accounting_));
    constexpr std::int64_t kHighest = std::int64_t(1) << 61;  // so that places of lines and sums of two never overflow
    highest_ = std::min(highest_, kHighest);
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
