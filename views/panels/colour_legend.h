#pragma once
// What the colours of the graph mean in the chosen mode: swatches with words (ui.md 2.3, rule 7 of ui.md 0).

#include <QWidget>

#include "views/canvas/graph_canvas.h"

namespace aliascope {

class ColourLegend : public QWidget {
    Q_OBJECT

public:
    explicit ColourLegend(QWidget* parent = nullptr);
    void setMode(ColourMode mode);
    /// The words, in order.
    QStringList words() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ColourMode mode_ = ColourMode::Diff;
};

}  // namespace aliascope
