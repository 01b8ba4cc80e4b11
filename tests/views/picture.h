#pragma once
// Pictures that a test takes of the window, for people to look at: kept in $ALIASCOPE_PICTURES, else nowhere. QT_SCALE_FACTOR=2 gives those at 200 %.

#include <QCoreApplication>
#include <QDir>
#include <QWidget>

#include "views/panels/theme.h"

namespace aliascope {

inline void keepPicture(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("ALIASCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    const int scale = int(window.devicePixelRatioF() * 100 + 0.5);
    const QString scaled = scale == 100 ? QString() : QStringLiteral("-at-%1").arg(scale);
    window.grab().save(QDir(folder).filePath(name + scaled + QStringLiteral(".png")));
}

/// The same in every theme; light at the end.
inline void keepPictures(QWidget& window, const QString& name) {
    if (qEnvironmentVariableIsEmpty("ALIASCOPE_PICTURES")) return;
    const std::initializer_list<std::pair<ThemeChoice, QString>> themes = {
        {ThemeChoice::Dark, QStringLiteral("-dark")}, {ThemeChoice::HighContrast, QStringLiteral("-high-contrast")}, {ThemeChoice::Light, QString()}};
    for (const auto& [theme, tag] : themes) {
        applyTheme(theme);
        QCoreApplication::processEvents();
        keepPicture(window, name + tag);
    }
}

}  // namespace aliascope
