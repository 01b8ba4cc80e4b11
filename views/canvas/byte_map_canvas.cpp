#include "views/canvas/byte_map_canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

QString indexText(const std::vector<std::int64_t>& index) {
    QStringList parts;
    for (const std::int64_t i : index) parts << grouped(i);
    return parts.join(QStringLiteral(", "));
}

}  // namespace

ByteMapCanvas::ByteMapCanvas(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void ByteMapCanvas::setRows(AliasRowsPtr rows) {
    if (rows == rows_) return;
    const bool same = rows && rows_ && rows->storage == rows_->storage && rows->bytes == rows_->bytes;
    rows_ = std::move(rows);
    extent_ = rows_ ? std::max<std::int64_t>(0, rows_->bytes.value_or(0)) : 0;
    if (rows_)
        for (const AliasMember& member : rows_->members)
            if (member.region) extent_ = std::max(extent_, member.region->end());
    if (!same || to_ > extent_) {
        from_ = 0;
        to_ = extent_;
    }
    choose();
}

void ByteMapCanvas::choose() {
    shown_.clear();
    const AliasMember* chosen = nullptr;
    for (std::size_t i = 0; rows_ && i < rows_->members.size() && !chosen; ++i)
        if (rows_->members[i].uid == selected_ && rows_->members[i].region) chosen = &rows_->members[i];
    for (std::size_t i = 0; rows_ && i < rows_->members.size(); ++i) {
        const AliasMember& member = rows_->members[i];
        // What has no known place may lie anywhere: it stays.
        if (overlapsOnly_ && chosen && member.region && overlapBytes(*chosen->region, *member.region) == std::optional<std::int64_t>(0)) continue;
        shown_.push_back(&member);
    }
    updateGeometry();
    update();
}

void ByteMapCanvas::setSelection(Uid uid) {
    selected_ = uid;
    overlapsOnly_ ? choose() : update();
}

void ByteMapCanvas::setCompared(Uid uid) {
    compared_ = uid;
    update();
}

void ByteMapCanvas::setOverlapsOnly(bool on) {
    overlapsOnly_ = on;
    choose();
}

void ByteMapCanvas::show(std::int64_t from, std::int64_t to) {
    const std::int64_t width = std::clamp<std::int64_t>(to - from, std::min<std::int64_t>(16, extent_), extent_);
    from_ = std::clamp<std::int64_t>(from, 0, extent_ - width);
    to_ = from_ + width;
    update();
    emit rangeChanged();
}

void ByteMapCanvas::zoomBy(double factor, std::int64_t around) {
    if (extent_ <= 0) return;
    const auto width = std::int64_t(std::clamp(double(to_ - from_) * factor, 16.0, double(extent_)));
    const double share = to_ > from_ ? double(around - from_) / double(to_ - from_) : 0.5;
    const auto from = around - std::int64_t(share * double(width));
    show(from, from + width);
}

void ByteMapCanvas::zoomTo(Uid uid) {
    for (const AliasMember* member : shown_) {
        if (member->uid != uid || !member->region) continue;
        const std::int64_t room = std::max<std::int64_t>(16, (member->region->end() - member->region->begin()) / 4);
        return show(member->region->begin() - room, member->region->end() + room);
    }
}

void ByteMapCanvas::showAll() { show(0, extent_); }

int ByteMapCanvas::rowHeight() const { return Metrics::em(1.5); }

int ByteMapCanvas::labelWidth() const { return std::min(Metrics::em(11), width() / 3); }

QSize ByteMapCanvas::sizeHint() const { return {Metrics::em(24), int(shown_.size() + 1) * rowHeight() + Metrics::gap()}; }

QSize ByteMapCanvas::minimumSizeHint() const { return {Metrics::em(12), sizeHint().height()}; }

QRect ByteMapCanvas::line(std::size_t row) const { return QRect(0, int(row + 1) * rowHeight(), width(), rowHeight()); }

QRect ByteMapCanvas::bar(std::size_t row) const {
    const int inset = Metrics::em(0.3);
    return QRect(labelWidth(), line(row).top() + inset, std::max(10, width() - labelWidth() - Metrics::gap()), rowHeight() - 2 * inset);
}

QRect ByteMapCanvas::rowRect(Uid uid) const {
    for (std::size_t row = 0; row < shown_.size(); ++row)
        if (shown_[row]->uid == uid) return line(row);
    return {};
}

int ByteMapCanvas::rowAt(int y) const {
    const int row = y / rowHeight() - 1;
    return row >= 0 && row < int(shown_.size()) ? row : -1;
}

std::int64_t ByteMapCanvas::byteAt(int x) const {
    const QRect area = bar(0);
    const double share = std::clamp(double(x - area.left()) / double(area.width()), 0.0, 1.0);
    return std::min(to_ - 1, from_ + std::int64_t(share * double(to_ - from_)));
}

void ByteMapCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    if (shown_.empty() || extent_ <= 0) return;
    paintAxis(painter);
    const int first = std::max(0, event->rect().top() / rowHeight() - 1),
              last = std::min(int(shown_.size()) - 1, event->rect().bottom() / rowHeight());
    for (int row = first; row <= last; ++row) paintRow(painter, std::size_t(row));
    if (hasFocus()) {
        painter.setPen(QPen(Palette::active()(Role::Selection), Metrics::focus()));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void ByteMapCanvas::paintAxis(QPainter& painter) const {
    const Palette& p = Palette::active();
    const QRect area = bar(0);
    painter.setFont(Metrics::uiFont(0.85));
    painter.setPen(p(Role::Secondary));
    const QRect labels(area.left(), 0, area.width(), rowHeight());
    // Exact where the part that is shown is small, else in round units.
    auto place = [this](std::int64_t byte) { return to_ - from_ < extent_ ? grouped(byte) : byte == 0 ? QStringLiteral("0") : bytesText(byte); };
    painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, place(from_));
    painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, place(to_));
    if (area.width() > Metrics::em(14)) painter.drawText(labels, Qt::AlignHCenter | Qt::AlignVCenter, place(centre()));
    const int bottom = int(shown_.size() + 1) * rowHeight();
    for (int quarter = 0; quarter <= 4; ++quarter)
        painter.fillRect(area.left() + (area.width() - 1) * quarter / 4, rowHeight(), 1, bottom - rowHeight(), p.mix(Role::Panel, Role::Line, 0.6));
}

