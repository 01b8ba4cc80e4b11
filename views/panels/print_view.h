#pragma once
// A view on paper (ui.md 3.2, Ctrl+P): what it shows now, on one page, in light colours whatever the theme. UI thread only.

#include <QString>

class QPrinter;
class QWidget;

namespace aliascope {

/// `title` stands above the picture, `footer` below it. False when the printer cannot begin (a file that cannot be written, a device that is gone).
bool printView(QPrinter& printer, QWidget& view, const QString& title, const QString& footer);

}  // namespace aliascope
