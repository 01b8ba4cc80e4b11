#include "views/panels/text_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"

namespace aliascope {
namespace {

bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); }

/// Parts of a line that are not the program itself: comments, and the annotation between quotes.
struct QuietSpan {
    int begin, end;
};

std::vector<QuietSpan> quietSpans(const QString& text) {
    std::vector<QuietSpan> out;
    int open = -1;
    for (int i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('"')) {
            if (open < 0) {
                open = i;
            } else {
                out.push_back({open, i + 1});
                open = -1;
            }
        } else if (text[i] == QLatin1Char('#') && open < 0) {
            out.push_back({i, int(text.size())});
            return out;
        } else if (text[i] == QLatin1Char(';') && open < 0) {
            out.push_back({i, int(text.size())});  // `;  x = None`: bookkeeping of the printer
            return out;
        }
    }
    return out;
}

}  // namespace

int StageLines::lineOf(Uid uid) const {
    const auto found = text_->lineOf.find(uid);
    return found == text_->lineOf.end() ? -1 : found->second;
}

Uid StageLines::uidOfName(const QString& name) const {
    const auto found = text_->uidOfName.find(name.toStdString());
    return found == text_->uidOfName.end() ? kNoUid : found->second;
}

QString StageLines::note(int number) const {
    const auto found = text_->notes.find(number);
    return found == text_->notes.end() ? QString() : found->second;
}

TextPane::TextPane(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    measure();
}

void TextPane::measure() {
    const QFontMetricsF fm(Metrics::monoFont());
    rowHeight_ = int(std::ceil(fm.height() * 1.3));
    ascent_ = int(std::round((rowHeight_ - fm.height()) / 2 + fm.ascent()));
    columnWidth_ = fm.horizontalAdvance(QLatin1Char('0'));
}

int TextPane::gutter() const {
    const int last = source_ && source_->lineCount() > 0 ? std::max(source_->lineCount(), source_->numberOf(source_->lineCount() - 1)) : 1;
    const int digits = std::max(3, int(std::log10(last)) + 1);
    return int(std::ceil((digits + 2) * columnWidth_)) + Metrics::pad() + Metrics::gap();
}

int TextPane::visibleLines() const { return std::max(1, viewport()->height() / rowHeight_); }

int TextPane::firstVisibleLine() const { return verticalScrollBar()->value(); }

void TextPane::updateScrollBars() {
    const int lines = source_ ? source_->lineCount() : 0;
    verticalScrollBar()->setRange(0, std::max(0, lines - visibleLines()));
    verticalScrollBar()->setPageStep(visibleLines());
    verticalScrollBar()->setSingleStep(3);
    const int width = source_ ? int(std::ceil(source_->longestLine() * columnWidth_)) + gutter() + Metrics::pad() : 0;
    horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(int(columnWidth_ * 4));
}

void TextPane::setSource(std::shared_ptr<const LineSource> source) {
    const int oldLine = selectedLine();
    const int onScreen = oldLine < 0 ? -1 : oldLine - firstVisibleLine();
    source_ = std::move(source);
    anchor_ = cursor_ = {};
    updateScrollBars();
    const int line = selectedLine();
    if (line >= 0 && onScreen >= 0 && onScreen < visibleLines()) {
        verticalScrollBar()->setValue(line - onScreen);
    } else if (line >= 0) {
        reveal(line);
    }
    viewport()->update();
}

void TextPane::setPlaceholder(const QString& sentence) {
    placeholder_ = sentence;
    viewport()->update();
}

void TextPane::setStorageNames(int slot, std::unordered_set<QString> names) {
    storageSlot_ = slot;
    storageNames_ = std::move(names);
    viewport()->update();
}

void TextPane::setHits(std::unordered_set<Uid> hits) {
    hits_ = std::move(hits);
    viewport()->update();
}

void TextPane::setPreview(Uid uid) {
    if (preview_ == uid) return;
    preview_ = uid;
    viewport()->update();
}

int TextPane::selectedLine() const { return source_ && selected_ != kNoUid ? source_->lineOf(selected_) : -1; }

void TextPane::setSelection(Uid uid) {
    selected_ = uid;
    selectedName_.clear();
    const int line = selectedLine();
    if (line >= 0) {
        const QString text = source_->line(line).trimmed();
        int begin = text.startsWith(QLatin1Char('%')) ? 1 : 0, end = begin;
        while (end < text.size() && isNamePart(text[end])) ++end;
        if (source_->uidOfName(text.mid(begin, end - begin)) == uid) selectedName_ = text.mid(begin, end - begin);
        reveal(line);
    }
    viewport()->update();
}

