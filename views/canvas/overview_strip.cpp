#include "views/canvas/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"

namespace aliascope {

OverviewStrip::OverviewStrip(GraphCanvas* canvas, QWidget* parent) : QWidget(parent), canvas_(canvas) {
    setObjectName(QStringLiteral("graph.overview"));
    setAccessibleName(tr("Overview of the graph"));
    setToolTip(tr("The whole stage: added (+), changed (~), clones, the shown storage. Click or drag to move."));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    connect(canvas, &GraphCanvas::viewportMoved, this, qOverload<>(&QWidget::update));
}

QSize OverviewStrip::sizeHint() const { return {Metrics::em(1.6), 200}; }

/// A pass over every node: only when the stage, the size or the palette is another one.
void OverviewStrip::paintBase() {
    const Palette& c = Palette::active();
    painted_ = canvas_->stage();
    theme_ = int(c.theme());
    base_ = QImage(size() * devicePixelRatioF(), QImage::Format_RGB32);
    base_.setDevicePixelRatio(devicePixelRatioF());
    QPainter p(&base_);
    p.fillRect(rect(), c(Role::Panel));
    p.fillRect(QRect(0, 0, c.line(), height()), c(Role::Line));
    const StageViewPtr& view = canvas_->stage();
    if (!view || !view->drawing || view->drawing->cards.empty()) return;
    const LayoutResult& d = *view->drawing;
    const double scale = height() / std::max(1.0, double(d.height));
    // One lane per meaning, so that marks never cover each other: occupied, changes, copies and wrappers.
    const int lane = std::max(2, (width() - 4) / 3);
    std::vector<char> rank(std::size_t(height()) + 1, ' ');
    for (std::size_t i = 0; i < view->snapshot->nodes.size(); ++i) {
        const std::int32_t index = d.cardOfNode[i];
        if (index < 0) continue;
        const PlacedCard& placed = d.cards[std::size_t(index)];
        const int y = std::clamp(int(placed.y * scale), 0, height() - 1);
        const int h = std::max(1, int(placed.height * scale));
        p.fillRect(QRect(2, y, lane - 1, h), c.mix(Role::Panel, Role::Unchanged, 0.45));
        char& mark = rank[std::size_t(y)];
        if (view->mark[i] == '+')
            mark = '+';
        else if (view->mark[i] == '~' && mark != '+')
            mark = '~';
        const Family family = view->family[i];
        if (family == Family::Wrapper || family == Family::Custom) p.fillRect(QRect(2 + 2 * lane, y, lane, std::max(2, h)), c(Role::FamilyWrapper));
        if (family == Family::Copy && view->snapshot->nodes[i]->op.find("clone") != std::string::npos)
            p.fillRect(QRect(2 + 2 * lane, y, lane, std::max(2, h)), c(Role::FamilyCopy));
    }
    for (int y = 0; y < height(); ++y) {
        const char mark = rank[std::size_t(y)];
        if (mark != ' ') p.fillRect(QRect(2 + lane, y, lane - 1, 2), mark == '+' ? c(Role::Added) : c(Role::Changed));
    }
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    const Palette& c = Palette::active();
    const StageViewPtr& view = canvas_->stage();
    if (base_.isNull() || painted_ != view || theme_ != int(c.theme()) || base_.size() != size() * devicePixelRatioF()) paintBase();
    QPainter p(this);
    p.drawImage(0, 0, base_);
    if (!view || !view->drawing || view->drawing->cards.empty()) return;
    const LayoutResult& d = *view->drawing;
    const double scale = height() / std::max(1.0, double(d.height));
    const Selection& selection = canvas_->selection();
    if (selection.storage >= 0) {
        const QColor colour = c.slot(canvas_->storageColours().shownSlotOf(selection.storage));
        for (std::uint32_t node : view->members(selection.storage)) {
            const std::int32_t index = d.cardOfNode[node];
            if (index >= 0) p.fillRect(QRect(width() - 3, int(d.cards[std::size_t(index)].y * scale), 3, 3), colour);
        }
    }
    if (const auto* hits = canvas_->hits()) {
        for (std::uint32_t node : *hits) {
            const std::int32_t index = d.cardOfNode[node];
            if (index >= 0) p.fillRect(QRect(1, int(d.cards[std::size_t(index)].y * scale), width() - 2, 2), c(Role::Selection));
        }
    }
    const QScrollBar* bar = canvas_->verticalScrollBar();
    const double whole = bar->maximum() + bar->pageStep();
    if (whole <= 0) return;
    const QRectF box(1, std::round(bar->value() / whole * height()), width() - 2, std::max(6.0, bar->pageStep() / whole * height()));
    p.setPen(QPen(c(Role::Selection), c.line()));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) { moveTo(int(event->position().y())); }

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(int(event->position().y()));
}

void OverviewStrip::moveTo(int y) {
    QScrollBar* bar = canvas_->verticalScrollBar();
    const double whole = bar->maximum() + bar->pageStep();
    bar->setValue(int(whole * y / std::max(1, height()) - bar->pageStep() / 2.0));
}

}  // namespace aliascope
