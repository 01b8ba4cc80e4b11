#include "views/panels/term_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"
#include "views/panels/glossary.h"

namespace aliascope {
namespace {

/// Dots of the line's own thickness, as far as the word goes.
void paintDots(QPainter& painter, int left, int width, int y) {
    const int dot = std::max(1, Metrics::em(0.08));
    const QColor colour = Palette::active()(Role::Edge);
    for (int x = 0; x + dot <= width; x += 2 * dot) painter.fillRect(left + x, y, dot, dot, colour);
}

}  // namespace

TermLabel::TermLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
    const QString meaning = meaningOf(text);
    known_ = !meaning.isEmpty();
    if (!known_) return;
    setToolTip(meaning);
    setAccessibleDescription(meaning);
}

void TermLabel::paintEvent(QPaintEvent* event) {
    QLabel::paintEvent(event);
    if (!known_) return;
    QPainter painter(this);
    const QRect words = contentsRect();
    const QFontMetrics metrics = fontMetrics();
    paintDots(painter, words.left(), metrics.horizontalAdvance(text()), std::min(height() - 1, words.top() + metrics.ascent() + metrics.descent()));
}

TermHeader::TermHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void TermHeader::paintEvent(QPaintEvent* event) {
    QHeaderView::paintEvent(event);
    if (!model()) return;
    QPainter painter(viewport());  // a painter that a style sheet has used draws nothing outside the last label
    const QFontMetrics metrics = fontMetrics();
    for (int section = 0; section < count(); ++section) {
        const QString word = model()->headerData(section, Qt::Horizontal).toString();
        if (isSectionHidden(section) || meaningOf(word).isEmpty()) continue;
        const QVariant given = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole);
        const bool right = given.isValid() && (given.toInt() & Qt::AlignRight);
        const int from = sectionViewportPosition(section), size = sectionSize(section);
        const int width = std::min(metrics.horizontalAdvance(word), size - 2 * Metrics::gap());
        paintDots(painter, right ? from + size - Metrics::gap() - width : from + Metrics::gap(), width,
                  std::min(height() - 3, (height() + metrics.height()) / 2));
    }
}

bool TermHeader::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip && model()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int section = logicalIndexAt(help->pos());
        const QString meaning = section < 0 ? QString() : meaningOf(model()->headerData(section, Qt::Horizontal).toString());
        if (!meaning.isEmpty()) {
            QToolTip::showText(help->globalPos(), meaning, this);
            return true;
        }
    }
    return QHeaderView::viewportEvent(event);
}

}  // namespace aliascope