void ByteMapCanvas::paintRow(QPainter& painter, std::size_t row) const {
    const Palette& p = Palette::active();
    const AliasMember& member = *shown_[row];
    const QRect area = bar(row);
    const bool chosen = member.uid == selected_, second = member.uid == compared_;
    if (chosen || second)
        painter.fillRect(line(row), p.mix(Role::Panel, Role::Selection, (p.theme() == Theme::Light ? 0.12 : 0.22) * (chosen ? 1.0 : 0.6)));
    painter.setFont(Metrics::monoFont(0.88));
    painter.setPen(p(chosen || second ? Role::Ink : Role::Secondary));
    const QRect label(Metrics::gap(), line(row).top(), labelWidth() - Metrics::pad(), rowHeight());
    painter.drawText(
        label, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText((second ? QStringLiteral("2 ") : QString()) + percentName(member.name), Qt::ElideMiddle, label.width()));
    if (!member.region) {
        painter.setPen(p(Role::Secondary));
        painter.setFont(Metrics::uiFont(0.85));
        painter.fillRect(area, QBrush(p(Role::Line), Qt::Dense6Pattern));
        painter.drawText(area, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(tr("? place not known: taken as overlapping"), Qt::ElideRight, area.width()));
        return;
    }
    paintCoverage(painter, member, area);
}

