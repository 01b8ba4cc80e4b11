#pragma once
// Which bytes of a storage each of its values covers: one bar per value over one axis, to the byte (ui.md 2.5). The table above it is its twin.

#include <QWidget>
#include <vector>

#include "views/session/alias_rows.h"

namespace aliascope {

class ByteMapCanvas : public QWidget {
    Q_OBJECT

public:
    explicit ByteMapCanvas(QWidget* parent = nullptr);
    void setRows(AliasRowsPtr rows);
    void setSelection(Uid uid);
    /// The second of two rows that are compared; kNoUid = none.
    void setCompared(Uid uid);
    /// Only rows whose bytes meet those of the selection.
    void setOverlapsOnly(bool on);

    /// Bytes shown, [from, to).
    std::pair<std::int64_t, std::int64_t> range() const { return {from_, to_}; }
    std::int64_t extent() const { return extent_; }
    void zoomBy(double factor, std::int64_t around);
    void zoomIn() { zoomBy(0.5, centre()); }
    void zoomOut() { zoomBy(2.0, centre()); }
    /// The bytes of a member with a little room at both sides.
    void zoomTo(Uid uid);
    void showAll();

    /// The whole line of a member; empty when it is not shown.
    QRect rowRect(Uid uid) const;
    int rowCount() const { return int(shown_.size()); }
    Uid uidOf(int row) const { return shown_[std::size_t(row)]->uid; }
    /// Bar of a row, for tests.
    QRect bar(std::size_t row) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void selected(aliascope::Uid uid, bool second);  ///< second: with Ctrl, to compare with the selection
    void hovered(const QString& text);               ///< `cursor 409,600 = %x[0, 0, 0]`; empty = left
    void rangeChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowHeight() const;
    int labelWidth() const;
    QRect line(std::size_t row) const;
    int rowAt(int y) const;
    std::int64_t byteAt(int x) const;
    std::int64_t centre() const { return from_ + (to_ - from_) / 2; }
    void choose();
    void show(std::int64_t from, std::int64_t to);
    void paintAxis(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t row) const;
    void paintCoverage(QPainter& painter, const AliasMember& member, const QRect& area) const;
    QString rowText(const AliasMember& member) const;

    AliasRowsPtr rows_;
    std::vector<const AliasMember*> shown_;  ///< writes are drawn on the value that they write
    std::int64_t extent_ = 0, from_ = 0, to_ = 0;
    Uid selected_ = kNoUid, compared_ = kNoUid;
    bool overlapsOnly_ = false;
};

}  // namespace aliascope
