#include "views/canvas/metrics.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace aliascope {
namespace {

QFont scaled(QFont font, qreal scale) {
    if (font.pixelSize() > 0) {
        font.setPixelSize(std::max(1, int(std::lround(font.pixelSize() * scale))));
    } else {
        font.setPointSizeF(font.pointSizeF() * scale);
    }
    return font;
}

QString monoFamily() {
    static const QString family = [] {
        const QString wanted = QStringLiteral("DejaVu Sans Mono");
        if (QFontDatabase::families().contains(wanted)) return wanted;
        return QFontInfo(QFontDatabase::systemFont(QFontDatabase::FixedFont)).family();
    }();
    return family;
}

}  // namespace

int Metrics::em(qreal ems) {
    const qreal pixels = QFontInfo(QApplication::font()).pixelSize();
    const int size = int(std::lround(ems * std::max<qreal>(pixels, 6)));
    return ems > 0 ? std::max(1, size) : size;
}

QFont Metrics::uiFont() { return QApplication::font(); }

QFont Metrics::uiFont(qreal scale, bool bold) {
    QFont font = scaled(QApplication::font(), scale);
    if (bold) font.setWeight(QFont::DemiBold);
    return font;
}

QFont Metrics::monoFont() { return monoFont(1.0); }

QFont Metrics::monoFont(qreal scale) {
    QFont font(monoFamily());
    font.setStyleHint(QFont::Monospace);
    font.setPixelSize(std::max(1, int(std::lround(QFontInfo(QApplication::font()).pixelSize() * 0.95 * scale))));
    return font;
}

}  // namespace aliascope