void ByteMapCanvas::paintCoverage(QPainter& painter, const AliasMember& member, const QRect& area) const {
    const Palette& p = Palette::active();
    const bool write = member.kind == AliasMember::Kind::Write;
    const QColor colour = write ? p(Role::FamilyWrite) : member.kind == AliasMember::Kind::Base ? p(Role::FamilyCompute) : p.slot(0);
    const std::vector<float> shares = coverage(*member.region, from_, to_, area.width());
    const bool twice = overlapsItself(*member.region);
    int drawn = 0;
    for (int x = 0; x < int(shares.size()); ++x) {
        const float share = shares[std::size_t(x)];
        if (share <= 0) continue;
        ++drawn;
        const int height = share > 0.99f ? area.height() : std::max(2, int(double(area.height()) * (0.35 + 0.65 * double(share))));
        painter.fillRect(area.left() + x, area.bottom() - height + 1, 1, height, colour);
    }
    const double scale = double(area.width()) / double(std::max<std::int64_t>(1, to_ - from_));
    const int from = area.left() + int(std::clamp(double(member.region->begin() - from_) * scale, -1.0, double(area.width())));
    const int to = area.left() + int(std::clamp(double(member.region->end() - from_) * scale, 0.0, double(area.width())));
    if (drawn == 0 && member.region->elements() > 0) {  // outside: an arrow says where
        painter.setPen(p(Role::Secondary));
        painter.setFont(Metrics::uiFont(0.85));
        painter.drawText(area, int(member.region->end() <= from_ ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                         member.region->end() <= from_ ? QStringLiteral("\u2190") : QStringLiteral("\u2192"));
    }
    if (write) {  // hatched, so that a write is not told by its colour alone
        painter.setClipRect(area);
        painter.setPen(QPen(p(Role::Panel), 1));
        for (int x = from - area.height(); x < to; x += 5) painter.drawLine(x, area.bottom(), x + area.height(), area.top());
        painter.setClipping(false);
    }
    if (twice) {
        std::int64_t times = 1;
        for (std::size_t i = 0; i < member.region->sizes.size(); ++i)
            if (member.region->strides[i] == 0) times *= member.region->sizes[i];
        painter.setPen(p(Role::Ink));
        painter.setFont(Metrics::uiFont(0.85));
        painter.fillRect(from, area.top() - 2, std::max(2, to - from), 2, p(Role::Ink));
        painter.drawText(QRect(std::min(to + 3, area.right() - Metrics::em(4)), area.top(), Metrics::em(4), area.height()), Qt::AlignVCenter,
                         QStringLiteral("\u00d7 %1").arg(grouped(times)));
    }
}

QString ByteMapCanvas::rowText(const AliasMember& member) const {
    if (!member.region) return tr("%1\nplace not known: taken as overlapping").arg(percentName(member.name));
    const Region& region = *member.region;
    QString text =
        QStringLiteral("%1\n%2 \u2013 %3 B, %4")
            .arg(percentName(member.name), grouped(region.begin()), grouped(region.end()), region.contiguous() ? tr("contiguous") : tr("strided"));
    if (!region.contiguous() && region.end() > region.begin())
        text += tr("\n%1 of the %2 B between them").arg(grouped(region.elements() * region.itemBytes), grouped(region.end() - region.begin()));
    if (member.kind == AliasMember::Kind::Write) text += tr("\nwrites %1").arg(percentName(member.target));
    return text;
}

void ByteMapCanvas::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (const int row = rowAt(event->pos().y()); row >= 0) emit selected(shown_[std::size_t(row)]->uid, event->modifiers() & Qt::ControlModifier);
}

void ByteMapCanvas::mouseMoveEvent(QMouseEvent* event) {
    const int row = rowAt(event->pos().y());
    if (row < 0 || extent_ <= 0 || !bar(std::size_t(row)).contains(event->pos().x(), bar(std::size_t(row)).center().y())) return emit hovered({});
    const std::int64_t byte = byteAt(event->pos().x());
    const AliasMember& member = *shown_[std::size_t(row)];
    QString text = tr("cursor %1").arg(grouped(byte));
    if (member.region) {
        const auto index = indexAt(*member.region, byte);
        text +=
            index ? QStringLiteral(" = %1[%2]").arg(percentName(member.name), indexText(*index)) : tr(": not in %1").arg(percentName(member.name));
    }
    emit hovered(text);
}

void ByteMapCanvas::wheelEvent(QWheelEvent* event) {
    const int turn = event->angleDelta().y();
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(2.0, -double(turn) / 240.0), byteAt(int(event->position().x())));
        return event->accept();
    }
    if (event->modifiers() & Qt::ShiftModifier) {
        const std::int64_t by = (to_ - from_) / 8 * (turn > 0 ? -1 : 1);
        show(from_ + by, to_ + by);
        return event->accept();
    }
    event->ignore();
}

void ByteMapCanvas::keyPressEvent(QKeyEvent* event) {
    const std::int64_t by = std::max<std::int64_t>(1, (to_ - from_) / 8);
    int row = -1;
    for (std::size_t i = 0; i < shown_.size() && row < 0; ++i)
        if (shown_[i]->uid == selected_) row = int(i);
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomIn();
        case Qt::Key_Minus:
            return zoomOut();
        case Qt::Key_Left:
            return show(from_ - by, to_ - by);
        case Qt::Key_Right:
            return show(from_ + by, to_ + by);
        case Qt::Key_Down:
        case Qt::Key_Up:
            row += event->key() == Qt::Key_Down ? 1 : -1;
            if (row >= 0 && row < int(shown_.size())) emit selected(shown_[std::size_t(row)]->uid, event->modifiers() & Qt::ShiftModifier);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return zoomTo(selected_);
        default:
            QWidget::keyPressEvent(event);
    }
}

void ByteMapCanvas::leaveEvent(QEvent*) { emit hovered({}); }

void ByteMapCanvas::focusInEvent(QFocusEvent*) { update(); }

void ByteMapCanvas::focusOutEvent(QFocusEvent*) { update(); }

bool ByteMapCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    if (row < 0) {
        QToolTip::hideText();
        return true;
    }
    QToolTip::showText(help->globalPos(), rowText(*shown_[std::size_t(row)]), this);
    return true;
}

}  // namespace aliascope
