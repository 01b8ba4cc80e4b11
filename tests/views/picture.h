#pragma once
// Pictures that a test takes of the window, for people to look at: kept in $ALIASCOPE_PICTURES, else nowhere.

#include <QCoreApplication>
#include <QDir>
#include <QWidget>

#include "views/panels/theme.h"

namespace aliascope {

inline void keepPicture(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("ALIASCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    window.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
}

/// The same in both themes.
inline void keepPictures(QWidget& window, const QString& name) {
    if (qEnvironmentVariableIsEmpty("ALIASCOPE_PICTURES")) return;
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        applyTheme(theme);
        QCoreApplication::processEvents();
        keepPicture(window, name + (theme == ThemeChoice::Dark ? QStringLiteral("-dark") : QString()));
    }
}

}  // namespace aliascope
