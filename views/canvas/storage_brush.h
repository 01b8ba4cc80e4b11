#pragma once
// Colour and pattern of a storage: those of its slot, neutral where it has none (ui.md 2.3, 4.3).

#include <QBrush>
#include <QTransform>

#include "views/canvas/palette.h"
#include "views/session/storage_pins.h"

namespace aliascope {

static_assert(kStorageSlots == kPinnedStorages);

inline QColor storageColour(const StorageColours& colours, int storage) {
    const int slot = colours.slotOf(storage);
    return slot < 0 ? Palette::active()(Role::Edge) : Palette::active().slot(slot);
}
inline QBrush storageBrush(const StorageColours& colours, int storage) {
    const int slot = colours.slotOf(storage);
    if (slot < 0) return QBrush(Palette::active()(Role::Line));
    QBrush brush(Palette::active().slot(slot), slotPattern(slot));
    if (Palette::active().theme() == Theme::HighContrast) brush.setTransform(QTransform::fromScale(2, 2));  // strong
    return brush;
}

}  // namespace aliascope