void TextPane::reveal(int line) {
    const int first = firstVisibleLine();
    if (line >= first && line < first + visibleLines()) return;
    verticalScrollBar()->setValue(line - visibleLines() / 3);
}

QRect TextPane::lineRect(int line) const {
    const int row = line - firstVisibleLine();
    if (row < 0 || row >= visibleLines()) return {};
    return QRect(0, row * rowHeight_, viewport()->width(), rowHeight_);
}

void TextPane::resizeEvent(QResizeEvent*) { updateScrollBars(); }

void TextPane::paintEvent(QPaintEvent*) {
    const Palette& p = Palette::active();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), p(Role::Panel));
    if (!source_) {
        painter.setFont(Metrics::uiFont());
        painter.setPen(p(Role::Secondary));
        painter.drawText(viewport()->rect().adjusted(Metrics::section(), 0, -Metrics::section(), 0), Qt::AlignCenter | Qt::TextWordWrap,
                         placeholder_);
        return;
    }
    painter.setFont(Metrics::monoFont());
    const int first = firstVisibleLine(), end = std::min(source_->lineCount(), first + visibleLines() + 1);
    for (int line = first; line < end; ++line) paintLine(painter, line, (line - first) * rowHeight_);
    painter.fillRect(gutter() - Metrics::gap(), 0, p.line(), viewport()->height(), p.mix(Role::Panel, Role::Line, 0.7));
    if (hasFocus()) {
        painter.setPen(QPen(p(Role::Selection), Metrics::focus()));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void TextPane::paintLine(QPainter& painter, int line, int y) {
    const Palette& p = Palette::active();
    const QRect row(0, y, viewport()->width(), rowHeight_);
    const char mark = source_->mark(line);
    if (mark == '+') painter.fillRect(row, p(Role::AddedFill));
    if (mark == '~') painter.fillRect(row, p(Role::ChangedFill));
    if (mark == '-') painter.fillRect(row, p(Role::RemovedFill));
    if (mark == '=') painter.fillRect(row, p.mix(Role::Panel, Role::Line, 0.35));
    if (mark == '.') painter.fillRect(row, QBrush(p.mix(Role::Panel, Role::Line, 0.6), Qt::BDiagPattern));
    const bool current = line == selectedLine() && mark != '.' && mark != '=';
    const Role ground = mark == '+' ? Role::AddedFill : mark == '~' ? Role::ChangedFill : mark == '-' ? Role::RemovedFill : Role::Panel;
    if (current) painter.fillRect(row, p.mix(ground, Role::Selection, 0.20));

    painter.setClipRect(QRect(gutter(), y, viewport()->width() - gutter(), rowHeight_));
    paintText(painter, source_->line(line), line, y);
    painter.setClipping(false);

    const int numberRight = gutter() - Metrics::pad() - int(columnWidth_);
    painter.setPen(p.mix(Role::Panel, Role::Secondary, current ? 1.0 : 0.7));
    painter.drawText(QRect(0, y, numberRight, rowHeight_), Qt::AlignRight | Qt::AlignVCenter,
                     source_->numberOf(line) > 0 ? QString::number(source_->numberOf(line)) : QString());
    if (mark != ' ' && mark != '.' && mark != '=') {
        painter.setPen(p(mark == '+' ? Role::Added : mark == '-' ? Role::Removed : mark == '>' ? Role::Secondary : Role::Changed));
        painter.drawText(QRect(numberRight + 2, y, int(columnWidth_) + 4, rowHeight_), Qt::AlignCenter,
                         mark == '-' ? QString(QChar(0x2212)) : QString(QLatin1Char(mark)));
    }
    if (const Uid uid = source_->uidOf(line); uid != kNoUid && hits_.contains(uid))
        painter.fillRect(gutter() - Metrics::gap() - 1, y + 1, 4, rowHeight_ - 2, p(Role::Selection));
    if (preview_ != kNoUid && !current && source_->uidOf(line) == preview_ && line == source_->lineOf(preview_)) {
        painter.setPen(QPen(p(Role::Hover), Metrics::hair()));
        painter.drawRect(row.adjusted(gutter(), 0, -1, -1));
    }
    if (mark == '+') painter.fillRect(0, y, 3, rowHeight_, p(Role::Added));
    if (mark == '-')
        for (int dot = y; dot < y + rowHeight_; dot += 3) painter.fillRect(0, dot, 3, 1, p(Role::Removed));
    if (mark == '~')
        for (int dot = y; dot < y + rowHeight_; dot += 4) painter.fillRect(0, dot, 3, 2, p(Role::Changed));
}

void TextPane::paintText(QPainter& painter, const QString& text, int line, int y) {
    const Palette& p = Palette::active();
    const int scroll = horizontalScrollBar()->value();
    const int firstColumn = std::max(0, int(scroll / columnWidth_));
    const int columns = int(viewport()->width() / columnWidth_) + 2;
    const int lastColumn = std::min<int>(int(text.size()), firstColumn + columns);
    const auto x = [&](int column) { return gutter() + column * columnWidth_ - scroll; };

    const auto [from, to] = std::minmax(anchor_, cursor_);
    if (from.line >= 0 && line >= from.line && line <= to.line && from != to) {
        const int begin = line == from.line ? from.column : 0, end = line == to.line ? to.column : int(text.size()) + 1;
        painter.fillRect(QRectF(x(begin), y, (end - begin) * columnWidth_, rowHeight_), p.mix(Role::Panel, Role::Selection, 0.30));
    }
    if (!selectedName_.isEmpty()) {
        for (qsizetype at = text.indexOf(selectedName_); at >= 0; at = text.indexOf(selectedName_, at + 1)) {
            const qsizetype after = at + selectedName_.size();
            if ((at > 0 && isNamePart(text[at - 1])) || (after < text.size() && isNamePart(text[after]))) continue;
            painter.fillRect(QRectF(x(int(at)), y + rowHeight_ - 3, double(selectedName_.size()) * columnWidth_, 2), p(Role::Selection));
        }
    }
    paintStorageNames(painter, text, firstColumn, lastColumn, y);
    auto draw = [&](int begin, int end, Role role) {
        begin = std::max(begin, firstColumn);
        end = std::min(end, lastColumn);
        if (begin >= end) return;
        painter.setPen(p(role));
        painter.drawText(QPointF(x(begin), y + ascent_), text.mid(begin, end - begin));
    };
    const Role ink = source_->mark(line) == '-' || source_->mark(line) == '=' ? Role::Secondary : Role::Ink;
    int at = 0;
    for (const QuietSpan& quiet : quietSpans(text)) {
        draw(at, quiet.begin, ink);
        draw(quiet.begin, quiet.end, Role::Secondary);
        at = quiet.end;
    }
    draw(at, int(text.size()), ink);
}

/// Only what is visible is looked at, whatever the length of the line.
void TextPane::paintStorageNames(QPainter& painter, const QString& text, int from, int to, int y) const {
    if (storageSlot_ < 0 || storageNames_.empty()) return;
    const int length = int(text.size());  // scrolled sideways, a short line ends left of what is visible
    from = std::min(from, length);
    to = std::min(to, length);
    while (from > 0 && isNamePart(text[from - 1])) --from;
    const QBrush brush(Palette::active().slot(storageSlot_), slotPattern(storageSlot_));
    for (int at = from; at < to;) {
        if (!isNamePart(text[at])) {
            ++at;
            continue;
        }
        int end = at;
        while (end < text.size() && isNamePart(text[end])) ++end;
        if (storageNames_.contains(text.mid(at, end - at))) {
            const qreal x = gutter() + at * columnWidth_ - horizontalScrollBar()->value();
            painter.fillRect(QRectF(x, y + rowHeight_ - 6, (end - at) * columnWidth_, 3), brush);
        }
        at = end;
    }
}

TextPane::Position TextPane::positionAt(QPoint at) const {
    if (!source_ || source_->lineCount() == 0) return {};
    const int line = std::clamp(firstVisibleLine() + at.y() / rowHeight_, 0, source_->lineCount() - 1);
    const int column = int(std::round((at.x() - gutter() + horizontalScrollBar()->value()) / columnWidth_));
    return {line, std::clamp(column, 0, int(source_->line(line).size()))};
}

QString TextPane::nameAt(Position at, int* begin, int* end) const {
    if (at.line < 0) return {};
    const QString text = source_->line(at.line);
    int from = std::min<int>(at.column, int(text.size())), to = from;
    while (from > 0 && isNamePart(text[from - 1])) --from;
    while (to < text.size() && isNamePart(text[to])) ++to;
    if (begin) *begin = from;
    if (end) *end = to;
    return text.mid(from, to - from);
}

void TextPane::mousePressEvent(QMouseEvent* event) {
    if (!source_ || event->button() != Qt::LeftButton) return;
    anchor_ = cursor_ = positionAt(event->pos());
    if (anchor_.line < 0) return;
    if (source_->mark(anchor_.line) == '=') return emit foldClicked(anchor_.line);
    Uid uid = event->pos().x() >= gutter() ? source_->uidOfName(nameAt(anchor_)) : kNoUid;
    if (uid == kNoUid) uid = source_->uidOf(anchor_.line);
    viewport()->update();
    if (uid != kNoUid) emit selected(uid);
}

void TextPane::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton && source_) {
        const Position at = positionAt(event->pos());
        Uid uid = event->pos().x() >= gutter() ? source_->uidOfName(nameAt(at)) : kNoUid;
        if (uid == kNoUid && at.line >= 0) uid = source_->uidOf(at.line);
        return hover(uid);
    }
    if (!(event->buttons() & Qt::LeftButton) || anchor_.line < 0) return;
    cursor_ = positionAt(event->pos());
    viewport()->update();
}

