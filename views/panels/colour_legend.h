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
    /// As soon as storages are pinned the colours speak of these alone.
    void setStorages(const StorageColours& colours);
    /// The words, in order.
    QStringList words() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void say();

    ColourMode mode_ = ColourMode::Diff;
    StorageColours storages_;
};

}  // namespace aliascope
