#include "views/canvas/palette.h"

#include <algorithm>

namespace aliascope {
namespace {

struct Row {
    Role role;
    QRgb light, dark, highContrast;
};

constexpr QRgb rgb(unsigned hex) { return 0xff000000u | hex; }

constexpr std::array<Row, kRoles> kTable = {{
    {Role::Canvas, rgb(0xF6F7F8), rgb(0x16181C), rgb(0x000000)},       {Role::Panel, rgb(0xFFFFFF), rgb(0x1F2328), rgb(0x000000)},
    {Role::Line, rgb(0xD0D7DE), rgb(0x3A4049), rgb(0xFFFFFF)},         {Role::Ink, rgb(0x1B1F24), rgb(0xE6E8EB), rgb(0xFFFFFF)},
    {Role::Secondary, rgb(0x57606A), rgb(0xA0A8B2), rgb(0xE0E4E8)},    {Role::Edge, rgb(0x6B7480), rgb(0x6E7681), rgb(0xC8CED6)},
    {Role::Selection, rgb(0x0B57D0), rgb(0x8AB4F8), rgb(0x9CC4FF)},    {Role::Hover, rgb(0x5B8DEF), rgb(0x4C6FA8), rgb(0x7FA6E8)},
    {Role::Pin, rgb(0x111111), rgb(0xFFFFFF), rgb(0xFFFFFF)},          {Role::Added, rgb(0x0B7BEA), rgb(0x3B9BFF), rgb(0x3B9BFF)},
    {Role::AddedFill, rgb(0xE3F0FD), rgb(0x10294A), rgb(0x000000)},    {Role::Removed, rgb(0xD9480F), rgb(0xF08A56), rgb(0xF08A56)},
    {Role::RemovedFill, rgb(0xFDEBE3), rgb(0x43220F), rgb(0x000000)},  {Role::Changed, rgb(0x5B1A86), rgb(0xDCC6F0), rgb(0xDCC6F0)},
    {Role::ChangedFill, rgb(0xF1E7F8), rgb(0x33264A), rgb(0x000000)},  {Role::Unchanged, rgb(0x6B7280), rgb(0x7A808A), rgb(0x7A808A)},
    {Role::InPlace, rgb(0x12867F), rgb(0x2FE0CF), rgb(0x2FE0CF)},      {Role::Needed, rgb(0x37465E), rgb(0x7189AD), rgb(0x7189AD)},
    {Role::Avoidable, rgb(0xA87A00), rgb(0xFFD978), rgb(0xFFD978)},    {Role::Wrong, rgb(0x9B0F2E), rgb(0xE5536B), rgb(0xE5536B)},
    {Role::Slot1, rgb(0x1F83E0), rgb(0x3F80FF), rgb(0x3F80FF)},        {Role::Slot2, rgb(0x8A3300), rgb(0xE09A6A), rgb(0xE09A6A)},
    {Role::Slot3, rgb(0x1E7464), rgb(0x5CEBCB), rgb(0x5CEBCB)},        {Role::Slot4, rgb(0x4A1038), rgb(0xE0287F), rgb(0xE0287F)},
    {Role::Slot5, rgb(0x8F8400), rgb(0xF5E642), rgb(0xF5E642)},        {Role::Slot6, rgb(0x6A48BE), rgb(0xC3BEFF), rgb(0xC3BEFF)},
    {Role::FamilyView, rgb(0x1B9280), rgb(0xA9F0E2), rgb(0xA9F0E2)},   {Role::FamilyCompute, rgb(0x5F666D), rgb(0x747C87), rgb(0x747C87)},
    {Role::FamilyMatmul, rgb(0x2456E6), rgb(0x6CA8FF), rgb(0x6CA8FF)}, {Role::FamilyCopy, rgb(0xA8730C), rgb(0xF0C46F), rgb(0xF0C46F)},
    {Role::FamilyWrite, rgb(0x9B0F2E), rgb(0xF0485F), rgb(0xF0485F)},  {Role::FamilyWrapper, rgb(0x5A1F86), rgb(0xA858E6), rgb(0xA858E6)},
    {Role::FamilyIo, rgb(0x1B2026), rgb(0xB9BFC6), rgb(0xB9BFC6)},     {Role::Heat1, rgb(0xF3E79B), rgb(0x253452), rgb(0x253452)},
    {Role::Heat2, rgb(0xD3BE6A), rgb(0x48536B), rgb(0x48536B)},        {Role::Heat3, rgb(0x9B8F73), rgb(0x6F7378), rgb(0x6F7378)},
    {Role::Heat4, rgb(0x666C74), rgb(0x9B9173), rgb(0x9B9173)},        {Role::Heat5, rgb(0x354470), rgb(0xCBB766), rgb(0xCBB766)},
    {Role::Heat6, rgb(0x00224E), rgb(0xFFE945), rgb(0xFFE945)},
}};

std::array<QRgb, kRoles> column(Theme theme) {
    std::array<QRgb, kRoles> out{};
    for (const Row& row : kTable) out[std::size_t(row.role)] = theme == Theme::Light ? row.light : theme == Theme::Dark ? row.dark : row.highContrast;
    return out;
}

Theme activeTheme = Theme::Light;

int channel(int under, int over, qreal share) { return int(under + (over - under) * share + 0.5); }

}  // namespace

const Palette& Palette::of(Theme theme) {
    static const Palette light(Theme::Light, column(Theme::Light));
    static const Palette dark(Theme::Dark, column(Theme::Dark));
    static const Palette highContrast(Theme::HighContrast, column(Theme::HighContrast));
    return theme == Theme::Light ? light : theme == Theme::Dark ? dark : highContrast;
}

const Palette& Palette::active() { return of(activeTheme); }

void Palette::setActive(Theme theme) { activeTheme = theme; }

QColor Palette::slot(int index) const { return color(Role(int(Role::Slot1) + (index % kStorageSlots + kStorageSlots) % kStorageSlots)); }

QColor Palette::heat(int step) const { return color(Role(int(Role::Heat1) + std::clamp(step, 0, kHeatSteps - 1))); }

QColor Palette::mix(Role under, Role over, qreal share) const {
    const QColor a = color(under), b = color(over);
    return QColor(channel(a.red(), b.red(), share), channel(a.green(), b.green(), share), channel(a.blue(), b.blue(), share));
}

Qt::BrushStyle slotPattern(int index) {
    constexpr std::array<Qt::BrushStyle, kStorageSlots> patterns = {Qt::SolidPattern,  Qt::BDiagPattern, Qt::HorPattern,
                                                                    Qt::Dense5Pattern, Qt::CrossPattern, Qt::VerPattern};
    return patterns[std::size_t((index % kStorageSlots + kStorageSlots) % kStorageSlots)];
}

}  // namespace aliascope
