#pragma once
// The whole stage as a strip beside the graph: where the viewport is, ticks for what was added or changed, for clones and for the storage
// shown (ui.md 2.3). Click or drag moves the graph.

#include <QWidget>

#include "views/canvas/graph_canvas.h"

namespace aliascope {

class OverviewStrip : public QWidget {
    Q_OBJECT

public:
    explicit OverviewStrip(GraphCanvas* canvas, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void moveTo(int y);
    void paintBase();
    GraphCanvas* canvas_;
    QImage base_;           ///< what does not move with the viewport; null = stale
    StageViewPtr painted_;  ///< of which stage
    int theme_ = -1;        ///< and in which palette
};

}  // namespace aliascope
