#include "views/canvas/evidence_picture.h"

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

QString roleWord(const Evidence& evidence, const EvidenceStep& step) {
    switch (step.kind) {
        case EvidenceStep::Kind::Base:
            return QObject::tr("base");
        case EvidenceStep::Kind::Argument:
            return QObject::tr("argument");
        case EvidenceStep::Kind::Write:
            return QObject::tr("write");
        case EvidenceStep::Kind::Blocker:
            return evidence.blockerIsLater ? QObject::tr("later use") : QObject::tr("in the way");
    }
    return {};
}

QString linkWord(const EvidenceStep& step) {
    switch (step.kind) {
        case EvidenceStep::Kind::Argument:
            return QObject::tr("view");
        case EvidenceStep::Kind::Write:
            return QObject::tr("written by");
        case EvidenceStep::Kind::Blocker:
            return QObject::tr("old value used by");
        case EvidenceStep::Kind::Base:
            break;
    }
    return {};
}

QString stepText(const Evidence& evidence, const EvidenceStep& step) {
    QString text = QStringLiteral("%1 %2, %3, node %4").arg(roleWord(evidence, step), percentName(step.name), qstr(step.what)).arg(step.place);
    if (step.bytes) text += QStringLiteral(", %1").arg(bytesText(*step.bytes));
    return text;
}

QString rangeText(const Region& region) { return QStringLiteral("%1 \u2013 %2").arg(grouped(region.begin()), grouped(region.end())); }

Role roleOf(EvidenceStep::Kind kind) {
    switch (kind) {
        case EvidenceStep::Kind::Base:
            return Role::FamilyCompute;
        case EvidenceStep::Kind::Argument:
            return Role::Slot1;
        case EvidenceStep::Kind::Write:
            return Role::FamilyWrite;
        case EvidenceStep::Kind::Blocker:
            return Role::Avoidable;
    }
    return Role::Edge;
}

int stepHeight() { return Metrics::em(1.9); }
int linkHeight() { return Metrics::em(1.35); }
int barHeight() { return Metrics::em(0.9); }

}  // namespace

EvidencePicture::EvidencePicture(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("why.evidence"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setMouseTracking(true);
}

void EvidencePicture::setEvidence(EvidencePtr evidence) {
    evidence_ = std::move(evidence);
    setVisible(evidence_ && evidence_->steps.size() > 1);
    setAccessibleName(text());
    updateGeometry();
    update();
}

QString EvidencePicture::text() const {
    if (!evidence_) return {};
    QStringList lines;
    for (const EvidenceStep& step : evidence_->steps) lines << stepText(*evidence_, step);
    if (evidence_->argument)
        lines << tr("argument at bytes %1 of S%2 (%3)")
                     .arg(rangeText(*evidence_->argument))
                     .arg(evidence_->storage)
                     .arg(bytesText(evidence_->storageBytes));
    if (evidence_->overlap && evidence_->argumentBytes)
        lines << tr("overlap %1 of %2").arg(bytesText(*evidence_->overlap), bytesText(*evidence_->argumentBytes));
    return lines.join(QLatin1Char('\n'));
}

bool EvidencePicture::hasBar() const { return evidence_ && evidence_->argument && evidence_->storageBytes && *evidence_->storageBytes > 0; }

QRect EvidencePicture::stepRect(std::size_t step) const { return QRect(0, int(step) * (stepHeight() + linkHeight()), width() - 1, stepHeight()); }

int EvidencePicture::barTop() const {
    const int steps = evidence_ ? int(evidence_->steps.size()) : 0;
    return steps * stepHeight() + std::max(0, steps - 1) * linkHeight() + Metrics::gap();
}

QSize EvidencePicture::sizeHint() const {
    int height = barTop();
    if (hasBar()) height += barHeight() + Metrics::em(2.9);
    return {Metrics::em(22), height};
}

QSize EvidencePicture::minimumSizeHint() const { return {Metrics::em(12), sizeHint().height()}; }

void EvidencePicture::paintEvent(QPaintEvent*) {
    if (!evidence_) return;
    QPainter painter(this);
    for (std::size_t i = 0; i < evidence_->steps.size(); ++i) {
        if (i > 0) paintLink(painter, i);
        paintStep(painter, i);
    }
    if (hasBar()) paintBar(painter);
}

void EvidencePicture::paintStep(QPainter& painter, std::size_t step) const {
    const Palette& p = Palette::active();
    const EvidenceStep& what = evidence_->steps[step];
    const QRect box = stepRect(step);
    painter.fillRect(box, p(Role::Canvas));
    painter.setPen(QPen(p(what.kind == EvidenceStep::Kind::Blocker ? Role::Avoidable : Role::Line),
                        what.kind == EvidenceStep::Kind::Blocker ? 1 + p.line() : p.line()));
    painter.drawRect(box);
    painter.fillRect(box.left(), box.top(), Metrics::em(0.35), box.height() + 1, p(roleOf(what.kind)));
    QRect row = box.adjusted(Metrics::em(0.8), 0, -Metrics::gap(), 0);
    painter.setFont(Metrics::uiFont(0.9));
    painter.setPen(p(Role::Secondary));
    const int roleWidth = Metrics::em(5.2);
    QString role = roleWord(*evidence_, what);
    if (what.kind == EvidenceStep::Kind::Blocker) role.prepend(QStringLiteral("! "));
    painter.drawText(QRect(row.left(), row.top(), roleWidth, row.height()), Qt::AlignVCenter, role);
    QString facts = qstr(what.what);
    if (what.bytes && what.kind != EvidenceStep::Kind::Write) facts += QStringLiteral("  ") + bytesText(*what.bytes);
    const int factsWidth = std::min(painter.fontMetrics().horizontalAdvance(facts) + 2, row.width() * 2 / 5);
    painter.drawText(QRect(row.right() - factsWidth, row.top(), factsWidth, row.height()), Qt::AlignVCenter | Qt::AlignRight,
                     painter.fontMetrics().elidedText(facts, Qt::ElideRight, factsWidth));
    painter.setFont(Metrics::monoFont());
    painter.setPen(p(Role::Ink));
    const int nameWidth = row.width() - roleWidth - factsWidth - Metrics::gap();
    painter.drawText(QRect(row.left() + roleWidth, row.top(), nameWidth, row.height()), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(percentName(what.name), Qt::ElideMiddle, nameWidth));
}

/// Between a step and the one above it: how the two hang together.
void EvidencePicture::paintLink(QPainter& painter, std::size_t step) const {
    const Palette& p = Palette::active();
    const EvidenceStep& what = evidence_->steps[step];
    const QRect box = stepRect(step);
    const int x = Metrics::em(1.6), top = box.top() - linkHeight() + 1;
    const bool write = what.kind == EvidenceStep::Kind::Write || what.kind == EvidenceStep::Kind::Blocker;
    const QColor colour = p(what.kind == EvidenceStep::Kind::Argument ? Role::Slot1 : write ? Role::FamilyWrite : Role::Edge);
    painter.setPen(QPen(colour, 2, what.kind == EvidenceStep::Kind::Argument ? Qt::DotLine : Qt::DashLine, Qt::FlatCap));
    painter.drawLine(x, top, x, box.top() - Metrics::em(0.35));
    if (write) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const int half = Metrics::em(0.3);
        painter.drawPolygon(QPolygon({QPoint(x - half, box.top() - 2 * half), QPoint(x + half, box.top() - 2 * half), QPoint(x, box.top() - 1)}));
        painter.setBrush(Qt::NoBrush);
    }
    painter.setFont(Metrics::uiFont(0.85));
    painter.setPen(p(Role::Secondary));
    painter.drawText(QRect(x + Metrics::gap(), top - 1, width() - x, linkHeight()), Qt::AlignVCenter, linkWord(what));
}

