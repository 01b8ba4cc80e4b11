#include "views/canvas/byte_map_canvas.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"
#include "views/models/format.h"

namespace aliascope {
namespace {

constexpr std::size_t kShown = 64;

}  // namespace

ByteMapCanvas::ByteMapCanvas(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred); }

void ByteMapCanvas::setRows(AliasRowsPtr rows) {
    rows_ = std::move(rows);
    shown_.clear();
    extent_ = rows_ ? rows_->bytes.value_or(0) : 0;
    if (rows_) {
        for (const AliasMember& member : rows_->members) {
            if (!member.region || shown_.size() >= kShown) continue;
            extent_ = std::max(extent_, member.region->end());
            shown_.push_back(&member);
        }
    }
    updateGeometry();
    update();
}

void ByteMapCanvas::setSelection(Uid uid) {
    selected_ = uid;
    update();
}

int ByteMapCanvas::rowHeight() const { return Metrics::em(1.5); }

int ByteMapCanvas::labelWidth() const { return std::min(Metrics::em(11), width() / 3); }

QSize ByteMapCanvas::sizeHint() const { return {Metrics::em(24), int(shown_.size() + 1) * rowHeight() + Metrics::gap()}; }

QSize ByteMapCanvas::minimumSizeHint() const { return {Metrics::em(12), sizeHint().height()}; }

QRect ByteMapCanvas::bar(std::size_t row) const {
    const int inset = Metrics::em(0.3);
    return QRect(labelWidth(), int(row + 1) * rowHeight() + inset, std::max(10, width() - labelWidth() - Metrics::gap()), rowHeight() - 2 * inset);
}

int ByteMapCanvas::rowAt(int y) const {
    const int row = y / rowHeight() - 1;
    return row >= 0 && row < int(shown_.size()) ? row : -1;
}

void ByteMapCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (shown_.empty() || extent_ <= 0) return;
    paintAxis(painter);
    for (std::size_t row = 0; row < shown_.size(); ++row) paintRow(painter, row);
}

void ByteMapCanvas::paintAxis(QPainter& painter) const {
    const Palette& p = Palette::active();
    const QRect area = bar(0);
    painter.setFont(Metrics::uiFont(0.85));
    painter.setPen(p(Role::Secondary));
    const QRect labels(area.left(), 0, area.width(), rowHeight());
    painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, bytesText(extent_));
    if (area.width() > Metrics::em(12)) painter.drawText(labels, Qt::AlignHCenter | Qt::AlignVCenter, bytesText(extent_ / 2));
    const int bottom = int(shown_.size() + 1) * rowHeight();
    for (int quarter = 0; quarter <= 4; ++quarter)
        painter.fillRect(area.left() + (area.width() - 1) * quarter / 4, rowHeight(), 1, bottom - rowHeight(), p.mix(Role::Panel, Role::Line, 0.6));
}

void ByteMapCanvas::paintRow(QPainter& painter, std::size_t row) const {
    const Palette& p = Palette::active();
    const AliasMember& member = *shown_[row];
    const QRect area = bar(row);
    const QRect line(0, int(row + 1) * rowHeight(), width(), rowHeight());
    const bool chosen = member.uid == selected_;
    if (chosen) painter.fillRect(line, p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.12 : 0.22));
    painter.setFont(Metrics::monoFont(0.88));
    painter.setPen(p(chosen ? Role::Ink : Role::Secondary));
    const QRect label(Metrics::gap(), line.top(), labelWidth() - Metrics::pad(), line.height());
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(percentName(member.name), Qt::ElideMiddle, label.width()));

    const bool write = member.kind == AliasMember::Kind::Write;
    const QColor colour = write ? p(Role::FamilyWrite) : member.kind == AliasMember::Kind::Base ? p(Role::FamilyCompute) : p.slot(0);
    const std::vector<float> shares = coverage(*member.region, 0, extent_, area.width());
    for (int x = 0; x < int(shares.size()); ++x) {
        const float share = shares[std::size_t(x)];
        if (share <= 0) continue;
        const int height = share > 0.99f ? area.height() : std::max(2, int(double(area.height()) * (0.35 + 0.65 * double(share))));
        painter.fillRect(area.left() + x, area.bottom() - height + 1, 1, height, colour);
    }
    if (write) {  // hatched, so that a write is not told by its colour alone
        painter.setClipRect(area);
        painter.setPen(QPen(p(Role::Panel), 1));
        const int from = area.left() + int(double(member.region->begin()) / double(extent_) * area.width());
        const int to = area.left() + int(double(member.region->end()) / double(extent_) * area.width());
        for (int x = from - area.height(); x < to; x += 5) painter.drawLine(x, area.bottom(), x + area.height(), area.top());
        painter.setClipping(false);
    }
}

void ByteMapCanvas::mousePressEvent(QMouseEvent* event) {
    if (const int row = rowAt(event->pos().y()); row >= 0) emit selected(shown_[std::size_t(row)]->uid);
}

bool ByteMapCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    if (row < 0) {
        QToolTip::hideText();
        return true;
    }
    const AliasMember& member = *shown_[std::size_t(row)];
    const Region& region = *member.region;
    QString text =
        QStringLiteral("%1\n%2 \u2013 %3 B, %4")
            .arg(percentName(member.name), grouped(region.begin()), grouped(region.end()), region.contiguous() ? tr("contiguous") : tr("strided"));
    if (member.kind == AliasMember::Kind::Write) text += tr("\nwrites %1").arg(percentName(member.target));
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

}  // namespace aliascope
