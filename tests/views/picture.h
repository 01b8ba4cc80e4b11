#pragma once
// Pictures that a test takes of the window, for people to look at: kept in $ALIASCOPE_PICTURES, else nowhere.

#include <QDir>
#include <QWidget>

namespace aliascope {

inline void keepPicture(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("ALIASCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    window.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
}

}  // namespace aliascope
