#include "views/panels/pass_delegate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/canvas/metrics.h"
#include "views/models/format.h"
#include "views/models/pass_list_model.h"

namespace aliascope {
namespace {

struct Row {
    int idx;
    QString name, state;
    bool changed, touched, speaks;  ///< speaks: has a message
    std::int64_t nodes, added, removed, modified, clones, copies, delta, largest;
};

Row rowOf(const QModelIndex& index) {
    using M = PassListModel;
    auto number = [&](int role) { return std::int64_t(index.data(role).toLongLong()); };
    return {index.data(M::IndexRole).toInt(),
            index.data(M::StageNameRole).toString(),
            index.data(M::StateRole).toString(),
            index.data(M::ChangedRole).toBool(),
            index.data(M::TouchedRole).toBool(),
            !index.data(M::MessageRole).toString().isEmpty(),
            number(M::NodesRole),
            number(M::AddedRole),
            number(M::RemovedRole),
            number(M::ModifiedRole),
            number(M::ClonesRole),
            number(M::CopiesRole),
            number(M::ByteDeltaRole),
            number(M::LargestChangeRole)};
}

bool twoLines(const Row& row) { return row.state != QLatin1String("ok") ? row.speaks : row.changed && row.idx > 1; }

constexpr qreal kLine = 1.55;  // em

/// Glyph in its colour, number in ink; returns the new x.
int paintCount(QPainter& painter, int x, const QRect& line, QChar glyph, Role role, std::int64_t count) {
    if (count == 0) return x;
    const Palette& p = Palette::active();
    const QFontMetrics fm = painter.fontMetrics();
    painter.setPen(p(role));
    painter.drawText(QRect(x, line.top(), fm.horizontalAdvance(glyph) + 2, line.height()), Qt::AlignVCenter, QString(glyph));
    x += fm.horizontalAdvance(glyph) + 1;
    painter.setPen(p(Role::Ink));
    const QString text = grouped(count);
    painter.drawText(QRect(x, line.top(), fm.horizontalAdvance(text) + 2, line.height()), Qt::AlignVCenter, text);
    return x + fm.horizontalAdvance(text) + Metrics::em(0.6);
}

void paintBar(QPainter& painter, const QRect& area, const Row& row) {
    const std::int64_t total = row.added + row.removed + row.modified;
    if (total == 0) return;
    const Palette& p = Palette::active();
    const double length = area.width() * std::log1p(double(total)) / std::log1p(double(std::max<std::int64_t>(row.largest, 1)));
    int x = area.left();
    for (const auto& [count, role] :
         {std::pair(row.added, Role::Added), std::pair(row.removed, Role::Removed), std::pair(row.modified, Role::Changed)}) {
        if (count == 0) continue;
        const int width = std::max(1, int(std::round(length * double(count) / double(total))));
        painter.fillRect(x, area.top(), width, area.height(), p(role));
        x += width;
    }
}

QString secondLine(const Row& row) {
    QStringList parts;
    if (row.clones > 0) {
        parts << counted(row.clones, QObject::tr("clone"), QObject::tr("clones"));
    } else if (row.copies > 0) {
        parts << counted(row.copies, QObject::tr("copy back"), QObject::tr("copies back"));
    }
    if (row.delta != 0) parts << (row.delta > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + bytesText(std::abs(row.delta));
    return parts.join(QStringLiteral(" \u00b7 "));
}

void paintStage(QPainter& painter, const QRect& rect, const Row& row, const QString& message) {
    const Palette& p = Palette::active();
    const bool failed = row.state == QLatin1String("failed");
    const int top = rect.top() + Metrics::em(0.25);
    const QRect line1(rect.left(), top, rect.width(), Metrics::em(kLine));
    const QRect line2 = line1.translated(0, Metrics::em(kLine) - Metrics::em(0.1));
    const int numberRight = rect.left() + Metrics::em(1.6);
    const int left = numberRight + Metrics::gap(), right = rect.right() - Metrics::gap();
    const QColor quiet = row.changed || failed ? p(Role::Secondary) : p.mix(Role::Panel, Role::Secondary, 0.8);

    painter.setFont(Metrics::uiFont(0.9));
    painter.setPen(quiet);
    painter.drawText(QRect(rect.left(), line1.top(), Metrics::em(1.6), line1.height()), Qt::AlignRight | Qt::AlignVCenter,
                     row.idx > 0 ? QString::number(row.idx) : QStringLiteral("\u2026"));

    QString tail = grouped(row.nodes);
    if (!row.changed && row.state == QLatin1String("ok")) tail = QObject::tr("no change");
    if (row.state == QLatin1String("skipped")) tail = QObject::tr("skipped");
    if (row.state == QLatin1String("stale")) tail = QObject::tr("stale");
    if (row.state == QLatin1String("off")) tail = QObject::tr("off");
    const int tailWidth = painter.fontMetrics().horizontalAdvance(tail);
    painter.drawText(QRect(left, line1.top(), right - left, line1.height()), Qt::AlignRight | Qt::AlignVCenter, tail);

    int nameLeft = left;
    if (failed) {
        const int side = Metrics::em(1.0);
        painter.fillRect(QRect(left, line1.center().y() - side / 2, side, side), p(Role::Wrong));
        painter.setPen(p(Role::Panel));
        painter.setFont(Metrics::uiFont(0.85, true));
        painter.drawText(QRect(left, line1.center().y() - side / 2, side, side), Qt::AlignCenter, QStringLiteral("!"));
        nameLeft += side + Metrics::tight();
    }
    const bool current = row.state == QLatin1String("ok");
    painter.setFont(Metrics::uiFont(1.0, row.changed && current));
    painter.setPen((row.changed && current) || failed ? p(Role::Ink) : quiet);
    const QFontMetrics fm = painter.fontMetrics();
    painter.drawText(QRect(nameLeft, line1.top(), right - tailWidth - Metrics::gap() - nameLeft, line1.height()), Qt::AlignVCenter,
                     fm.elidedText(row.name, Qt::ElideRight, right - tailWidth - Metrics::gap() - nameLeft));
    if (!twoLines(row)) return;

    painter.setFont(Metrics::uiFont(0.9));
    if (row.state != QLatin1String("ok")) {
        painter.setPen(p(Role::Secondary));
        painter.drawText(QRect(left, line2.top(), right - left, line2.height()), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(message, Qt::ElideRight, right - left));
        return;
    }
    int x = paintCount(painter, left, line2, QLatin1Char('+'), Role::Added, row.added);
    x = paintCount(painter, x, line2, QChar(0x2212), Role::Removed, row.removed);
    x = paintCount(painter, x, line2, QLatin1Char('~'), Role::Changed, row.modified);
    painter.setPen(p(Role::Secondary));
    painter.drawText(QRect(x, line2.top(), right - x, line2.height()), Qt::AlignRight | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(secondLine(row), Qt::ElideRight, right - x));
    paintBar(painter, QRect(left, line2.bottom() + Metrics::em(0.12), right - left, std::max(2, Metrics::em(0.16))), row);
}

}  // namespace

QSize PassDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    if (index.data(PassListModel::IsRewriteRole).toBool()) return {Metrics::em(10), Metrics::em(1.6)};
    return {Metrics::em(14), (twoLines(rowOf(index)) ? Metrics::em(2 * kLine + 0.8) : Metrics::em(kLine + 0.5)) + roomBelow(index)};
}

bool PassDelegate::setRoomBelow(const QModelIndex& index, int height) {
    if (roomy_ == index && room_ == height) return false;
    roomy_ = index;
    room_ = height;
    return true;
}

int PassDelegate::roomBelow(const QModelIndex& index) const { return roomy_.isValid() && roomy_ == index.siblingAtColumn(0) ? room_ : 0; }

void PassDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Palette& p = Palette::active();
    painter->save();
    const QRect own = option.rect.adjusted(0, 0, 0, -roomBelow(index));
    const QRect full(0, own.top(), own.right() + 1, own.height());
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) {
        painter->fillRect(full, p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.12 : 0.22));
    } else if (option.state & QStyle::State_MouseOver) {
        painter->fillRect(full, p.mix(Role::Panel, Role::Ink, 0.04));
    }
    if (index.data(PassListModel::IsRewriteRole).toBool()) {
        const bool failed = index.data(PassListModel::StateRole).toString() == QLatin1String("failed");
        painter->setFont(Metrics::uiFont(0.9));
        painter->setPen(p(selected ? Role::Ink : Role::Secondary));
        const QRect text = own.adjusted(Metrics::em(1.6), 0, -Metrics::gap(), 0);
        const QString shown = (failed ? QStringLiteral("! ") : QString()) + index.data().toString();
        painter->drawText(text, Qt::AlignVCenter, painter->fontMetrics().elidedText(shown, Qt::ElideRight, text.width()));
    } else {
        const Row row = rowOf(index);
        if (selected) painter->fillRect(0, full.top(), Metrics::em(0.22), full.height(), p(Role::Selection));
        if (row.touched) {  // a tick: this stage touched the selection
            painter->setPen(QPen(p(Role::Selection), 2));
            const int x = Metrics::em(0.55), y = full.top() + Metrics::em(1.0), s = Metrics::em(0.2);
            painter->drawLine(x, y, x + s, y + s);
            painter->drawLine(x + s, y + s, x + 3 * s, y - s);
        }
        paintStage(*painter, own, row, index.data(PassListModel::MessageRole).toString());
    }
    if ((option.state & QStyle::State_HasFocus) && selected) {
        painter->setPen(QPen(p(Role::Selection), Metrics::focus()));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(full.adjusted(1, 1, -1, -1));
    }
    painter->restore();
}

}  // namespace aliascope