bool TextPane::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !source_) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Position at = positionAt(help->pos());
    const QString note = at.line >= 0 ? source_->note(at.line) : QString();
    QToolTip::showText(help->globalPos(), note, viewport());  // an empty one hides it
    return true;
}

void TextPane::leaveEvent(QEvent*) { hover(kNoUid); }

void TextPane::hover(Uid uid) {
    if (uid == hovered_) return;
    hovered_ = uid;
    emit hovered(uid);
}

void TextPane::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!source_) return;
    const Position at = positionAt(event->pos());
    const Uid uid = source_->uidOfName(nameAt(at, &anchor_.column, &cursor_.column));
    anchor_.line = cursor_.line = at.line;
    viewport()->update();
    if (uid != kNoUid) emit activated(uid);
}

void TextPane::selectLine(int line) {
    if (!source_ || line < 0 || line >= source_->lineCount()) return;
    reveal(line);
    if (const Uid uid = source_->uidOf(line); uid != kNoUid) emit selected(uid);
}

void TextPane::keyPressEvent(QKeyEvent* event) {
    if (!source_) return QAbstractScrollArea::keyPressEvent(event);
    if (event->matches(QKeySequence::Copy)) return copy();
    const int direction = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (direction == 0 || event->modifiers() != Qt::NoModifier) return QAbstractScrollArea::keyPressEvent(event);
    int line = selectedLine() < 0 ? firstVisibleLine() - direction : selectedLine();
    for (line += direction; line >= 0 && line < source_->lineCount(); line += direction) {
        if (source_->uidOf(line) == kNoUid) continue;
        selectLine(line);
        return;
    }
}

