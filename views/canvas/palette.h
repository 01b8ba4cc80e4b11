#pragma once
// Every colour of the program (ui.md 4.3): light, dark and with high contrast. No colour literal stands anywhere else; a test looks for them.
// A colour never speaks alone: whoever paints one of the states below also draws its glyph, pattern or word.
// Thread-safety: tables are constant; setActive() and active() belong to the UI thread.

#include <QtCore/qnamespace.h>

#include <QColor>
#include <array>
#include <cstdint>

namespace aliascope {

/// HighContrast: white on black, lines of 2 px, no fills, strong patterns (ui.md 3.5).
enum class Theme : std::uint8_t { Light, Dark, HighContrast };

enum class Role : std::uint8_t {
    Canvas,
    Panel,
    Line,
    Ink,
    Secondary,
    Edge,
    Selection,
    Hover,
    Pin,
    Added,
    AddedFill,
    Removed,
    RemovedFill,
    Changed,
    ChangedFill,
    Unchanged,
    InPlace,
    Needed,
    Avoidable,
    Wrong,
    Slot1,
    Slot2,
    Slot3,
    Slot4,
    Slot5,
    Slot6,
    FamilyView,
    FamilyCompute,
    FamilyMatmul,
    FamilyCopy,
    FamilyWrite,
    FamilyWrapper,
    FamilyIo,
    Heat1,
    Heat2,
    Heat3,
    Heat4,
    Heat5,
    Heat6,
};
inline constexpr std::size_t kRoles = std::size_t(Role::Heat6) + 1;
inline constexpr int kStorageSlots = 6;
inline constexpr int kHeatSteps = 6;

class Palette {
public:
    static const Palette& of(Theme theme);
    static const Palette& active();
    static void setActive(Theme theme);

    Theme theme() const { return theme_; }
    /// Width of frames, rules and edges in pixels.
    int line() const { return theme_ == Theme::HighContrast ? 2 : 1; }
    /// What a state paints behind words; dropped with high contrast.
    bool hasFills() const { return theme_ != Theme::HighContrast; }
    QColor color(Role role) const { return QColor::fromRgb(rgb_[std::size_t(role)]); }
    QColor operator()(Role role) const { return color(role); }
    /// Storage slot 0..5 (others wrap round).
    QColor slot(int index) const;
    /// Heat step 0 (low) .. 5 (high); outside values are clamped.
    QColor heat(int step) const;
    /// `share` (0..1) of `over` on top of `under`, opaque: row stripes, hovered buttons, selection tints.
    QColor mix(Role under, Role over, qreal share) const;

private:
    Palette(Theme theme, const std::array<QRgb, kRoles>& rgb) : theme_(theme), rgb_(rgb) {}
    Theme theme_;
    std::array<QRgb, kRoles> rgb_;
};

/// Pattern that goes with a storage slot: solid, diagonal, horizontal, dots, cross, vertical.
Qt::BrushStyle slotPattern(int index);

}  // namespace aliascope
