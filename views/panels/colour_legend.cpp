#include "views/panels/colour_legend.h"

#include <QPainter>
#include <vector>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"

namespace aliascope {
namespace {

struct Entry {
    QBrush brush;
    QString text;
};

std::vector<Entry> entriesOf(ColourMode mode, const StorageColours& storages) {
    const Palette& p = Palette::active();
    std::vector<Entry> out;
    switch (mode) {
        case ColourMode::Diff:
            out = {{p(Role::Added), QObject::tr("+ added here")},
                   {p(Role::Changed), QObject::tr("~ changed here")},
                   {p(Role::Unchanged), QObject::tr("as before")}};
            break;
        case ColourMode::Storage: {
            const QStringList patterns{QObject::tr("solid"), QObject::tr("diagonal"), QObject::tr("horizontal"),
                                       QObject::tr("dots"),  QObject::tr("cross"),    QObject::tr("vertical")};
            for (int slot = 0; slot < kStorageSlots; ++slot) {
                const QBrush brush(p.slot(slot), slotPattern(slot));
                if (!storages.any)
                    out.push_back({brush, QObject::tr("S%1, S%2 \u2026 %3").arg(slot).arg(slot + kStorageSlots).arg(patterns[slot])});
                else if (const int storage = storages.storages[std::size_t(slot)]; storage >= 0)
                    out.push_back({brush, QObject::tr("S%1 %2").arg(storage).arg(patterns[slot])});
            }
            if (storages.any) out.push_back({p(Role::Line), QObject::tr("other storages")});
            break;
        }
        case ColourMode::Family:
            out = {{p(Role::FamilyView), QObject::tr("VW view")},      {p(Role::FamilyCopy), QObject::tr("CP copy")},
                   {p(Role::FamilyWrite), QObject::tr("MU write")},    {p(Role::FamilyWrapper), QObject::tr("HO CU wrapper")},
                   {p(Role::FamilyMatmul), QObject::tr("MM product")}, {p(Role::FamilyCompute), QObject::tr("PW RD compute")},
                   {p(Role::FamilyIo), QObject::tr("IN OU")}};
            break;
        case ColourMode::Bytes:
        case ColourMode::LiveAtPeak: {
            const QStringList from{QObject::tr("below 4 KiB"), QObject::tr("4 KiB"),  QObject::tr("64 KiB"),
                                   QObject::tr("1 MiB"),       QObject::tr("16 MiB"), QObject::tr("256 MiB and more")};
            for (int step = 0; step < kHeatSteps; ++step) out.push_back({p.heat(step), from[step]});
            break;
        }
        case ColourMode::None:
            break;
    }
    return out;
}

}  // namespace

ColourLegend::ColourLegend(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("graph.legend"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setMode(mode_);
}

void ColourLegend::setMode(ColourMode mode) {
    mode_ = mode;
    setVisible(mode != ColourMode::None);
    say();
}

void ColourLegend::setStorages(const StorageColours& colours) {
    storages_ = colours;
    say();
}

void ColourLegend::say() {
    setAccessibleName(tr("Colours: %1: %2").arg(QString::fromLatin1(colourModeWord(mode_)), words().join(QStringLiteral(", "))));
    update();
}

QStringList ColourLegend::words() const {
    QStringList out;
    for (const Entry& entry : entriesOf(mode_, storages_)) out << entry.text;
    return out;
}

QSize ColourLegend::sizeHint() const { return {Metrics::em(20), Metrics::em(1.6)}; }

void ColourLegend::paintEvent(QPaintEvent*) {
    const Palette& p = Palette::active();
    QPainter painter(this);
    painter.fillRect(rect(), p(Role::Panel));
    painter.fillRect(0, 0, width(), p.line(), p(Role::Line));
    painter.setFont(Metrics::uiFont(0.85));
    const QFontMetrics metrics = painter.fontMetrics();
    const int side = Metrics::em(0.7);
    int x = Metrics::pad();
    if (mode_ == ColourMode::LiveAtPeak) {
        const QString text = tr("bytes live at the predicted peak:");
        painter.setPen(p(Role::Secondary));
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text) + Metrics::gap();
    }
    for (const Entry& entry : entriesOf(mode_, storages_)) {
        const int textWidth = metrics.horizontalAdvance(entry.text);
        if (x + side + textWidth > width()) break;
        const QRect box(x, (height() - side) / 2, side, side);
        painter.setPen(p(Role::Edge));
        painter.setBrush(entry.brush);
        painter.drawRect(box);
        x += side + Metrics::tight();
        painter.setPen(p(Role::Secondary));
        painter.drawText(QRect(x, 0, textWidth + 2, height()), Qt::AlignVCenter, entry.text);
        x += textWidth + Metrics::pad();
    }
}

}  // namespace aliascope