bool TextPane::goToHunk(int direction) {
    if (!source_) return false;
    int line = selectedLine() < 0 ? firstVisibleLine() - direction : selectedLine();
    auto changed = [&](int n) { return n >= 0 && n < source_->lineCount() && source_->mark(n) != ' ' && source_->mark(n) != '='; };
    while (changed(line)) line += direction;
    while (line >= 0 && line < source_->lineCount() && !changed(line)) line += direction;
    if (!changed(line)) return false;
    while (direction < 0 && changed(line - 1)) --line;
    selectLine(line);
    return true;
}

QString TextPane::selectedText() const {
    const auto [from, to] = std::minmax(anchor_, cursor_);
    if (!source_ || from.line < 0 || from == to) return {};
    QStringList out;
    for (int line = from.line; line <= to.line; ++line) {
        const QString text = source_->line(line);
        const int begin = line == from.line ? from.column : 0, end = line == to.line ? to.column : int(text.size());
        out << text.mid(begin, end - begin);
    }
    return out.join(QLatin1Char('\n'));
}

void TextPane::copy() const {
    QString text = selectedText();
    if (text.isEmpty() && selectedLine() >= 0) text = source_->line(selectedLine()).trimmed();
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

void TextPane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        measure();
        updateScrollBars();
    }
    viewport()->update();
    QAbstractScrollArea::changeEvent(event);
}

void TextPane::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TextPane::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace aliascope