void EvidencePicture::paintRange(QPainter& painter, const QRect& area, std::int64_t from, std::int64_t to, const QColor& colour,
                                 Qt::BrushStyle style) const {
    const double scale = double(area.width()) / double(std::max<std::int64_t>(1, std::max(*evidence_->storageBytes, to)));
    const int left = area.left() + int(double(from) * scale);
    const int width = std::max(2, int(double(to - from) * scale));
    painter.fillRect(QRect(left, area.top(), width, area.height()), QBrush(colour, style));
}

/// The storage from its first to its last byte: where the argument lies, what a clone copies, what the reader reads.
void EvidencePicture::paintBar(QPainter& painter) const {
    const Palette& p = Palette::active();
    const Evidence& e = *evidence_;
    const QRect area(0, barTop() + Metrics::em(1.2), width() - 1, barHeight());
    painter.setFont(Metrics::uiFont(0.85));
    painter.setPen(p(Role::Secondary));
    const QRect above(0, barTop(), width() - 1, Metrics::em(1.2));
    painter.drawText(above, Qt::AlignLeft | Qt::AlignVCenter, tr("S%1: argument at %2").arg(e.storage).arg(rangeText(*e.argument)));
    painter.drawText(above, Qt::AlignRight | Qt::AlignVCenter, bytesText(*e.storageBytes));
    painter.fillRect(area, p.mix(Role::Panel, Role::Line, 0.5));
    const std::int64_t cloned = e.clonedBytes.value_or(0), argument = e.argumentBytes.value_or(0);
    const bool fromStart = cloned > argument && cloned == e.argument->end();
    if (fromStart) paintRange(painter, area, 0, cloned, p(Role::Avoidable), Qt::BDiagPattern);
    paintRange(painter, area, e.argument->begin(), e.argument->end(), p(Role::Slot1), Qt::SolidPattern);
    if (e.blocker)
        paintRange(painter, area.adjusted(0, area.height() * 2 / 3, 0, 0), e.blocker->begin(), e.blocker->end(), p(Role::FamilyWrite),
                   Qt::DiagCrossPattern);
    painter.setPen(p(Role::Line));
    painter.drawRect(area);
    QStringList below;
    if (fromStart) below << tr("hatched: the clone copies 0 \u2013 %1 to write %2").arg(grouped(cloned), grouped(argument));
    if (e.overlap) below << tr("overlap %1 of %2 B").arg(grouped(*e.overlap), grouped(argument));
    painter.setPen(p(Role::Secondary));
    const QRect line(0, area.bottom() + 1, width() - 1, Metrics::em(1.5));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(below.join(QStringLiteral("   ")), Qt::ElideRight, line.width()));
}

void EvidencePicture::mousePressEvent(QMouseEvent* event) {
    for (std::size_t i = 0; evidence_ && i < evidence_->steps.size(); ++i)
        if (stepRect(i).contains(event->pos())) return emit nodeChosen(evidence_->steps[i].uid);
}

bool EvidencePicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !evidence_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    for (std::size_t i = 0; i < evidence_->steps.size(); ++i)
        if (stepRect(i).contains(help->pos())) text = stepText(*evidence_, evidence_->steps[i]);
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
    return true;
}

}  // namespace aliascope
