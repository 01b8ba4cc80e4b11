#pragma once
// New dumps of the folder that is watched: a strip at the top of the window, never a dialog.

#include <QSet>
#include <QWidget>

#include "views/session/folder_watch.h"

class QLabel;
class QPushButton;

namespace aliascope {

class NewDumpStrip : public QWidget {
    Q_OBJECT

public:
    explicit NewDumpStrip(QWidget* parent = nullptr);
    /// Watches from now on; says so until the first dump appears.
    void watch(const QString& folder);
    const QString& folder() const { return watch_.folder(); }

signals:
    void openWanted(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void tell(const QString& path);

    FolderWatch watch_;
    QString latest_;
    QSet<QString> told_;  ///< since the last was opened
    QLabel* text_;
    QPushButton *open_, *stop_;
};

}  // namespace aliascope
