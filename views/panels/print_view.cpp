#include "views/panels/print_view.h"

#include <QCoreApplication>
#include <QEvent>
#include <QImage>
#include <QPainter>
#include <QPrinter>
#include <QWidget>
#include <algorithm>

#include "views/panels/theme.h"

namespace aliascope {
namespace {

constexpr qreal kDotsPerPixel = 3;        ///< of the picture: about 290 to the inch at the size of a screen
constexpr qreal kMostPictureSide = 8000;  ///< dots; a wall of screens is printed coarser

/// Light colours while it lives. Nobody sees them on screen: windows paint when the loop of events comes round.
class LightTheme {
public:
    LightTheme() : before_(themeChoice()) {
        if (!changed_) return;
        applyTheme(ThemeChoice::Light);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // sizes follow the theme too
    }
    ~LightTheme() {
        if (changed_) applyTheme(before_);
    }
    LightTheme(const LightTheme&) = delete;
    LightTheme& operator=(const LightTheme&) = delete;

private:
    ThemeChoice before_;
    bool changed_ = Palette::active().theme() != Theme::Light;
};

QImage pictureOf(QWidget& view) {
    const LightTheme light;
    const qreal side = std::max({view.width(), view.height(), 1});
    const qreal ratio = std::min(kDotsPerPixel, kMostPictureSide / side);
    QImage picture(view.size() * ratio, QImage::Format_RGB32);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Palette::active()(Role::Panel));
    view.render(&picture);
    return picture;
}

}  // namespace

bool printView(QPrinter& printer, QWidget& view, const QString& title, const QString& footer) {
    const QImage picture = pictureOf(view);
    QPainter painter;
    if (!painter.begin(&printer)) return false;
    const QRect page = painter.viewport();
    const Palette& paper = Palette::of(Theme::Light);
    painter.setFont(QFont(view.font().family(), 9));
    const int line = painter.fontMetrics().height() * 3 / 2;
    const auto write = [&](int top, const QString& text, Role role) {
        painter.setPen(paper(role));
        painter.drawText(QRect(page.left(), top, page.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, page.width()));
    };
    write(page.top(), title, Role::Ink);
    write(page.bottom() - line, footer, Role::Secondary);
    const QRect room = page.adjusted(0, line, 0, -line - line / 2);
    const QSize size = picture.size().scaled(room.size(), Qt::KeepAspectRatio);
    painter.drawImage(QRect(room.topLeft(), size), picture);
    return painter.end();
}

}  // namespace aliascope
