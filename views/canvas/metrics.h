#pragma once
// Every distance of the program (ui.md 3.5, 4.2). Widgets measure in em of the application's font, so that a larger font or another scaling
// moves everything together; the graph measures in logical pixels at zoom 1.
// Thread-safety: the functions belong to the UI thread; constants are constants.

#include <QFont>
#include <array>

namespace aliascope {

class Metrics {
public:
    /// `ems` times the pixel size of the application's font, rounded to whole pixels, at least 1 for a positive size.
    static int em(qreal ems);

    static int hair() { return 1; }            ///< separating lines
    static int focus() { return 2; }           ///< focus ring
    static int tight() { return em(0.25); }    ///< between a glyph and its word
    static int gap() { return em(0.5); }       ///< between controls of one group
    static int pad() { return em(0.75); }      ///< from a panel's edge to what it holds
    static int section() { return em(1.25); }  ///< between sections of a panel
    static int row() { return em(1.9); }       ///< a row of a table
    static int control() { return em(2.1); }   ///< buttons, fields, boxes
    static int icon() { return em(1.15); }
    static int scrollBar() { return em(0.75); }

    static QFont uiFont();  ///< of the application
    static QFont uiFont(qreal scale, bool bold = false);
    static QFont monoFont();  ///< DejaVu Sans Mono, else the system's fixed font, size of the application's font
    static QFont monoFont(qreal scale);
};

/// Geometry of the drawing (ui.md 4.2), in logical pixels at zoom 1.
namespace card {
inline constexpr int width = 240, height = 80;
inline constexpr int spacingX = 28, spacingY = 34;
inline constexpr int familyColumn = 26;  ///< with the two-letter tag
inline constexpr int chipBar = 5;        ///< family bar of a chip at middle zoom
inline constexpr int storageBar = 3;
inline constexpr int padding = 6;
inline constexpr int titlePx = 13, namePx = 12, smallPx = 11, chipPx = 10;
inline constexpr int selectionFrame = 3, hoverFrame = 1;
inline constexpr int stub = 10;
inline constexpr double farBelow = 0.18;  ///< below: rectangles only
inline constexpr double nearFrom = 0.70;  ///< from here on: whole cards
inline constexpr std::array<double, 10> zoomLadder = {0.10, 0.14, 0.18, 0.25, 0.35, 0.50, 0.70, 1.0, 1.4, 2.0};
}  // namespace card

}  // namespace aliascope
