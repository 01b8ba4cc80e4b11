#pragma once
// Live bytes over the events of a stage, curves of other stages over it, and the largest blocks below (ui.md 2.8). Only what is visible is read: the
// curve from the min/max pyramid, one column per pixel. The tables beside it are its twins.

#include <QJsonObject>
#include <QWidget>
#include <vector>

#include "views/canvas/palette.h"
#include "views/session/memory_profile.h"

namespace aliascope {

/// A curve of the chart. The first one is the reference, whose events are the axis.
struct MemoryCurve {
    MemoryProfilePtr profile;
    std::shared_ptr<const std::vector<double>> places;  ///< by event, and of the end; null = the reference itself
    Role role = Role::Slot1;
    Qt::PenStyle style = Qt::SolidLine;
    QString lane;  ///< the pipeline, where it is another one than the reference's
};

class MemoryChart : public QWidget {
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setCurves(std::vector<MemoryCurve> curves);
    const std::vector<MemoryCurve>& curves() const { return curves_; }
    void setAccounting(memory::Accounting accounting);
    /// Event of the reference; -1 = none. Does not emit; scrolls only if it is not visible.
    void setCursor(std::int64_t seq);
    std::int64_t cursor() const { return cursor_; }
    void setSelection(Uid uid);
    /// Events of the reference that were dragged over; nothing = all.
    const std::optional<std::pair<std::int64_t, std::int64_t>>& range() const { return range_; }
    void clearRange();

    /// Moves the cursor by one event that changes the total, or to the next one that changes it by at least a twentieth of the peak.
    bool step(int direction, bool bigOnly);
    void goToPeak();
    /// Selects the largest block that the event at the cursor made, else the largest one live there.
    void chooseBlock();
    void zoomBy(double factor, double aroundX);
    void showAll();

    /// Rectangle of a drawn block, by index into lifetimes; empty when it is in the band of the rest.
    QRect blockRect(std::size_t block) const;
    QRect plotRect() const { return plot_; }
    double xOf(double place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// What is drawn, for tests.
    QJsonObject dump() const;

signals:
    void cursorMoved(qlonglong seq);
    void blockChosen(qulonglong block);  ///< index into lifetimes
    void rangeChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Lane {
        std::size_t block = 0;
        int row = 0;
    };
    const MemoryProfile* reference() const { return curves_.empty() ? nullptr : curves_.front().profile.get(); }
    std::int64_t bytesOf(const memory::Lifetime& lifetime) const { return lifetime.bytes(accounting_); }
    /// Where the text of every curve stands, in at most two lines; further ones are left out.
    std::vector<QRect> legendBoxes(const QFontMetrics& metrics) const;
    int legendHeight() const;
    int spareRows() const;
    void measure();
    QRect lanesRect() const { return blocks_; }
    QRect rectOf(const Lane& lane) const;
    int laneHeight() const { return laneHeight_; }
    double yOf(std::int64_t bytes) const;
    std::int64_t seqAt(double x) const;
    std::optional<std::size_t> blockAt(QPoint at) const;
    void arrange();
    void packBlocks();
    void moveCursor(std::int64_t seq);
    void keepVisible(std::int64_t seq);
    void paintAxes(QPainter& painter) const;
    void paintCurve(QPainter& painter, const MemoryCurve& curve) const;
    void paintFill(QPainter& painter) const;
    /// Live bytes of a curve at every pixel of the plot; -1 where it has none.
    std::vector<std::int64_t> columnsOf(const MemoryCurve& curve) const;
    void paintDifference(QPainter& painter) const;
    /// Events of a curve that are visible, [first, last).
    std::pair<std::int64_t, std::int64_t> visibleEvents(const MemoryCurve& curve) const;
    void paintPeak(QPainter& painter, const MemoryCurve& curve, bool labelled) const;
    void paintLegend(QPainter& painter) const;
    void paintBlocks(QPainter& painter) const;
    void paintBlock(QPainter& painter, const Lane& lane) const;
    void paintRange(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    QString legendText(const MemoryCurve& curve) const;
    QString blockText(std::size_t block) const;

    std::vector<MemoryCurve> curves_;
    memory::Accounting accounting_ = memory::Accounting::Exact;
    double from_ = 0, to_ = 1;  ///< visible part of the axis
    std::int64_t cursor_ = -1;
    Uid selected_ = kNoUid;
    std::optional<std::pair<std::int64_t, std::int64_t>> range_;
    QRect plot_, blocks_;  ///< of the curve; of the blocks below it
    int laneHeight_ = 1;
    std::vector<Lane> lanes_;  ///< largest blocks, packed
    int rows_ = 0;             ///< that blocks take, the band of the rest included
    std::int64_t restBlocks_ = 0, restBytes_ = 0, restLargest_ = 0;
    std::int64_t highest_ = 1;  ///< of all curves, bytes
    std::int64_t top_ = 1;      ///< of the axis, bytes
    std::optional<QPoint> pressed_;
};

}  // namespace aliascope
