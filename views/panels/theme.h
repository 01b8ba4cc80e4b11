#pragma once
// The look of every widget: Qt's Fusion style, coloured from Palette and measured by Metrics. Flat, square corners, lines of 1 px (ui.md 4.1).
// UI thread only.

#include <QIcon>
#include <QString>

#include "views/canvas/palette.h"

class QApplication;

namespace aliascope {

enum class ThemeChoice : std::uint8_t { System, Light, Dark, HighContrast };

/// What the desktop uses, read from the luminance of the palette that the program started with.
Theme systemTheme();
/// Makes `choice` the theme of the running program; widgets hear of it through QEvent::PaletteChange.
void applyTheme(ThemeChoice choice);
ThemeChoice themeChoice();
/// As settings keep it; what is none means the desktop's.
ThemeChoice themeChoiceFrom(int stored);
/// Call once, before the first applyTheme: remembers the desktop's own palette.
void prepareTheme(QApplication& app);

/// An icon of resources/icons in the ink of the current theme; `role` for another colour.
QIcon themedIcon(const QString& name, Role role = Role::Secondary);

}  // namespace aliascope
