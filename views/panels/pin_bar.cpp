#include "views/panels/pin_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

#include "views/canvas/metrics.h"
#include "views/canvas/storage_brush.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// The colour with its pattern, outlined so that a sparse one stays recognisable.
QIcon slotIcon(int slot, qreal ratio) {
    const int side = Metrics::icon();
    QPixmap picture(QSize(side, side) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    const QColor colour = Palette::active().slot(slot);
    painter.setPen(QPen(colour, 2));
    painter.setBrush(QBrush(colour, slotPattern(slot)));
    painter.drawRect(QRectF(2, 2, side - 4, side - 4));
    return QIcon(picture);
}

}  // namespace

PinBar::PinBar(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("stage.pins"));
    setAccessibleName(tr("Storages with a colour"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* bar = new QHBoxLayout(this);
    bar->setContentsMargins(Metrics::pad(), Metrics::em(0.2), Metrics::pad(), Metrics::em(0.2));
    bar->setSpacing(Metrics::gap());
    row_ = new QHBoxLayout;
    row_->setSpacing(Metrics::gap());
    bar->addLayout(row_);
    bar->addStretch(1);
    for (int slot = 0; slot < kPinnedStorages; ++slot) {
        QToolButton* button = iconButton(QStringLiteral("close"), tr("Colour %1").arg(slot + 1), QStringLiteral("stage.pins.%1").arg(slot + 1), this);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        connect(button, &QToolButton::clicked, this, [this, slot] { show(slot); });
        row_->addWidget(button);
        buttons_.push_back(button);
    }
    clear_ = iconButton(QStringLiteral("close"), tr("Take all these colours away (Ctrl+7)"), QStringLiteral("stage.pins.clear"), this);
    bar->addWidget(clear_);
    connect(clear_, &QToolButton::clicked, this, [this] { session_.storagePins().clear(); });
    connect(&session_.storagePins(), &StoragePins::changed, this, &PinBar::refresh);
    connect(&session_, &Session::stageChanged, this, &PinBar::refresh);
    refresh();
}

void PinBar::refresh() {
    const StoragePins::Slots& pins = session_.storagePins().pins();
    const StageViewPtr& view = session_.view();
    const StorageColours colours = view ? session_.storagePins().coloursIn(*view) : StorageColours();
    for (std::size_t slot = 0; slot < buttons_.size(); ++slot) {
        QToolButton* button = buttons_[slot];
        button->setVisible(pins[slot].base != kNoUid);
        if (pins[slot].base == kNoUid) continue;
        const int storage = colours.storages[slot];
        const QString name = percentName(pins[slot].name), number = QString::number(slot + 1);
        button->setIcon(slotIcon(int(slot), devicePixelRatioF()));
        button->setText(storage >= 0 ? tr("%1  S%2 %3").arg(number).arg(storage).arg(name) : tr("%1  %2 (not here)").arg(number, name));
        const QString tip = storage >= 0 ? tr("Select the storage of %1. Ctrl+%2 takes its colour away.").arg(name, number)
                                         : tr("The storage of %1 is not in this stage of this pipeline.").arg(name);
        button->setToolTip(tip);
        button->setAccessibleName(tr("Colour %1: %2").arg(number, tip));
        button->setEnabled(storage >= 0);
    }
    setVisible(session_.storagePins().any());
}

void PinBar::show(int slot) {
    const Uid base = session_.storagePins().pins()[std::size_t(slot)].base;
    if (session_.view() && session_.view()->node(base)) session_.selectNode(base, Origin::Command);
}

QStringList PinBar::said() const {
    QStringList out;
    for (const QToolButton* button : buttons_)
        if (!button->isHidden()) out << button->text();
    return out;
}

void PinBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && clear_) refresh();
}

}  // namespace aliascope
