#pragma once
// Lines of text, of which only those in sight are drawn; long lines never wrap and are laid out only where they are visible (ui.md 2.4).

#include <QAbstractScrollArea>
#include <unordered_set>

#include "views/session/stage_text.h"

namespace aliascope {

/// Where a pane takes its lines from.
class LineSource {
public:
    virtual ~LineSource() = default;
    virtual int lineCount() const = 0;
    virtual QString line(int number) const = 0;
    virtual Uid uidOf(int number) const = 0;  ///< node that the line defines; kNoUid = none
    /// `+`, `~`, blank; `-` = of the stage before, `>` = moved, `.` = nothing stands here, `=` = stands for lines left out, `!` = see note().
    virtual char mark(int number) const = 0;
    virtual int numberOf(int line) const { return line + 1; }  ///< as the gutter shows it; 0 = none
    virtual QString note(int) const { return {}; }             ///< what is to be said of the line
    virtual int longestLine() const = 0;                       ///< characters
    virtual int lineOf(Uid uid) const = 0;                     ///< -1 = nowhere
    virtual Uid uidOfName(const QString& name) const = 0;
};

class StageLines : public LineSource {
public:
    explicit StageLines(StageTextPtr text) : text_(std::move(text)) {}
    int lineCount() const override { return int(text_->lines.size()); }
    QString line(int number) const override { return text_->lines[std::size_t(number)]; }
    Uid uidOf(int number) const override { return text_->uidOfLine[std::size_t(number)]; }
    char mark(int number) const override { return text_->mark[std::size_t(number)]; }
    int numberOf(int number) const override { return text_->firstLine + number + 1; }
    QString note(int number) const override;
    int longestLine() const override { return text_->longest; }
    int lineOf(Uid uid) const override;
    Uid uidOfName(const QString& name) const override;

private:
    StageTextPtr text_;
};

class TextPane : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit TextPane(QWidget* parent = nullptr);

    /// Null clears. The line of the selected node, else the top line, keeps its place on the screen.
    void setSource(std::shared_ptr<const LineSource> source);
    const LineSource* source() const { return source_.get(); }
    /// Shown while there is nothing to show.
    /// Names of values in one storage: underlined in the colour and pattern of `slot`. -1 = none.
    void setStorageNames(int slot, std::unordered_set<QString> names);
    /// Nodes that a search found: their lines carry a bar.
    void setHits(std::unordered_set<Uid> hits);
    void setPlaceholder(const QString& sentence);
    /// Never emits; scrolls only when the line is out of sight.
    void setSelection(Uid uid);
    /// A thin outline round the line of a node that the pointer rests on in another view; kNoUid = none. Never scrolls.
    void setPreview(Uid uid);
    Uid selectedNode() const { return selected_; }
    int selectedLine() const;
    void reveal(int line);
    int firstVisibleLine() const;
    QRect lineRect(int line) const;  ///< in the viewport; empty when out of sight
    QString selectedText() const;
    void copy() const;
    /// Next or previous changed line after the selected one; reveals it and selects its node.
    bool goToHunk(int direction);

signals:
    void selected(aliascope::Uid uid);
    void activated(aliascope::Uid uid);  ///< double click: to the definition
    void hovered(aliascope::Uid uid);    ///< the node under the pointer; kNoUid = none
    void foldClicked(int line);          ///< a line that stands for others

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Position {
        int line = -1, column = 0;
        auto operator<=>(const Position&) const = default;
    };
    void measure();
    void updateScrollBars();
    int gutter() const;
    int visibleLines() const;
    Position positionAt(QPoint at) const;
    QString nameAt(Position at, int* begin = nullptr, int* end = nullptr) const;
    void paintLine(QPainter& painter, int line, int y);
    void paintText(QPainter& painter, const QString& text, int line, int y);
    void paintStorageNames(QPainter& painter, const QString& text, int from, int to, int y) const;
    void selectLine(int line);
    void hover(Uid uid);

    std::shared_ptr<const LineSource> source_;
    QString placeholder_, selectedName_;
    std::unordered_set<Uid> hits_;
    std::unordered_set<QString> storageNames_;
    int storageSlot_ = -1;
    Uid selected_ = kNoUid, preview_ = kNoUid, hovered_ = kNoUid;
    Position anchor_, cursor_;
    int rowHeight_ = 16, ascent_ = 12;
    qreal columnWidth_ = 8;
};

}  // namespace aliascope
